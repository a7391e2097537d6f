/**
 * Begins a tick, or says why not. What decides about a tick is one transaction, so a tick that was begun is
 * never begun again (L7), whoever asks, how often, and whatever breaks in between.
 */
import { isPaused } from "../agent/agent.ts";
import type { World } from "../engine/world.ts";
import type { TickCause } from "../record/vocabulary.ts";
import { isSchedule, isToolJob, type Job, type Schedule } from "./job.ts";
import { isBusy } from "./list-jobs.ts";
import { announceTick, recordTick } from "./record-tick.ts";
import type { JobRow } from "./store.ts";
import { closedTick } from "./tick.ts";
import { beginToolJob, type RunningJobs } from "./tool-job.ts";
import { wakeAgent } from "./wake.ts";

export interface JobsContext {
  readonly world: World;
  readonly running: RunningJobs;
}

/** A tick that is to begin. */
export interface Beginning {
  readonly uid: string;
  readonly cause: TickCause;
  readonly scheduledAt: number;
  /** Counts it as dealt with, in the transaction in which it is begun or let pass. */
  readonly pass: () => void;
}

/** Why no tick of the job may begin now; null when one may. */
export function obstacleFor(
  world: World,
  { job, row }: { readonly job: Job; readonly row: JobRow },
): { readonly code: "paused" | "running"; readonly reason: string } | null {
  if (isPaused(world)) return { code: "paused", reason: "The agent is paused." };
  return isBusy(world, job, row) ? { code: "running", reason: "The tick before it is not over." } : null;
}

/** Begins it, or records that it was let pass. Where neither can be done now, it stays due. */
export function beginOrSkip(context: JobsContext, at: { job: Job; row: JobRow }, tick: Beginning): void {
  const { world } = context;
  const obstacle = obstacleFor(world, at);
  if (obstacle !== null) {
    skip(world, at.job, { ...tick, summary: obstacle.reason });
    return;
  }
  const refusal = begin(context, at.job, tick);
  if (refusal !== null) world.log.warn(`Job ${at.job.jobId} waits: ${refusal}`);
}

/** Null, or why it could not begin: nothing has changed then. */
export function begin({ world, running }: JobsContext, job: Job, tick: Beginning): string | null {
  if (isSchedule(job)) return beginSchedule(world, job, tick);
  if (isToolJob(job)) beginToolJob(world, running, { job, tick });
  return null;
}

/** The run and the tick that caused it become durable together. */
function beginSchedule(world: World, job: Schedule, beginning: Beginning): string | null {
  const { uid, cause, scheduledAt, pass } = beginning;
  const { stateless, taskMessage } = job.work;
  const startedAt = world.now();
  const woken = wakeAgent(world, {
    trigger: "schedule",
    lane: stateless ? "isolated" : "conversation",
    message: taskMessage,
    lastRunId: null,
    along: (runId) => {
      pass();
      const outcome = stateless ? "wake_stateless" : "wake";
      const tick = closedTick(world, { uid, cause, scheduledAt, startedAt, outcome, summary: null, runId });
      recordTick(world, { jobId: job.jobId, kind: "schedule", tick });
      return tick;
    },
  });
  if (!woken.ok) return woken.reason;
  announceTick(world, job.jobId, woken.tick);
  return null;
}

function skip(world: World, job: Job, input: Beginning & { summary: string }): void {
  const { uid, cause, scheduledAt, pass, summary } = input;
  const startedAt = world.now();
  const tick = closedTick(world, {
    uid,
    cause,
    scheduledAt,
    startedAt,
    outcome: "skipped",
    summary,
    runId: null,
  });
  world.db.transaction(() => {
    pass();
    recordTick(world, { jobId: job.jobId, kind: job.work.kind, tick });
  });
  announceTick(world, job.jobId, tick);
}
