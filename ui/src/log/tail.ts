/** The live tail's bookkeeping. */
import type { LogLine } from "../api/types.ts";

/** Lines are written a moment after they were said, and not in order. */
const OVERLAP_MS = 15_000;
/** After so many lines a live tail begins anew with the newest page, so that it does not grow for days. */
export const TAIL_LINES = 1_000;

/** From when on new lines are to be asked for: some are asked for twice. @param now epoch milliseconds */
export function tailFrom(lines: readonly LogLine[], now: number): string {
  const newest = Date.parse(lines[0]?.occurredAt ?? "");
  return new Date((Number.isNaN(newest) ? now : Math.min(newest, now)) - OVERLAP_MS).toISOString();
}

/** Both, newest first, each line once. */
export function mergeLines(shown: readonly LogLine[], fresh: readonly LogLine[]): readonly LogLine[] {
  const known = new Set(shown.map(({ id }) => id));
  const added = fresh.filter(({ id }) => !known.has(id));
  if (added.length === 0) return shown;
  return [...added, ...shown].sort((a, b) => b.id - a.id);
}
