import { defineConfig } from "drizzle-kit";

const config = defineConfig({
  dialect: "sqlite",
  schema: [
    "./core/record/schema.ts",
    "./core/board/schema.ts",
    "./core/analysis/schema.ts",
    "./core/archive/schema.ts",
    "./core/mirror/schema.ts",
  ],
  out: "./migrations",
});

// drizzle-kit reads the default export.
export { config as default };
