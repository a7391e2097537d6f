/** Which tools this instance is built with, and how secrets become known. The only place that joins core and tools. */

import type { Registry } from "../core/registry.ts";
import { createRegistry } from "../core/registry.ts";
import { createScrubber, knownSecrets, type Scrubber } from "../core/scrub/index.ts";
import type { AgentWiring } from "../durable-objects/agent.ts";
import type { Env } from "../durable-objects/env.ts";
import { bundledTools } from "../tools/index.ts";

export const wiring: AgentWiring = { registry: bundledRegistry, scrubber: knownScrubber };

let registry: Registry | null = null;

/** Checked once per isolate. */
export function bundledRegistry(env: Env): Registry {
  registry ??= createRegistry(bundledTools({ files: env.FILES }));
  return registry;
}

const scrubbers = new Map<string, Scrubber>();

/** Building a scrubber costs more than using it: one per isolate and list of plain variables. */
export function knownScrubber(env: Env, plainVars: readonly string[]): Scrubber {
  const key = JSON.stringify(plainVars);
  const known = scrubbers.get(key) ?? createScrubber(knownSecrets({ ...env }, plainVars));
  if (scrubbers.size > 20) scrubbers.clear();
  scrubbers.set(key, known);
  return known;
}
