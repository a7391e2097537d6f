/** The Worker's way to the objects. A fresh stub for each call: after an error the old one is broken for good. */
import { isAgentId, objectNameOf } from "../core/ids.ts";
import type { Env } from "../durable-objects/env.ts";
import { noAgent } from "./errors.ts";

export function agentStub(env: Env, agentId: string) {
  if (!isAgentId(agentId)) throw noAgent();
  return env.AGENTS.get(env.AGENTS.idFromName(agentId));
}

/** The object that a run lives in; null when the id was not made by the engine. */
export function runStub(env: Env, runId: string) {
  const name = objectNameOf(runId);
  return name === null ? null : env.AGENTS.get(env.AGENTS.idFromName(name));
}

export function chainStub(env: Env, rootRunId: string) {
  return env.CHAINS.get(env.CHAINS.idFromName(rootRunId));
}

export function hubStub(env: Env) {
  return env.HUB.get(env.HUB.idFromName("hub"));
}
