/** From rows to what the eye needs: days, runs of one sender, pauses. */
import type { Row } from "./row.ts";

const RUN_MS = 5 * 60_000;

export interface PlacedRow {
  readonly row: Row;
  /** Milliseconds since the row before on the same day, when that is a pause worth marking. */
  readonly pause: number | null;
  /** At the beginning and the end of a run of one sender. */
  readonly first: boolean;
  readonly last: boolean;
}

export interface Day {
  readonly key: string;
  readonly rows: readonly PlacedRow[];
}

/**
 * Rows by day, each knowing its place among its neighbours.
 * @param dayOf the day of an ISO time in the reader's zone
 */
export function groupRows(rows: readonly Row[], dayOf: (iso: string) => string): Day[] {
  const days: { key: string; rows: Row[] }[] = [];
  for (const row of rows) {
    const key = dayOf(row.occurredAt);
    const day = days.at(-1);
    if (day?.key === key) day.rows.push(row);
    else days.push({ key, rows: [row] });
  }
  return days.map((day) => ({
    key: day.key,
    rows: day.rows.map((row, index) => placed(day.rows, row, index)),
  }));
}

function placed(rows: readonly Row[], row: Row, index: number): PlacedRow {
  const before = rows[index - 1];
  const after = rows[index + 1];
  const gap = before === undefined ? 0 : gapBetween(before, row);
  return {
    row,
    pause: gap > RUN_MS ? gap : null,
    first: before === undefined || !isOneRun(before, row),
    last: after === undefined || !isOneRun(row, after),
  };
}

/** The same words to somebody else are a new run: the addressee is named at its beginning. */
function isOneRun(before: Row, after: Row): boolean {
  const same = before.fromAgentId === after.fromAgentId && before.toAgentId === after.toAgentId;
  return same && gapBetween(before, after) < RUN_MS;
}

function gapBetween(before: Row, after: Row): number {
  return Date.parse(after.occurredAt) - Date.parse(before.occurredAt);
}
