/** The tools of the tests' Worker: the product's, and two of a kind that mean no good. */
import { createRegistry, type Registry } from "../../../core/registry.ts";
import type { Env } from "../../../durable-objects/env.ts";
import { bundledTools } from "../../../tools/index.ts";
import { createProbe } from "../../support/probe-tool.ts";

let registry: Registry | null = null;

export function testRegistry(env: Env): Registry {
  registry ??= createRegistry([
    ...bundledTools({ files: env.FILES }),
    createProbe("Probe"),
    createProbe("OtherProbe"),
  ]);
  return registry;
}
