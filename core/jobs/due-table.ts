/**
 * When each agent has something due, in the hub: what an idle minute reads. It may name an agent too early, never
 * too late: whoever changes an agent's documents marks it, and it stays marked until the agent, with these
 * documents in force, has said when it is due next.
 */
import { type Database, first, int, text } from "../journal/database.ts";

export interface DueAgent {
  readonly agentId: string;
  /** Hand it back with the answer: a mark that was set meanwhile stays. */
  readonly stamp: number;
}

export interface AgentArmed extends DueAgent {
  /** The revision of the documents that it answered by. */
  readonly revision: number;
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
}

const MARK = `
  INSERT INTO Due (agentId, nextAt, stamp, revision) VALUES (?, 0, 1, ?)
  ON CONFLICT DO UPDATE SET nextAt = 0, stamp = stamp + 1, revision = max(revision, excluded.revision)`;

/** To be asked at the next minute, with documents of that revision or later in force. */
export function markDue(db: Database, agentIds: readonly string[], revision: number): void {
  for (const agentId of agentIds) db.run(MARK, agentId, revision);
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

export function armDue(db: Database, { agentId, stamp, revision, nextAt }: AgentArmed): void {
  db.run(
    "UPDATE Due SET nextAt = ? WHERE agentId = ? AND stamp = ? AND revision <= ?",
    nextAt,
    agentId,
    stamp,
    revision,
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
