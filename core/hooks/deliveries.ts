/** Deliveries of webhooks that an agent has taken, so that each starts one run. Times are epoch milliseconds. */
import { type Database, first, text } from "../journal/database.ts";

const KEEP_MS = 24 * 3_600_000;
/** Marks that are kept at most, the newest. */
const KEPT_MARKS = 20_000;
/** Old marks that go with each new one: more than come in, so that they do not pile up. */
const FORGOTTEN_AT_ONCE = 20;

export function createHookSchema(db: Database): void {
  db.run(`
    CREATE TABLE IF NOT EXISTS HookDeliveries (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      hook TEXT NOT NULL, mark TEXT NOT NULL, runId TEXT NOT NULL, at INTEGER NOT NULL,
      UNIQUE (hook, mark)
    );
  `);
}

export interface Marks {
  readonly hook: string;
  readonly marks: readonly string[];
}

/** The run that a delivery with one of these marks started; null for a new one. */
export function deliveredRun(db: Database, { hook, marks }: Marks, now: number): string | null {
  for (const mark of marks) {
    const row = first(
      db,
      "SELECT runId FROM HookDeliveries WHERE hook = ? AND mark = ? AND at >= ?",
      hook,
      mark,
      now - KEEP_MS,
    );
    if (row !== null) return text(row, "runId");
  }
  return null;
}

/** Remembers all marks; those that are known stay with their run as long as they hold. */
export function rememberDelivery(db: Database, { hook, marks }: Marks, by: { runId: string; now: number }) {
  db.run(
    `DELETE FROM HookDeliveries WHERE at < ? AND seq IN (SELECT seq FROM HookDeliveries ORDER BY seq LIMIT ?)`,
    by.now - KEEP_MS,
    FORGOTTEN_AT_ONCE,
  );
  for (const mark of marks)
    db.run(
      `INSERT INTO HookDeliveries (hook, mark, runId, at) VALUES (?, ?, ?, ?)
       ON CONFLICT (hook, mark) DO UPDATE SET runId = excluded.runId, at = excluded.at WHERE at < ?`,
      hook,
      mark,
      by.runId,
      by.now,
      by.now - KEEP_MS,
    );
  db.run("DELETE FROM HookDeliveries WHERE seq <= (SELECT max(seq) FROM HookDeliveries) - ?", KEPT_MARKS);
}
