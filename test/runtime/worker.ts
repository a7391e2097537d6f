export * from "../../workers/index.ts";
export { default } from "../../workers/index.ts";
