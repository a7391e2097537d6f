/** Hands the minute to the agents that have something due: each in its own object, none waits for another. */

import type { AgentArmed, DueAgent } from "../core/jobs/due-table.ts";
import { again } from "../durable-objects/again.ts";
import type { Env } from "../durable-objects/env.ts";
import { restoreAgent } from "./config-store.ts";
import { agentStub, hubStub } from "./objects.ts";
import { VERSION } from "./version.ts";

/** Names what was deployed; locally each start. */
export function deployedVersion(env: Env): string {
  return env.CF_VERSION_METADATA?.id ?? VERSION;
}

/** Rejects when an agent could not be reached, after all others were: it is asked again at the next minute. */
export async function runDueJobs(env: Env, due: readonly DueAgent[], at: number): Promise<void> {
  const answers = await Promise.allSettled(due.map((agent) => askAgent(env, agent, at)));
  const armed = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  if (armed.length > 0) await again(() => hubStub(env).armDue(armed));
  const failed = answers.find((answer) => answer.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

async function askAgent(env: Env, agent: DueAgent, at: number): Promise<AgentArmed> {
  const ask = () => again(() => agentStub(env, agent.agentId).runDueJobs(at, deployedVersion(env)));
  const answer = await ask();
  if (answer.configured || !(await restoreAgent(env, agent.agentId))) return { ...agent, ...answer };
  return { ...agent, ...(await ask()) };
}
