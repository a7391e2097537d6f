/** An agent's jobs as the API shows them, from its own object: they are there while D1 is away. */
import { agentIdOf, type World } from "../engine/world.ts";
import { iso } from "../record/instant.ts";
import { nextTick } from "./cron.ts";
import { type Job, jobsOf } from "./job.ts";
import { type JobRow, readJobs } from "./store.ts";
import type { JobView } from "./view.ts";

export function listJobs(world: World): JobView[] {
  const documents = world.documents();
  if (documents === null) return [];
  const rows = new Map(readJobs(world.db).map((row) => [row.jobId, row]));
  return jobsOf(documents).flatMap((job) => {
    const row = rows.get(job.jobId);
    return row === undefined ? [] : [jobView(world, job, row)];
  });
}

/** Whether the job's code is at work, or the run of its last tick is not over. */
export function isBusy(world: World, { work }: Job, row: JobRow): boolean {
  if (row.open !== null) return true;
  return work.kind === "schedule" && row.runId !== null && world.active.has(row.runId);
}

function jobView(world: World, job: Job, row: JobRow): JobView {
  const { jobId, work, cron, timeZone, enabled } = job;
  const tool = work.kind === "toolJob" ? work : null;
  const schedule = work.kind === "schedule" ? work : null;
  const next = enabled ? nextTick(job, Math.max(world.now(), row.doneUpTo ?? 0)) : null;
  return {
    agentId: agentIdOf(world),
    jobId,
    kind: work.kind,
    name: tool === null ? null : nameOf(world, tool),
    taskMessage: schedule?.taskMessage ?? null,
    stateless: schedule?.stateless ?? null,
    toolName: tool?.toolName ?? null,
    jobTypeId: tool?.jobTypeId ?? null,
    runOnStart: tool === null ? null : job.runOnStart,
    cron,
    timeZone,
    enabled,
    running: isBusy(world, job, row),
    lastTick: row.last,
    nextTick: next === null ? null : iso(next),
  };
}

function nameOf(world: World, { toolName, jobTypeId }: { toolName: string; jobTypeId: string }): string {
  const offered = world.registry.get(toolName)?.jobs.find((job) => job.jobTypeId === jobTypeId);
  return offered?.name ?? jobTypeId;
}
