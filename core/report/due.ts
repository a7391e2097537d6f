/** Whether a report is due: data to data, no clock. All times are epoch milliseconds. */
import type { Timing } from "../jobs/cron.ts";
import { dueTicks } from "../jobs/plan.ts";
import { instantOf, wallTime } from "../jobs/zone.ts";
import type { ReportMark } from "./mark.ts";

export type ReportStep =
  | { readonly kind: "rest" }
  /** Ticks count from now on: there was no report, or it had another timing. */
  | { readonly kind: "keep"; readonly mark: ReportMark | null }
  /** The latest tick; those that were missed before it are caught up with it (L7). */
  | { readonly kind: "write"; readonly tick: number; readonly timing: string };

/** `timing` is null when the instance has no report. */
export function reportStep(timing: Timing | null, mark: ReportMark | null, now: number): ReportStep {
  if (timing === null) return mark === null ? { kind: "rest" } : { kind: "keep", mark: null };
  const key = timingKey(timing);
  if (mark?.timing !== key)
    return {
      kind: "keep",
      mark: { timing: key, doneUpTo: Math.max(now, mark?.doneUpTo ?? 0), last: mark?.last ?? null },
    };
  const due = dueTicks(timing, mark.doneUpTo, now);
  return due === null ? { kind: "rest" } : { kind: "write", tick: due.latest, timing: key };
}

function timingKey({ cron, timeZone }: Timing): string {
  return JSON.stringify([cron, timeZone]);
}

export interface Stretch {
  readonly start: number;
  /** The first moment that is no longer part of it. */
  readonly end: number;
}

export interface ReportPeriods {
  readonly now: Stretch;
  readonly before: Stretch;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * So many days up to the tick, and as many before them. Days of the time zone, so that one with 23 or 25 hours
 * leaves nothing out and counts nothing twice; in whole hours, as figures are counted.
 */
export function reportPeriods(tick: number, days: number, timeZone: string): ReportPeriods {
  const wall = wallTime(tick, timeZone);
  const [end, start, first] = [0, days, 2 * days].map((back) => {
    const at = back === 0 ? tick : instantOf(wall - back * DAY_MS, timeZone);
    return Math.floor(at / HOUR_MS) * HOUR_MS;
  });
  const middle = start ?? tick;
  return { now: { start: middle, end: end ?? tick }, before: { start: first ?? tick, end: middle } };
}
