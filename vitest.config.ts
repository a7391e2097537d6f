import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { TEST_SECRETS } from "./test/support/test-secrets.ts";

export default defineConfig(async () => {
  const migrations = await readD1Migrations("./migrations");
  return {
    test: {
      // The product logs to the console; of a test that passes nobody reads it.
      silent: "passed-only" as const,
      projects: [
        {
          test: {
            name: "unit",
            include: ["test/unit/**/*.test.ts", "tools/**/*.test.ts"],
            setupFiles: ["./test/unit/setup.ts"],
            // They share nothing but modules: a worker of its own for each file costs more than its tests.
            isolate: false,
            // Only keeps a broken test from hanging, also beside other runners.
            testTimeout: 30_000,
          },
        },
        {
          plugins: [
            cloudflareTest({
              main: "./test/runtime/worker.ts",
              wrangler: { configPath: "./wrangler.toml" },
              miniflare: {
                bindings: {
                  TEST_MIGRATIONS: migrations,
                  API_TOKEN: "test-token-0123456789",
                  ...TEST_SECRETS,
                },
              },
            }),
          ],
          test: {
            name: "runtime",
            include: ["test/runtime/**/*.test.ts"],
            setupFiles: ["./test/runtime/setup.ts"],
            globalSetup: ["./test/runtime/model-server.setup.ts"],
            testTimeout: 60_000,
          },
        },
        {
          test: {
            name: "process",
            include: ["test/process/**/*.test.ts"],
            testTimeout: 240_000,
            hookTimeout: 120_000,
            fileParallelism: false,
          },
        },
        {
          test: {
            name: "viewer",
            include: ["test/viewer/**/*.test.ts"],
            testTimeout: 120_000,
            hookTimeout: 120_000,
            fileParallelism: false,
          },
        },
        {
          test: {
            name: "service",
            include: ["test/service/**/*.test.ts"],
            globalSetup: ["./test/service/setup.ts"],
            testTimeout: 60_000,
            hookTimeout: 60_000,
            fileParallelism: false,
          },
        },
      ],
    },
  };
});
