/** How an agent's object reaches the other objects. Failed calls are made again where that is safe: all of these are. */
import type { ChainPort, ColleaguePort, DayPort } from "../core/engine/world.ts";
import type { Env } from "./env.ts";

const TRIES = 5;
const FIRST_WAIT_MS = 50;

export function chainPort(env: Env, rootRunId: string): ChainPort {
  const stub = () => env.CHAINS.get(env.CHAINS.idFromName(rootRunId));
  return {
    admit: (member, limits) => again(async () => stub().admit(member, limits)),
    permit: (member, spent, limits) => again(async () => stub().permit(member, spent, limits)),
    settle: (closed) => again(async () => stub().settle(closed)),
    remove: (runId) => again(async () => stub().remove(runId)),
  };
}

export function dayPort(env: Env): DayPort {
  const stub = () => env.HUB.get(env.HUB.idFromName("hub"));
  return {
    permit: (runId, costMicros, limits) => again(async () => stub().permitDay(runId, costMicros, limits)),
    settle: (runs) => again(async () => stub().settleDay(runs)),
  };
}

/** An ask repeats these itself until its deadline. */
export function colleaguePort(env: Env, agentId: string): ColleaguePort {
  const stub = () => env.AGENTS.get(env.AGENTS.idFromName(agentId));
  return {
    accept: async (run) => stub().accept(run),
    result: async (runId) => stub().result(runId),
    expire: async (runId, request) => stub().expire(runId, request),
  };
}

/** A new stub for each try: after an error the old one is broken for good. An overloaded object is left alone. */
async function again<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= TRIES || isOverloaded(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** attempt));
    }
  }
}

function isOverloaded(error: unknown): boolean {
  return error instanceof Error && "overloaded" in error && error.overloaded === true;
}
