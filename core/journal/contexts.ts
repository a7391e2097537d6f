/** Which runs belong together for a client that knows Parley only from outside: the contexts of A2A. */
import { type Database, first, int, type SqlValue, text } from "./database.ts";

export interface ContextRun {
  /** Rises with each run. */
  readonly seq: number;
  readonly contextId: string;
  readonly runId: string;
}

/** Doing it twice changes nothing. */
export function putContext(db: Database, contextId: string, runId: string): void {
  db.run("INSERT OR IGNORE INTO Contexts (contextId, runId) VALUES (?, ?)", contextId, runId);
}

export function dropContext(db: Database, runId: string): void {
  db.run("DELETE FROM Contexts WHERE runId = ?", runId);
}

export function contextOf(db: Database, runId: string): string | null {
  const row = first(db, "SELECT contextId FROM Contexts WHERE runId = ?", runId);
  return row === null ? null : text(row, "contextId");
}

export interface ContextPage {
  /** Null for all contexts. */
  readonly contextId: string | null;
  /** Only runs with a smaller `seq`; null for the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** Newest first. */
export function contextRuns(db: Database, { contextId, before, limit }: ContextPage): ContextRun[] {
  const terms: string[] = [];
  const params: SqlValue[] = [];
  if (contextId !== null) {
    terms.push("contextId = ?");
    params.push(contextId);
  }
  if (before !== null) {
    terms.push("seq < ?");
    params.push(before);
  }
  const where = terms.length === 0 ? "" : `WHERE ${terms.join(" AND ")}`;
  return db
    .all(`SELECT seq, contextId, runId FROM Contexts ${where} ORDER BY seq DESC LIMIT ?`, ...params, limit)
    .map((row) => ({
      seq: int(row, "seq"),
      contextId: text(row, "contextId"),
      runId: text(row, "runId"),
    }));
}
