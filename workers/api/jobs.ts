import { type Context, Hono } from "hono";
import { z } from "zod";
import type { AgentConfig } from "../../core/config/agent.ts";
import { givenName } from "../../core/config/instance.ts";
import { isAgentId } from "../../core/ids.ts";
import type { RunNow } from "../../core/jobs/agent-jobs.ts";
import { listTicks } from "../../core/record/list-ticks.ts";
import { again } from "../../durable-objects/again.ts";
import { randomLetters } from "../../durable-objects/random-letters.ts";
import { recordAct, rowOf } from "../acts.ts";
import type { AppEnv } from "../app-env.ts";
import { checkQuery } from "../body.ts";
import { editAgent, requireAgent } from "../config-store.ts";
import { ApiError } from "../errors.ts";
import { agentStub, hubStub } from "../objects.ts";
import { readerOf } from "../server-timing.ts";

const pageQuery = z.object({
  before: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(500).optional(),
});

export const jobRoutes = new Hono<AppEnv>()
  /** Schedules and tool jobs of all agents, by agent. */
  .get("/", async (context) => {
    const { agents } = await again(() => hubStub(context.env).directory());
    const jobs = await Promise.all(
      agents.map(({ agentId }) => again(() => agentStub(context.env, agentId).jobs())),
    );
    return context.json(jobs.flat());
  })
  .get("/:agentId/:jobId/ticks", checkQuery(pageQuery), async (context) => {
    const page = await listTicks(readerOf(context), {
      ...named(context.req.param()),
      ...context.req.valid("query"),
    });
    if (page === null)
      throw new ApiError("bad_request", "That is no cursor.", [{ path: "before", message: "bad_cursor" }]);
    return context.json(page);
  })
  .post("/:agentId/:jobId/run", async (context) => {
    const { agentId, jobId } = named(context.req.param());
    await requireAgent(context.env, agentId);
    // Made here, so that a call that is made again begins nothing twice.
    const mark = `${Date.now().toString(36)}${randomLetters()}`;
    const begun = await again(
      async (): Promise<RunNow> => agentStub(context.env, agentId).runJob(jobId, mark),
    );
    if (!begun.ok) throw refusalError(begun);
    await recordAct(context, { action: "job.run", target: agentId, details: { jobId } });
    return context.json({ agentId, jobId, uid: begun.uid }, 202);
  })
  .post("/:agentId/:jobId/enable", async (context) =>
    context.json(await switchJob(context, named(context.req.param()), true)),
  )
  .post("/:agentId/:jobId/disable", async (context) =>
    context.json(await switchJob(context, named(context.req.param()), false)),
  );

interface JobName {
  readonly agentId: string;
  readonly jobId: string;
}

/** Before anything else: no object is ever made for an id that no agent can have. */
function named({ agentId, jobId }: JobName): JobName {
  if (!isAgentId(agentId)) throw noJob();
  const name = givenName.safeParse(jobId);
  if (!name.success) throw noJob();
  return { agentId, jobId: name.data };
}

function refusalError({ code, reason }: Extract<RunNow, { ok: false }>): ApiError {
  switch (code) {
    case "unknown":
      return noJob();
    case "paused":
      return new ApiError("paused", reason);
    case "running":
      return new ApiError("refused", reason);
    case "refused":
      return new ApiError("queue_full", `It cannot run now: ${reason}.`);
  }
}

/** Edits the agent's document, in the way of any other change of it. */
async function switchJob(context: Context<AppEnv>, { agentId, jobId }: JobName, enabled: boolean) {
  const { env } = context;
  await requireAgent(env, agentId);
  const action = enabled ? "job.enable" : "job.disable";
  const act = rowOf(context, { action, target: agentId, details: { jobId } });
  const edit = (agent: AgentConfig) => (hasJob(agent, jobId) ? switched(agent, jobId, enabled) : null);
  switch (await editAgent(env, agentId, { edit, act })) {
    case "unchanged":
      throw noJob();
    case "overtaken":
      throw new ApiError("refused", "The agent's document is being changed by others. Try again.");
    case "changed":
      return { agentId, jobId, enabled };
  }
}

function hasJob({ scheduler, toolJobs }: AgentConfig, jobId: string): boolean {
  return scheduler.some(({ id }) => id === jobId) || toolJobs.some((job) => job.jobId === jobId);
}

function switched(agent: AgentConfig, jobId: string, enabled: boolean): AgentConfig {
  return {
    ...agent,
    scheduler: agent.scheduler.map((schedule) =>
      schedule.id === jobId ? { ...schedule, enabled } : schedule,
    ),
    toolJobs: agent.toolJobs.map((job) => (job.jobId === jobId ? { ...job, enabled } : job)),
  };
}

function noJob(): ApiError {
  return new ApiError("not_found", "There is no such job.");
}
