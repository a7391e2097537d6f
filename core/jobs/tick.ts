/** Names and rows of ticks. */
import type { World } from "../engine/world.ts";
import { JOB_SUMMARY_CHARS } from "../limits.ts";
import { iso } from "../record/instant.ts";
import { cutToUnits } from "../record/stored-text.ts";
import type { TickCause, TickOutcome } from "../record/vocabulary.ts";
import type { Missed } from "./plan.ts";
import type { Tick } from "./view.ts";

/** A tick's name holds whose it is and when it was due, so that the same tick never has two (L7). */
export function tickUid(agentId: string, jobId: string, mark: string): string {
  return `${agentId}:${jobId}:${mark}`;
}

interface TickInput {
  readonly uid: string;
  readonly cause: TickCause;
  readonly outcome: TickOutcome;
  readonly summary: string | null;
  readonly runId: string | null;
  readonly scheduledAt: number;
  readonly startedAt: number;
}

/** A tick that is over now. What it says is scrubbed, then cut. */
export function closedTick(world: Pick<World, "now" | "scrubber">, input: TickInput): Tick {
  const { uid, cause, outcome, summary, runId, scheduledAt, startedAt } = input;
  const now = world.now();
  return {
    uid,
    cause,
    outcome,
    summary: summary === null ? null : cutToUnits(world.scrubber.scrub(summary), JOB_SUMMARY_CHARS),
    runId,
    ticks: 1,
    scheduledAt: iso(scheduledAt),
    startedAt: iso(startedAt),
    finishedAt: iso(now),
    durationMs: Math.max(0, now - startedAt),
  };
}

/** One record for all that were missed. */
export function missedTick(uid: string, missed: Missed, rest: { now: number; why: string }): Tick {
  const { first, last, count, more } = missed;
  const period = first === last ? iso(first) : `${iso(first)} to ${iso(last)}`;
  return {
    uid,
    cause: "time",
    outcome: "missed",
    summary: `${more ? "More than " : ""}${count} ${count === 1 ? "tick" : "ticks"} (${period}): ${rest.why}`,
    runId: null,
    ticks: count,
    scheduledAt: iso(last),
    startedAt: iso(rest.now),
    finishedAt: iso(rest.now),
    durationMs: 0,
  };
}
