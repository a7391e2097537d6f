/** Erasures under way, in the hub, by a hash of what is erased: the text itself is kept nowhere. Callers make the transactions. */
import { type Database, first, ownJson, text } from "../journal/database.ts";
import type { EraseState } from "./job.ts";

export function createErasureSchema(db: Database): void {
  db.run("CREATE TABLE IF NOT EXISTS Erasures (name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID");
}

export function readErasure(db: Database, name: string): EraseState | null {
  const row = first(db, "SELECT state FROM Erasures WHERE name = ?", name);
  return row === null ? null : ownJson<EraseState>(text(row, "state"));
}

/** Null: it is over. */
export function keepErasure(db: Database, name: string, state: EraseState | null): void {
  if (state === null) db.run("DELETE FROM Erasures WHERE name = ?", name);
  else db.run("INSERT OR REPLACE INTO Erasures (name, state) VALUES (?, ?)", name, JSON.stringify(state));
}
