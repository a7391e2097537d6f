/** How an agent's object reaches the other objects. Failed calls are made again where that is safe: all of these are. */
import type { ChainPort, ColleaguePort, DayPort } from "../core/engine/world.ts";
import { again } from "./again.ts";
import type { Env } from "./env.ts";

export function chainPort(env: Env, rootRunId: string): ChainPort {
  const stub = () => env.CHAINS.get(env.CHAINS.idFromName(rootRunId));
  return {
    admit: (member, limits, asker) => again(async () => stub().admit(member, limits, asker)),
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
