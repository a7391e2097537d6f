/** Erasing one person's data: the stores, and a stretch of the work within one request. */
import { agentsOnRecord } from "../core/erase/agent-names.ts";
import { type EraseState, eraseStep, isDone, newErasure, resumedErasure } from "../core/erase/job.ts";
import { ERASED, MAX_ERASED_CHARS, MIN_ERASED_CHARS, type Needle, needleOf } from "../core/erase/needle.ts";
import type { EraseStores } from "../core/erase/parts.ts";
import type { Reader } from "../core/record/reader.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { ApiError } from "./errors.ts";
import { chainStub, hubStub } from "./objects.ts";

/** A request ends after that many steps, or that much time, at the next step; the caller calls again. The platform counts what one calls. */
const MAX_STEPS = 20;
const MAX_MS = 10_000;

/** Works on until it is over or the request has lasted long enough. `name` names the erasure in the hub. */
export async function erase(
  stores: EraseStores,
  needle: Needle,
  { env, name, dryRun }: { readonly env: Env; readonly name: string; readonly dryRun: boolean },
): Promise<EraseState> {
  const kept = await again(() => hubStub(env).erasure(name));
  let state = kept === null ? newErasure(dryRun, Date.now()) : resumedErasure(kept, Date.now());
  const until = Date.now() + MAX_MS;
  for (let steps = 0; steps < MAX_STEPS && !isDone(state) && Date.now() < until; steps += 1) {
    const reached = await eraseStep(stores, needle, { state, now: Date.now() });
    state = await again(() => hubStub(env).keepErasure(name, reached));
  }
  return state;
}

/** Throws `bad_request` for a text that is too short, or that names an agent: ids hold the record together. */
export async function erasedNeedle(env: Env, reader: Reader, text: string): Promise<Needle> {
  const problem = (message: string) =>
    new ApiError("bad_request", "This cannot be erased.", [{ path: "text", message }]);
  if (text.length < MIN_ERASED_CHARS) throw problem(`Must have at least ${MIN_ERASED_CHARS} characters`);
  if (text.length > MAX_ERASED_CHARS) throw problem(`Must have at most ${MAX_ERASED_CHARS} characters`);
  const needle = needleOf(text);
  if (needle.count(ERASED) > 0) throw problem("Is part of what comes in its place");
  const ids = await everyAgentId(env, reader);
  if (ids.some((id) => needle.count(id) > 0)) throw problem("Is part of an agent's id");
  return needle;
}

/** Sorted. The hub may not know those that were removed long ago. */
async function everyAgentId(env: Env, reader: Reader): Promise<string[]> {
  const known = await again(() => hubStub(env).everyAgentId());
  return [...new Set([...known, ...(await agentsOnRecord(reader))])].sort();
}

export function eraseStores(env: Env, reader: Reader, text: string): EraseStores {
  let known: Promise<readonly string[]> | null = null;
  const agentIds = () => {
    known ??= everyAgentId(env, reader);
    return known;
  };
  const agent = (name: string) => env.AGENTS.get(env.AGENTS.idFromName(name));
  return {
    reader,
    db: env.DB,
    texts: env.TEXTS,
    files: env.FILES,
    agentIds,
    workersOf: (agentId, after) => again(() => agent(agentId).workers(after)),
    noteWorkers: (agentId, workers) => again(() => agent(agentId).noteWorkers(workers)),
    inAgent: (name, from, write) => again(() => agent(name).erase({ text, from, write })),
    inChain: (rootRunId, from, write) => again(() => chainStub(env, rootRunId).erase({ text, from, write })),
    inHub: (from, write) => again(() => hubStub(env).erase({ text, from, write })),
  };
}
