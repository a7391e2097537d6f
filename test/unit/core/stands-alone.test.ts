import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";
import { createRegistry } from "../../../core/registry.ts";

const CORE = resolve(import.meta.dirname, "../../../core");
const IMPORTS = /(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

const modules = readdirSync(CORE, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => join(CORE, name));

it("core imports nothing that lies outside it, so it builds without any tool", () => {
  const outward = modules.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(IMPORTS)]
      .map((match) => match[1] ?? "")
      .filter((specifier) => specifier.startsWith("."))
      .filter((specifier) => relative(CORE, resolve(dirname(file), specifier)).startsWith(".."))
      .map((specifier) => `${relative(CORE, file)} imports ${specifier}`),
  );
  expect(modules).not.toHaveLength(0);
  expect(outward).toEqual([]);
});

it("every module of core loads on its own, and a registry without tools offers nothing", async () => {
  await Promise.all(modules.map((file) => import(/* @vite-ignore */ file)));
  const registry = createRegistry([]);
  expect([registry.names(), registry.functionsFor(["FileRW", "AskAgent", "Taskboard"])]).toEqual([[], []]);
});
