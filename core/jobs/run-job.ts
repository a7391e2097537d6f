/** One tick of a tool's code: time limit, checks of what it gave back. It has no effect of its own; see agent-jobs.ts. */
import { z } from "zod";
import { timeLimit, whenAborted } from "../engine/time-limit.ts";
import { toolContext } from "../engine/tool-context.ts";
import type { World } from "../engine/world.ts";
import { WAKE_CHARS } from "../limits.ts";
import { describeError } from "../log.ts";
import type { JobResult, ToolState } from "../tool.ts";
import type { ToolJob } from "./job.ts";

export interface JobRun {
  readonly job: ToolJob;
  /** The tick's name. */
  readonly uid: string;
  /** Aborted when the job is taken away. */
  readonly signal: AbortSignal;
  readonly state: ToolState;
  readonly seconds: number;
}

export type JobEnd =
  | JobResult
  | { readonly outcome: "failed" | "timeout" | "interrupted"; readonly logSummary: string };

const logSummary = z
  .string()
  .nullish()
  .transform((text) => text ?? null);
const jobResult = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("no_action"), logSummary }),
  z.object({ outcome: z.enum(["wake", "wake_stateless"]), wakeMessage: z.string(), logSummary }),
]);

/** Never rejects, and is over when the time is: what does not settle is left behind. */
export async function runToolJob(world: World, run: JobRun): Promise<JobEnd> {
  const limit = timeLimit(run.signal, run.seconds * 1000);
  const aborted = whenAborted(limit.signal);
  const end = await Promise.race([callJob(world, run, limit.signal), aborted]);
  limit.clear();
  if (end !== "aborted") return end;
  return limit.expired()
    ? { outcome: "timeout", logSummary: `It did not finish within ${run.seconds} s.` }
    : { outcome: "interrupted", logSummary: "The job was taken away while it was at work." };
}

async function callJob(world: World, run: JobRun, signal: AbortSignal): Promise<JobEnd> {
  const { toolName, jobTypeId } = run.job.work;
  try {
    const offered = world.registry.get(toolName)?.jobs.find((job) => job.jobTypeId === jobTypeId);
    if (offered === undefined) return failed(`${toolName} offers no job ${jobTypeId}.`);
    const { uid, state, seconds } = run;
    const documents = world.documents();
    if (documents === null) return failed("The agent has no configuration.");
    const context = toolContext(world, {
      documents,
      tool: toolName,
      runId: uid,
      signal,
      state,
      seconds,
      deliveryId: uid,
    });
    return checkedEnd(await offered.run(context));
  } catch (error) {
    return failed(describeError(error));
  }
}

function checkedEnd(given: unknown): JobEnd {
  const result = jobResult.safeParse(given);
  if (!result.success) return failed("The job gave no valid result.");
  if (result.data.outcome === "no_action") return result.data;
  if (result.data.wakeMessage.trim() === "") return failed("The job gave no message to wake the agent with.");
  if (result.data.wakeMessage.length > WAKE_CHARS)
    return failed(`The job's message is longer than ${WAKE_CHARS} characters.`);
  return result.data;
}

function failed(reason: string): JobEnd {
  return { outcome: "failed", logSummary: reason };
}
