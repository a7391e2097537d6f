/** The taskboard as the objects and the Worker reach it. */
import type { Board } from "../core/board/board.ts";
import { newRunId, objectNameOf } from "../core/ids.ts";
import type { Logger } from "../core/log.ts";
import { again } from "./again.ts";
import type { Env } from "./env.ts";
import { chainPort } from "./ports.ts";
import { randomLetters } from "./random-letters.ts";

export function boardPort(env: Env, log: Logger): Board {
  const stub = (name: string) => env.AGENTS.get(env.AGENTS.idFromName(name));
  return {
    db: env.DB,
    texts: env.TEXTS,
    now: Date.now,
    newTaskId: () => `t${Date.now().toString(36)}${randomLetters().slice(0, 8)}`,
    newRunId: (objectName) => newRunId({ now: Date.now, random: randomLetters }, objectName),
    accept: (objectName, run) => again(async () => stub(objectName).accept(run)),
    runState: (runId) => again(async () => stub(objectNameOf(runId) ?? "unknown").runState(runId)),
    leaveChain: (rootRunId, runId) => chainPort(env, rootRunId).remove(runId),
    cancelRun: async (runId, request) => {
      const name = objectNameOf(runId);
      if (name !== null) await again(async () => stub(name).cancel(runId, request));
    },
    publish: async (events) => {
      await env.HUB.get(env.HUB.idFromName("hub"))
        .publish(events)
        .catch((error: unknown) => log.warn(`The live feed is away: ${String(error)}`));
    },
    log,
  };
}
