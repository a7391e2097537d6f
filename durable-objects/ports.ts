/** How an agent's object reaches the other objects. Failed calls are made again where that is safe: all of these are. */
import type { Admission } from "../core/chain/budget.ts";
import type { ChainPort, ColleaguePort, DayPort } from "../core/engine/world.ts";
import { DayAllowance } from "../core/hub/day-allowance.ts";
import type { DaySpent } from "../core/hub/day-ledger.ts";
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
  // An object of its own: its writes would hold up what the hub answers to everybody.
  const stub = () => env.HUB.get(env.HUB.idFromName("ledger"));
  const allowance = new DayAllowance();
  const tell = async (runs: readonly DaySpent[], costUsd: number) => {
    const told = allowance.news(runs);
    const permit = await again(async () => stub().tellDay(told, { costUsd }));
    allowance.renew({ permit, told, now: Date.now(), costUsd });
    return permit;
  };
  // One after the other: what is told of a run under way must not arrive after its end. The first goes out at once.
  let latest: Promise<unknown> | null = null;
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const done = latest === null ? act() : latest.then(act);
    const over: Promise<void> = done
      .catch(() => undefined)
      .then(() => {
        if (latest === over) latest = null;
      });
    latest = over;
    return done;
  };
  /** One question for all who wait to ask. */
  let asking: Promise<Admission> | null = null;
  return {
    permit: async (runId, costMicros, { costUsd }) => {
      allowance.spend(runId, costMicros);
      const leave = () => allowance.leave({ now: Date.now(), costUsd });
      const allowed = leave();
      if (allowed !== null) return allowed;
      asking ??= inTurn(async () => leave() ?? tell([], costUsd)).finally(() => {
        asking = null;
      });
      return asking;
    },
    ended: (run) => allowance.end(run),
    settle: async (runs) => {
      await inTurn(() => tell(runs, allowance.ceiling));
    },
  };
}

/** An ask repeats these itself until its deadline. */
export function colleaguePort(env: Env, agentId: string): ColleaguePort {
  const stub = () => env.AGENTS.get(env.AGENTS.idFromName(agentId));
  return {
    ask: async (run) => stub().ask(run),
    result: async (runId) => stub().result(runId),
    expire: async (runId, request) => stub().expire(runId, request),
  };
}
