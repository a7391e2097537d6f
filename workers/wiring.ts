/** Which tools this instance is built with, and how secrets become known. The only place that joins core and tools. */

import type { Registry } from "../core/registry.ts";
import { createRegistry } from "../core/registry.ts";
import { createScrubber, knownSecrets, type Scrubber } from "../core/scrub/index.ts";
import type { AgentWiring } from "../durable-objects/agent-wiring.ts";
import type { Env } from "../durable-objects/env.ts";
import { randomLetters } from "../durable-objects/random-letters.ts";
import { bundledTools } from "../tools/index.ts";
import { analystRecord } from "./analyst-record.ts";
import { channelTransports } from "./channel-transports.ts";
import { mailTransport } from "./email/reply.ts";

export const wiring: AgentWiring = {
  registry: bundledRegistry,
  scrubber: knownScrubber,
  transports: channelTransports,
  mail: mailTransport,
};

/** One list of plain variables is in force, another one for a while after a change, and none before a config. */
const MAX_LISTS = 4;

const registries = new Map<string, Registry>();

/** The tools are checked once per isolate and list of plain variables: those that cut texts mask them by it. */
export function bundledRegistry(env: Env, plainVars: readonly string[] = []): Registry {
  return perList(registries, plainVars, () => {
    const { scrub } = knownScrubber(env, plainVars);
    return createRegistry(
      bundledTools({
        files: env.FILES,
        mask: scrub,
        sendEmail: env.EMAIL,
        record: analystRecord(env),
        nonce: randomLetters,
      }),
    );
  });
}

const scrubbers = new Map<string, Scrubber>();

/** Building a scrubber costs more than using it: one per isolate and list of plain variables. */
export function knownScrubber(env: Env, plainVars: readonly string[]): Scrubber {
  return perList(scrubbers, plainVars, () => createScrubber(knownSecrets({ ...env }, plainVars)));
}

function perList<T>(made: Map<string, T>, plainVars: readonly string[], make: () => T): T {
  const key = JSON.stringify(plainVars);
  const known = made.get(key) ?? make();
  if (made.size > MAX_LISTS) made.clear();
  made.set(key, known);
  return known;
}
