export { onRequest } from "../../worker-door.ts";
