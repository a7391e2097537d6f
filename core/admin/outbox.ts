/** Rows of the log of administration on their way from the hub to D1. Callers make the transactions. */
import { type Database, ownJson, text } from "../journal/database.ts";
import type { ActRow } from "./act.ts";

export function createActSchema(db: Database): void {
  db.run(
    "CREATE TABLE IF NOT EXISTS Acts (seq INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL UNIQUE, row TEXT NOT NULL)",
  );
}

/** The same act told twice is one. */
export function putAct(db: Database, act: ActRow): void {
  db.run("INSERT INTO Acts (uid, row) VALUES (?, ?) ON CONFLICT DO NOTHING", act.uid, JSON.stringify(act));
}

/** The oldest ones. */
export function waitingActs(db: Database, limit: number): ActRow[] {
  return db
    .all("SELECT row FROM Acts ORDER BY seq LIMIT ?", limit)
    .map((row) => ownJson<ActRow>(text(row, "row")));
}

/** They are in D1. */
export function dropActs(db: Database, acts: readonly ActRow[]): void {
  db.run(
    "DELETE FROM Acts WHERE uid IN (SELECT value FROM json_each(?))",
    JSON.stringify(acts.map(({ uid }) => uid)),
  );
}
