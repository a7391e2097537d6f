/** Until when the minute leaves the record as it is: while it is backed up or restored. */
import { type Database, first, int } from "../journal/database.ts";

export function createStillnessSchema(db: Database): void {
  db.run(
    "CREATE TABLE IF NOT EXISTS Stillness (id INTEGER PRIMARY KEY CHECK (id = 1), until INTEGER NOT NULL)",
  );
}

/** `until` in epoch milliseconds; of several the latest call counts. */
export function keepStill(db: Database, until: number): void {
  db.run("INSERT OR REPLACE INTO Stillness (id, until) VALUES (1, ?)", until);
}

/** `now` in epoch milliseconds. */
export function isStill(db: Database, now: number): boolean {
  const row = first(db, "SELECT until FROM Stillness");
  return row !== null && int(row, "until") > now;
}
