/** Runs of which the tracing backend is still to be told, in the order of their ends. Rows leave from the front only. */
import { type Database, first, int, intOrNull, text } from "../journal/database.ts";

export function createTelemetrySchema(db: Database): void {
  db.run(`
    CREATE TABLE IF NOT EXISTS Telemetry (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, runId TEXT NOT NULL, endedAt INTEGER NOT NULL
    );
  `);
}

/** Inside the transaction that ends the run. */
export function putUntold(db: Database, runId: string, now: number): void {
  db.run("INSERT INTO Telemetry (runId, endedAt) VALUES (?, ?)", runId, now);
}

export interface UntoldRun {
  readonly seq: number;
  readonly runId: string;
}

/** The oldest. */
export function untoldRuns(db: Database, limit: number): UntoldRun[] {
  return db
    .all("SELECT seq, runId FROM Telemetry ORDER BY seq LIMIT ?", limit)
    .map((row) => ({ seq: int(row, "seq"), runId: text(row, "runId") }));
}

export function hasUntold(db: Database): boolean {
  return first(db, "SELECT 1 FROM Telemetry LIMIT 1") !== null;
}

/** Forgets everything up to and including `seq`. */
export function clearUntold(db: Database, seq: number): void {
  db.run("DELETE FROM Telemetry WHERE seq <= ?", seq);
}

/** Gives up on those that ended before an instant, and on the oldest above so many. Answers how many they were. */
export function dropUntold(db: Database, bounds: { readonly before: number; readonly keep: number }): number {
  const ends = first(db, "SELECT min(seq) AS oldest, max(seq) AS newest FROM Telemetry");
  const oldest = ends === null ? null : intOrNull(ends, "oldest");
  const newest = ends === null ? null : intOrNull(ends, "newest");
  if (oldest === null || newest === null) return 0;
  const young = first(db, "SELECT seq FROM Telemetry WHERE endedAt >= ? ORDER BY seq LIMIT 1", bounds.before);
  const keepFrom = Math.max(young === null ? newest + 1 : int(young, "seq"), newest - bounds.keep + 1);
  if (keepFrom <= oldest) return 0;
  clearUntold(db, keepFrom - 1);
  return keepFrom - oldest;
}
