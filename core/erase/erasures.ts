/** Erasures under way, in the hub, by a hash of what is erased: the text itself is kept nowhere. Callers make the transactions. */
import { type Database, first, ownJson, text } from "../journal/database.ts";
import type { EraseState } from "./job.ts";

/** Names of files in the state of one that nobody goes on with may hold the text. */
const KEPT_MS = 86_400_000;

export function createErasureSchema(db: Database): void {
  db.run("CREATE TABLE IF NOT EXISTS Erasures (name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID");
}

export function readErasure(db: Database, name: string): EraseState | null {
  const row = first(db, "SELECT state FROM Erasures WHERE name = ?", name);
  return row === null ? null : ownJson<EraseState>(text(row, "state"));
}

/** Keeps how far it is, and answers what stands: another caller may have come further. */
export function keepErasure(db: Database, name: string, state: EraseState): EraseState {
  const kept = readErasure(db, name);
  if (kept !== null && isFurther(kept, state)) return kept;
  db.run("INSERT OR REPLACE INTO Erasures (name, state) VALUES (?, ?)", name, JSON.stringify(state));
  return state;
}

function isFurther(kept: EraseState, state: EraseState): boolean {
  if (kept.begunAt !== state.begunAt) return kept.begunAt > state.begunAt;
  return kept.steps >= state.steps;
}

/** It is over. */
export function dropErasure(db: Database, name: string): void {
  db.run("DELETE FROM Erasures WHERE name = ?", name);
}

/** Those that nobody has gone on with for a day. `now` in epoch milliseconds. */
export function dropAbandoned(db: Database, now: number): void {
  db.run("DELETE FROM Erasures WHERE coalesce(json_extract(state, '$.lastAt'), 0) < ?", now - KEPT_MS);
}
