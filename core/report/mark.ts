/** How far reports have come, as one row in the hub: it comes along with what the minute asks for anyway. */
import { type Database, first, int, intOrNull, text } from "../journal/database.ts";

/** All times in epoch milliseconds. */
export interface ReportMark {
  /** The timing that it holds for, see `timingKey`. */
  readonly timing: string;
  /** Ticks up to here are dealt with. */
  readonly doneUpTo: number;
  /** The latest report that was written, and when; null before the first. */
  readonly last: { readonly tick: number; readonly writtenAt: number } | null;
}

export function createReportSchema(db: Database): void {
  db.run(`
    CREATE TABLE IF NOT EXISTS ReportMark (
      id INTEGER PRIMARY KEY CHECK (id = 1), timing TEXT NOT NULL, doneUpTo INTEGER NOT NULL,
      lastTick INTEGER, writtenAt INTEGER
    )
  `);
}

export function readReportMark(db: Database): ReportMark | null {
  const row = first(db, "SELECT timing, doneUpTo, lastTick, writtenAt FROM ReportMark");
  if (row === null) return null;
  const [tick, writtenAt] = [intOrNull(row, "lastTick"), intOrNull(row, "writtenAt")];
  return {
    timing: text(row, "timing"),
    doneUpTo: int(row, "doneUpTo"),
    last: tick === null || writtenAt === null ? null : { tick, writtenAt },
  };
}

const KEEP = `
  INSERT INTO ReportMark (id, timing, doneUpTo, lastTick, writtenAt) VALUES (1, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET timing = excluded.timing, doneUpTo = excluded.doneUpTo,
    lastTick = excluded.lastTick, writtenAt = excluded.writtenAt
  WHERE excluded.doneUpTo >= doneUpTo`;

/** A mark never goes back: of two minutes at once the later one counts. Null: there is no report any more. */
export function keepReportMark(db: Database, mark: ReportMark | null): void {
  if (mark === null) db.run("DELETE FROM ReportMark");
  else db.run(KEEP, mark.timing, mark.doneUpTo, mark.last?.tick ?? null, mark.last?.writtenAt ?? null);
}
