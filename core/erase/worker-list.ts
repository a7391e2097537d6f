/**
 * The fresh workers of an agent, in the agent's own object: rows of the board that name them go with time, what
 * they hold stays in their objects. Callers make the transactions.
 */
import { type Database, text } from "../journal/database.ts";

export function createWorkerList(db: Database): void {
  db.run("CREATE TABLE IF NOT EXISTS Workers (worker TEXT PRIMARY KEY) WITHOUT ROWID");
}

/** `workers`: names of objects, `<agent>@<task>`. */
export function noteWorkers(db: Database, workers: readonly string[]): void {
  for (const worker of workers) db.run("INSERT OR IGNORE INTO Workers (worker) VALUES (?)", worker);
}

/** In order, those after that one. */
export function listWorkers(db: Database, after: string, limit: number): string[] {
  return db
    .all("SELECT worker FROM Workers WHERE worker > ? ORDER BY worker LIMIT ?", after, limit)
    .map((row) => text(row, "worker"));
}
