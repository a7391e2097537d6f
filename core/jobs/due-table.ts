/**
 * When each agent has something due, in the hub: what an idle minute reads. It may name an agent too early, never
 * too late: whoever changes an agent's documents marks it, and it stays marked until the agent, with these
 * documents in force, has said when it is due next.
 */
import type { Revisions } from "../agent/revisions.ts";
import { type Database, first, int, text } from "../journal/database.ts";

export interface DueAgent {
  readonly agentId: string;
  /** Hand it back with the answer: a mark that was set meanwhile stays. */
  readonly stamp: number;
}

export interface AgentArmed extends DueAgent {
  /** What it answered by. */
  readonly revisions: Revisions;
  /** Epoch milliseconds; null when nothing is ever due. */
  readonly nextAt: number | null;
}

export function createDueSchema(db: Database): void {
  db.run(`
    CREATE TABLE IF NOT EXISTS Due (
      agentId TEXT PRIMARY KEY, nextAt INTEGER, stamp INTEGER NOT NULL, revision INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS DueNext ON Due (nextAt) WHERE nextAt IS NOT NULL;
    CREATE TABLE IF NOT EXISTS Versions (version TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
  `);
  if (first(db, "SELECT 1 FROM pragma_table_info('Due') WHERE name = 'instance'") !== null) return;
  // `revision` is of the agent's own document; in a table without the other one it stood for either, so all are asked.
  db.run("ALTER TABLE Due ADD COLUMN instance INTEGER NOT NULL DEFAULT 0");
  db.run("UPDATE Due SET revision = 0, nextAt = 0, stamp = stamp + 1");
}

/** What has to be in force before an agent's answer counts: its own document, and the instance's. */
export type Marked = Pick<Revisions, "documents" | "instance">;

const MARK = `
  INSERT INTO Due (agentId, nextAt, stamp, revision, instance) VALUES (?, 0, 1, ?, ?)
  ON CONFLICT DO UPDATE SET nextAt = 0, stamp = stamp + 1,
    revision = max(revision, excluded.revision), instance = max(instance, excluded.instance)`;

/** To be asked at the next minute, with documents of these revisions or later in force. */
export function markDue(db: Database, agentIds: readonly string[], { documents, instance }: Marked): void {
  for (const agentId of agentIds) db.run(MARK, agentId, documents, instance);
}

/** Of the newest document of that agent; 0 where none is known. */
export function documentRevision(db: Database, agentId: string): number {
  const row = first(db, "SELECT revision FROM Due WHERE agentId = ?", agentId);
  return row === null ? 0 : int(row, "revision");
}

/** Those of agents that are no more. */
export function dropDue(db: Database, keep: readonly string[]): void {
  db.run("DELETE FROM Due WHERE agentId NOT IN (SELECT value FROM json_each(?))", JSON.stringify(keep));
}

/** The agents that have something due by then. */
export function readDue(db: Database, at: number): DueAgent[] {
  return db
    .all("SELECT agentId, stamp FROM Due WHERE nextAt <= ?", at)
    .map((row) => ({ agentId: text(row, "agentId"), stamp: int(row, "stamp") }));
}

export function armDue(db: Database, { agentId, stamp, revisions, nextAt }: AgentArmed): void {
  db.run(
    "UPDATE Due SET nextAt = ? WHERE agentId = ? AND stamp = ? AND revision <= ? AND instance <= ?",
    nextAt,
    agentId,
    stamp,
    revisions.documents,
    revisions.instance,
  );
}

const KEPT_VERSIONS = 20;

/** Whether that version of the Worker is seen for the first time; from now on it is not. */
export function isNewVersion(db: Database, version: string): boolean {
  if (first(db, "SELECT seq FROM Versions WHERE version = ?", version) !== null) return false;
  const last = first(db, "SELECT coalesce(max(seq), 0) AS last FROM Versions");
  const seq = (last === null ? 0 : int(last, "last")) + 1;
  db.run("INSERT INTO Versions (version, seq) VALUES (?, ?)", version, seq);
  db.run("DELETE FROM Versions WHERE seq <= ?", seq - KEPT_VERSIONS);
  return true;
}
