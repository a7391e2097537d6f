/**
 * What the hub has decided and an agent's object does not work by yet: written with the change, gone once the object
 * has said that it does. So a change that was cut short is carried on by whoever comes next. Callers make the transactions.
 */
import type { Revisions } from "../agent/revisions.ts";
import { type Database, first, int, intOrNull, text, textOrNull } from "../journal/database.ts";

export interface OwnDocument {
  readonly revision: number;
  /** JSON; null takes the agent out of service. */
  readonly json: string | null;
  /** Who made the change; null where that is not known. */
  readonly actor: string | null;
}

export interface Owed {
  readonly agentId: string;
  /** Null when it has its own document. */
  readonly own: OwnDocument | null;
  /** The revision of the list of agents and the instance's document that it has to know; null when it does. */
  readonly shared: number | null;
}

export interface HandedOver {
  readonly agentId: string;
  /** By which the object works now. */
  readonly revisions: Revisions;
}

export function createHandOverSchema(db: Database): void {
  db.run(`
    CREATE TABLE IF NOT EXISTS HandOver (
      agentId TEXT PRIMARY KEY, documents INTEGER, json TEXT, actor TEXT, shared INTEGER
    )
  `);
}

const OWE_DOCUMENT = `
  INSERT INTO HandOver (agentId, documents, json, actor) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET documents = excluded.documents, json = excluded.json, actor = excluded.actor, shared = NULL`;

/** What all agents know alike goes with a document, and need not be owed besides. */
export function oweDocument(db: Database, agentId: string, { revision, json, actor }: OwnDocument): void {
  db.run(OWE_DOCUMENT, agentId, revision, json, actor);
}

const OWE_SHARED = `
  INSERT INTO HandOver (agentId, shared) VALUES (?, ?) ON CONFLICT DO UPDATE SET shared = excluded.shared`;

export function oweShared(db: Database, agentIds: readonly string[], revision: number): void {
  for (const agentId of agentIds) db.run(OWE_SHARED, agentId, revision);
}

export function owesAnything(db: Database): boolean {
  return first(db, "SELECT 1 FROM HandOver LIMIT 1") !== null;
}

/** To whom, sorted. */
export function owedAgentIds(db: Database): string[] {
  return db.all("SELECT agentId FROM HandOver ORDER BY agentId").map((row) => text(row, "agentId"));
}

/** Together, the largest documents of so many agents fit into one answer. */
const PAGE = 10;

/** By agent, after that one; empty at the end. */
export function readOwed(db: Database, after: string): Owed[] {
  return db
    .all("SELECT * FROM HandOver WHERE agentId > ? ORDER BY agentId LIMIT ?", after, PAGE)
    .map((row) => ({
      agentId: text(row, "agentId"),
      own:
        intOrNull(row, "documents") === null
          ? null
          : {
              revision: int(row, "documents"),
              json: textOrNull(row, "json"),
              actor: textOrNull(row, "actor"),
            },
      shared: intOrNull(row, "shared"),
    }));
}

/** What the object has by now is owed no more; true when that was all. */
export function settleOwed(db: Database, { agentId, revisions }: HandedOver): boolean {
  const { documents, directory, instance } = revisions;
  db.run(
    "UPDATE HandOver SET documents = NULL, json = NULL, actor = NULL WHERE agentId = ? AND documents <= ?",
    agentId,
    documents,
  );
  db.run(
    "UPDATE HandOver SET shared = NULL WHERE agentId = ? AND shared <= ?",
    agentId,
    Math.min(directory, instance),
  );
  db.run("DELETE FROM HandOver WHERE agentId = ? AND documents IS NULL AND shared IS NULL", agentId);
  return first(db, "SELECT 1 FROM HandOver WHERE agentId = ?", agentId) === null;
}
