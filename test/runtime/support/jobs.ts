/** Schedules and tool jobs as a client sees them, and the minute's trigger at any time. */
import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { z } from "zod";
import { looks, watching } from "../../support/watcher-tool.ts";
import worker from "../worker.ts";
import { eventually, get, send } from "./api.ts";
import { type AgentSpec, agent } from "./team.ts";

/** A clock of its own: long ago, so that jobs take it over from the first trigger on. */
const NOON = Date.parse("2021-06-15T12:00:00Z");
const MINUTE_MS = 60_000;

/** Minutes after twelve o'clock on that day. */
export const noon = (minutes = 0): number => NOON + minutes * MINUTE_MS;

/** What the cron trigger does, at that time. */
export async function minute(time: number): Promise<void> {
  await worker.scheduled(
    createScheduledController({ cron: "* * * * *", scheduledTime: new Date(time) }),
    env,
  );
}

/** An agent that looks for news by that cron, in UTC unless said otherwise. */
export function watcher(agentId: string, cron: string, spec: AgentSpec = {}) {
  return agent(agentId, {
    timeZone: "UTC",
    tools: { Watcher: { mark: agentId } },
    toolJobs: [{ jobId: "look", toolName: "Watcher", jobTypeId: "look", cron }],
    ...spec,
  });
}

/** An agent that is told to work by that cron. */
export function scheduled(agentId: string, cron: string, spec: AgentSpec = {}) {
  return agent(agentId, {
    timeZone: "UTC",
    scheduler: [{ id: "work", cron, taskMessage: "Do your work." }],
    ...spec,
  });
}

const tickShape = z.looseObject({
  uid: z.string(),
  cause: z.string(),
  outcome: z.string(),
  summary: z.string().nullable(),
  runId: z.string().nullable(),
  ticks: z.number(),
  scheduledAt: z.string(),
});
export type TickAnswer = z.infer<typeof tickShape>;

const pageShape = z.object({ ticks: z.array(tickShape), older: z.string().nullable() });

export async function tickPage(agentId: string, jobId: string, query = "") {
  return pageShape.parse(await get(`/api/jobs/${agentId}/${jobId}/ticks${query}`));
}

/** Oldest first. */
export async function ticks(agentId: string, jobId = "look"): Promise<TickAnswer[]> {
  return (await tickPage(agentId, jobId)).ticks.reverse();
}

/** As `outcome`, or `missed N`. */
export async function outcomes(agentId: string, jobId = "look"): Promise<string[]> {
  return (await ticks(agentId, jobId)).map(({ outcome, ticks: count }) =>
    outcome === "missed" ? `missed ${count}` : outcome,
  );
}

const jobShape = z.looseObject({
  agentId: z.string(),
  jobId: z.string(),
  kind: z.string(),
  enabled: z.boolean(),
  running: z.boolean(),
  lastTick: tickShape.nullable(),
  nextTick: z.string().nullable(),
});

export async function jobs() {
  return z.array(jobShape).parse(await get("/api/jobs"));
}

export async function jobOf(agentId: string, jobId = "look") {
  const found = (await jobs()).find((job) => job.agentId === agentId && job.jobId === jobId);
  if (found === undefined) throw new Error(`${agentId} has no job ${jobId}`);
  return found;
}

export function command(agentId: string, name: string, jobId = "look"): Promise<Response> {
  return send("POST", `/api/jobs/${agentId}/${jobId}/${name}`);
}

/** Waits until no job's code is at work any more. */
export async function jobsOver(): Promise<void> {
  await eventually(async () => (await jobs()).every((job) => job.kind === "schedule" || !job.running));
}

/** A job of which the test decides when it goes on. */
export function heldJob(agentId: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  watching.set(agentId, async () => {
    await promise;
    return { outcome: "no_action", logSummary: "released" };
  });
  return { release: resolve };
}

export const looked = (agentId: string): number => looks.get(agentId) ?? 0;
