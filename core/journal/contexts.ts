/** Which runs belong together for a client that knows Parley only from outside: the contexts of A2A. */
import { type Database, first, int, type SqlValue, text } from "./database.ts";

/** Ids are the clients' own choice, so the same id of another client is another context. */
export interface OutsideContext {
  /** Whose it is, as a hash: nobody is named here. */
  readonly owner: string;
  readonly contextId: string;
}

export interface ContextRun {
  /** Rises with each run. */
  readonly seq: number;
  readonly contextId: string;
  readonly runId: string;
}

/** Doing it twice changes nothing. */
export function putContext(db: Database, { owner, contextId }: OutsideContext, runId: string): void {
  db.run(
    "INSERT OR IGNORE INTO Contexts (owner, contextId, runId) VALUES (?, ?, ?)",
    owner,
    contextId,
    runId,
  );
}

/** Null also when it is somebody else's. */
export function contextOf(db: Database, owner: string, runId: string): string | null {
  const row = first(db, "SELECT contextId FROM Contexts WHERE runId = ? AND owner = ?", runId, owner);
  return row === null ? null : text(row, "contextId");
}

export interface ContextPage {
  readonly owner: string;
  /** Null for all contexts of the owner. */
  readonly contextId: string | null;
  /** Only runs with a smaller `seq`; null for the newest. */
  readonly before: number | null;
  readonly limit: number;
}

/** Newest first. */
export function contextRuns(db: Database, { owner, contextId, before, limit }: ContextPage): ContextRun[] {
  const terms = ["owner = ?"];
  const params: SqlValue[] = [owner];
  if (contextId !== null) {
    terms.push("contextId = ?");
    params.push(contextId);
  }
  if (before !== null) {
    terms.push("seq < ?");
    params.push(before);
  }
  return db
    .all(
      `SELECT seq, contextId, runId FROM Contexts WHERE ${terms.join(" AND ")} ORDER BY seq DESC LIMIT ?`,
      ...params,
      limit,
    )
    .map((row) => ({
      seq: int(row, "seq"),
      contextId: text(row, "contextId"),
      runId: text(row, "runId"),
    }));
}
