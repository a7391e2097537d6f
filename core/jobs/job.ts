/** Schedules and tool jobs of an agent, as its documents say. */
import type { Documents } from "../engine/world.ts";
import type { JobKind } from "../record/vocabulary.ts";
import type { Timing } from "./cron.ts";

export interface Job extends Timing {
  readonly jobId: string;
  readonly enabled: boolean;
  /** Once per deployed version of the Worker, besides its ticks. */
  readonly runOnStart: boolean;
  readonly work: Work;
}

type Work =
  /** Wakes the agent. */
  | { readonly kind: "schedule"; readonly taskMessage: string; readonly stateless: boolean }
  /** Runs code of a tool, which may wake the agent. */
  | { readonly kind: "toolJob"; readonly toolName: string; readonly jobTypeId: string };

export type ToolJob = Job & { readonly work: Extract<Work, { kind: "toolJob" }> };
export type Schedule = Job & { readonly work: Extract<Work, { kind: "schedule" }> };

/** In the order of the document, schedules first. */
export function jobsOf({ agent, instance }: Documents): Job[] {
  const timeZone = agent.timeZone ?? instance.timeZone;
  return [
    ...agent.scheduler.map(
      ({ id, cron, enabled, taskMessage, stateless }): Schedule => ({
        jobId: id,
        cron,
        timeZone,
        enabled,
        runOnStart: false,
        work: { kind: "schedule", taskMessage, stateless },
      }),
    ),
    ...agent.toolJobs.map(
      ({ jobId, cron, enabled, runOnStart, toolName, jobTypeId }): ToolJob => ({
        jobId,
        cron,
        timeZone,
        enabled,
        runOnStart,
        work: { kind: "toolJob", toolName, jobTypeId },
      }),
    ),
  ];
}

/** What makes a job another one, whose ticks start anew. */
export interface Plan extends Timing {
  readonly enabled: boolean;
  readonly kind: JobKind;
}

export function planOf({ cron, timeZone, enabled, work }: Job): Plan {
  return { cron, timeZone, enabled, kind: work.kind };
}

export function isSchedule(job: Job): job is Schedule {
  return job.work.kind === "schedule";
}

export function isToolJob(job: Job): job is ToolJob {
  return job.work.kind === "toolJob";
}
