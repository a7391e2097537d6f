/** Runs that come in from outside: the Worker mints the id, so that it can come back to the run whatever breaks. */

import type { RunResult } from "../core/engine/run-result.ts";
import type { AcceptResult } from "../core/engine/world.ts";
import { newRunId } from "../core/ids.ts";
import type { Lane, NewRun } from "../core/journal/runs.ts";
import { rootLineage, type Trigger } from "../core/lineage.ts";
import type { Env } from "../durable-objects/env.ts";
import { randomLetters } from "../durable-objects/random-letters.ts";
import { restoreAgent } from "./config-store.ts";
import { ApiError, noAgent } from "./errors.ts";
import { agentStub } from "./objects.ts";

export interface RunOrder {
  readonly agentId: string;
  readonly trigger: Trigger;
  readonly lane: Lane;
  readonly message: string;
}

/** A new root: nobody outside can claim another lineage (L4). */
export function newRootRun(order: RunOrder): NewRun {
  const runId = newRunId({ now: Date.now, random: randomLetters }, order.agentId);
  return {
    runId,
    trigger: order.trigger,
    lane: order.lane,
    priority: 0,
    lineage: rootLineage(runId),
    input: order.message,
    maxSteps: null,
    deadlineAt: null,
    taskId: null,
  };
}

type Refusal = Extract<AcceptResult, { ok: false }>;

/** Accepts the run and waits for its end. The run survives a reset of its object; so does this wait. */
export async function executeRun(env: Env, agentId: string, run: NewRun): Promise<RunResult> {
  const outcome = await withObject(env, agentId, async () => {
    const answer = await agentStub(env, agentId).execute(run);
    return "refused" in answer ? answer.refused : { ok: true as const, result: answer.result };
  });
  return outcome.result;
}

/** Resolves once the run is durably accepted. */
export async function submitRun(env: Env, agentId: string, run: NewRun): Promise<void> {
  await withObject(env, agentId, async () => agentStub(env, agentId).accept(run));
}

export async function streamRun(env: Env, agentId: string, run: NewRun): Promise<ReadableStream<Uint8Array>> {
  const outcome = await withObject(env, agentId, async () => {
    const answer = await agentStub(env, agentId).stream(run);
    return "refused" in answer ? answer.refused : { ok: true as const, events: answer.events };
  });
  return outcome.events;
}

const WAITS_MS = [100, 200, 500, 1_000, 2_000, 5_000];

/** Tries again while the object is being reset, and once more after restoring its documents from KV. */
async function withObject<T extends { readonly ok: true }>(
  env: Env,
  agentId: string,
  call: () => Promise<T | Refusal>,
): Promise<T> {
  let restored = false;
  for (let attempt = 0; ; attempt += 1) {
    const answer = await callOrNull(call, attempt);
    if (answer?.ok === true) return answer;
    if (answer === null) await new Promise((resolve) => setTimeout(resolve, WAITS_MS[attempt]));
    else if (answer.code === "not_configured" && !restored) {
      restored = true;
      if (!(await restoreAgent(env, agentId))) throw noAgent();
    } else throw refusalError(answer);
  }
}

async function callOrNull<T>(call: () => Promise<T>, attempt: number): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ApiError || attempt >= WAITS_MS.length) throw error;
    return null;
  }
}

function refusalError(refusal: Refusal): ApiError {
  switch (refusal.code) {
    case "queue_full":
      return new ApiError("queue_full", "The agent's queue is full. Try again later.");
    case "paused":
      return new ApiError("paused", "The agent is paused.");
    case "not_configured":
      return noAgent();
  }
}
