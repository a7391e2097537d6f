/** Acts that are told once an hour, however often they are done: who reads in pages, or again and again, fills no log. */
import type { Database } from "../journal/database.ts";
import type { ActRow } from "./act.ts";

const HOUR_MS = 3_600_000;

export function createOnceSchema(db: Database): void {
  db.run("CREATE TABLE IF NOT EXISTS ActsOfHour (act TEXT PRIMARY KEY, hour INTEGER NOT NULL) WITHOUT ROWID");
}

/**
 * Whether nobody has done the same to the same in this hour; from now on somebody has. By a list of its own and not by
 * the log, where a restored row could stand for the act. `now` in epoch milliseconds. Callers make the transactions.
 */
export function isFirstOfHour(db: Database, { actor, action, target }: ActRow, now: number): boolean {
  const hour = Math.floor(now / HOUR_MS);
  db.run("DELETE FROM ActsOfHour WHERE hour < ?", hour);
  const act = JSON.stringify([action, target, actor]);
  const { length } = db.all(
    "INSERT INTO ActsOfHour (act, hour) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING hour",
    act,
    hour,
  );
  return length > 0;
}
