/**
 * Old runs leave the journal: what they did stands in D1. A mark moves over the runs in order of arrival and
 * passes each one once, so forgetting costs the same however long the history is.
 */
import { type Database, int, intOrNull, type Row, text } from "./database.ts";
import { dropText } from "./long-text.ts";
import { countOutbox } from "./outbox.ts";
import { getSetting, setSetting } from "./settings.ts";

export interface Forgetting {
  /** Runs accepted before this (epoch milliseconds) may go. */
  readonly before: number;
  /** The current conversation: its turns stay. */
  readonly conversation: number;
  /** Runs to look at. */
  readonly limit: number;
}

export interface Forgotten {
  /** There may be more to do at once. */
  readonly more: boolean;
  /** When the oldest run was accepted that is still too young; null when there is none. */
  readonly oldest: number | null;
}

const MARK = "forgotten";

/** Drops a batch of runs that are over and of which everybody has been told. */
export function forgetRuns(db: Database, input: Forgetting): Forgotten {
  if (countOutbox(db) > 0) return { more: false, oldest: null };
  return db.transaction(() => {
    const passed = passRuns(db, input);
    const turns = pastTurns(db, input);
    drop(db, [...passed.runIds, ...turns]);
    const more = passed.looked === input.limit || turns.length === input.limit;
    return { more, oldest: passed.oldest };
  });
}

/** Moves the mark up to the first run that is too young or not done with. */
function passRuns(db: Database, { before, conversation, limit }: Forgetting) {
  const mark = getSetting<number>(db, MARK) ?? 0;
  const rows = db.all(
    `SELECT seq, runId, acceptedAt, conversation, turn, state = 'ended' AND settled = 1 AS done
     FROM Runs WHERE seq > ? ORDER BY seq LIMIT ?`,
    mark,
    limit,
  );
  const stop = rows.findIndex((row) => int(row, "done") === 0 || int(row, "acceptedAt") >= before);
  const passed = stop === -1 ? rows : rows.slice(0, stop);
  const last = passed.at(-1);
  if (last !== undefined) setSetting(db, MARK, int(last, "seq"));
  const stays = (row: Row) => intOrNull(row, "turn") !== null && int(row, "conversation") === conversation;
  const oldest = rows[passed.length];
  return {
    looked: passed.length,
    runIds: passed.filter((row) => !stays(row)).map((row) => text(row, "runId")),
    oldest: oldest === undefined ? null : int(oldest, "acceptedAt"),
  };
}

/** Turns that stayed when the mark passed them, and whose conversation is over by now. Sorted by their end, nearly by age. */
function pastTurns(db: Database, { before, conversation, limit }: Forgetting): string[] {
  const rows = db.all(
    `SELECT runId, acceptedAt, settled FROM Runs
     WHERE conversation < ? AND turn IS NOT NULL ORDER BY conversation, turn LIMIT ?`,
    conversation,
    limit,
  );
  const stop = rows.findIndex((row) => int(row, "settled") === 0 || int(row, "acceptedAt") >= before);
  return (stop === -1 ? rows : rows.slice(0, stop)).map((row) => text(row, "runId"));
}

function drop(db: Database, runIds: readonly string[]): void {
  for (const runId of runIds) {
    for (const kind of ["input", "reply"]) dropText(db, `@${kind}:${runId}`);
    // Keys of one run's steps and calls begin alike; `;` is the character after `:`.
    for (const kind of ["step", "call"])
      db.run("DELETE FROM LongTexts WHERE key > ? AND key < ?", `${kind}:${runId}:`, `${kind}:${runId};`);
    for (const table of ["Steps", "Calls", "Contexts"]) db.run(`DELETE FROM ${table} WHERE runId = ?`, runId);
    db.run("DELETE FROM Runs WHERE runId = ?", runId);
  }
  if (runIds.length > 0) dropSummaries(db, runIds);
}

/** Summaries of conversations that are over go with the run that wrote them. */
function dropSummaries(db: Database, runIds: readonly string[]): void {
  const json = JSON.stringify(runIds);
  const where = "WHERE runId IN (SELECT value FROM json_each(?))";
  for (const row of db.all(`SELECT text FROM Summaries ${where} AND text LIKE '@%'`, json))
    dropText(db, text(row, "text"));
  db.run(`DELETE FROM Summaries ${where}`, json);
}
