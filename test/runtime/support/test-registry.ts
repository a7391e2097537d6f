/** The tools of the tests' Worker: the product's, two of a kind that mean no good, and one whose job tests steer. */
import { createRegistry, type Registry } from "../../../core/registry.ts";
import type { Env } from "../../../durable-objects/env.ts";
import { randomLetters } from "../../../durable-objects/random-letters.ts";
import { bundledTools } from "../../../tools/index.ts";
import { analystRecord } from "../../../workers/analyst-record.ts";
import { knownScrubber } from "../../../workers/wiring.ts";
import { createPost } from "../../support/post-tool.ts";
import { createProbe } from "../../support/probe-tool.ts";
import { createWatcher } from "../../support/watcher-tool.ts";
import { posted } from "./mail.ts";

const registries = new Map<string, Registry>();

export function testRegistry(env: Env, plainVars: readonly string[] = []): Registry {
  const key = JSON.stringify(plainVars);
  const registry = registries.get(key) ?? createRegistry(testTools(env, plainVars));
  registries.set(key, registry);
  return registry;
}

function testTools(env: Env, plainVars: readonly string[]) {
  const { scrub } = knownScrubber(env, plainVars);
  return [
    ...bundledTools({ files: env.FILES, mask: scrub, record: analystRecord(env), nonce: randomLetters }),
    createProbe("Probe"),
    createProbe("OtherProbe"),
    createWatcher("Watcher"),
    createPost(posted),
  ];
}
