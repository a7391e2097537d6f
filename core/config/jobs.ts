/** Schedules and tool jobs of an agent: what wakes it without anybody asking. */
import { z } from "zod";
import { givenName } from "./instance.ts";
import { type ConfigIssue, issueAt, type Path } from "./issues.ts";
import { fieldOf, itemsOf, textOf } from "./raw.ts";
import { cronSchema } from "./time.ts";

const MAX_TASK_MESSAGE_CHARS = 20_000;

export const scheduleSchema = z
  .strictObject({
    /** Missing: made from the content, so that it stays the same as long as the content does. */
    id: givenName.exactOptional(),
    cron: cronSchema,
    taskMessage: z.string().min(1).max(MAX_TASK_MESSAGE_CHARS),
    enabled: z.boolean().default(true),
    /** An isolated run instead of a turn in the conversation. */
    stateless: z.boolean().default(false),
  })
  .transform((schedule) => ({
    ...schedule,
    id: schedule.id ?? contentId([schedule.cron, schedule.taskMessage, schedule.stateless]),
  }));

/** A scheduled instruction to the agent. */

export const toolJobSchema = z
  .strictObject({
    /** Missing: made from the content. */
    jobId: givenName.exactOptional(),
    toolName: z.string().min(1).max(64),
    jobTypeId: z.string().min(1).max(64),
    cron: cronSchema,
    enabled: z.boolean().default(true),
    /** Once per deployed version, besides the ticks. */
    runOnStart: z.boolean().default(false),
  })
  .transform((job) => ({
    ...job,
    jobId: job.jobId ?? contentId([job.toolName, job.jobTypeId, job.cron]),
  }));

/** A background check of one of the agent's tools. */

/**
 * Eight hexadecimal digits (FNV-1a) of what makes a job this job; switching it on and off keeps its id,
 * and with it the record of its ticks. A collision shows as a duplicate id, which is an error.
 */
function contentId(parts: readonly (string | boolean)[]): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(JSON.stringify(parts))) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}

/**
 * Ids used twice within an agent. Schedules and tool jobs are addressed by the same
 * `/api/jobs/:agentId/:jobId`, so their ids share one space.
 */
export function duplicateJobIds(agent: unknown, path: Path): ConfigIssue[] {
  const ids = [
    ...itemsOf(fieldOf(agent, "scheduler")).map((item, index) => ({
      id: textOf(fieldOf(item, "id")) ?? scheduleSchema.safeParse(item).data?.id,
      at: [...path, "scheduler", index, "id"],
    })),
    ...itemsOf(fieldOf(agent, "toolJobs")).map((item, index) => ({
      id: textOf(fieldOf(item, "jobId")) ?? toolJobSchema.safeParse(item).data?.jobId,
      at: [...path, "toolJobs", index, "jobId"],
    })),
  ];
  return ids
    .filter(({ id }, index) => id !== undefined && ids.findIndex((other) => other.id === id) < index)
    .map(({ at }) => issueAt(at, "A second schedule or job of this id; give it one of its own"));
}
