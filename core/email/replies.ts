/** Answers of one agent on their way, in its object. Callers make the transactions. */
import {
  type Database,
  first,
  int,
  intOrNull,
  ownJson,
  type Row,
  text,
  textOrNull,
} from "../journal/database.ts";

const KEEP_MS = 30 * 86_400_000;
/** Old rows that go with each new one: more than come in, so that they do not pile up. */
const FORGOTTEN_AT_ONCE = 20;

export function createRepliesSchema(db: Database): void {
  db.run(`
    CREATE TABLE IF NOT EXISTS MailReplies (
      runId TEXT PRIMARY KEY, threadId TEXT NOT NULL, letter TEXT NOT NULL, state TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0, nextAt INTEGER, messageId TEXT, reason TEXT, at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS MailRepliesPlanned ON MailReplies (nextAt) WHERE nextAt IS NOT NULL;
    CREATE INDEX IF NOT EXISTS MailRepliesUnplanned ON MailReplies (state)
      WHERE state IN ('waiting', 'sending') AND nextAt IS NULL;
    CREATE INDEX IF NOT EXISTS MailRepliesOver ON MailReplies (at) WHERE state NOT IN ('waiting', 'sending');
    CREATE INDEX IF NOT EXISTS MailRepliesThread ON MailReplies (threadId, at);
  `);
}

/** What an answer needs to know of the mail that it answers. */
export interface Letter {
  /** The agent's address that it was sent to, without a mark. */
  readonly address: string;
  readonly to: string;
  readonly subject: string;
  /** Null when the mail has no usable Message-ID. */
  readonly inReplyTo: string | null;
  /** Oldest first. */
  readonly references: readonly string[];
}

/**
 * `waiting`: for the run's end, or for an attempt; `sending`: an attempt was begun; `unknown`: it may have been
 * sent, nobody can say, so it is not sent again; `none`: there is nothing to say, or nobody to say it to.
 */
export type ReplyState = "waiting" | "sending" | "sent" | "failed" | "unknown" | "none";

export interface Reply {
  readonly runId: string;
  readonly threadId: string;
  readonly letter: Letter;
  readonly state: ReplyState;
  readonly attempts: number;
  /** Of the next attempt, epoch milliseconds; null before the run's end and after the last one. */
  readonly nextAt: number | null;
  /** The id under which it went out. */
  readonly messageId: string | null;
  readonly reason: string | null;
  readonly at: number;
}

export function insertReply(
  db: Database,
  reply: Pick<Reply, "runId" | "threadId" | "letter"> & { readonly now: number },
): void {
  db.run(
    `DELETE FROM MailReplies WHERE runId IN (
       SELECT runId FROM MailReplies WHERE state NOT IN ('waiting', 'sending') AND at < ? ORDER BY at LIMIT ?
     )`,
    reply.now - KEEP_MS,
    FORGOTTEN_AT_ONCE,
  );
  db.run(
    "INSERT OR IGNORE INTO MailReplies (runId, threadId, letter, state, at) VALUES (?, ?, ?, 'waiting', ?)",
    reply.runId,
    reply.threadId,
    JSON.stringify(reply.letter),
    reply.now,
  );
}

export function readReply(db: Database, runId: string): Reply | null {
  const row = first(db, "SELECT * FROM MailReplies WHERE runId = ?", runId);
  return row === null ? null : replyOf(row);
}

/** The runs of answers that no attempt is planned for: their runs are under way, or were cut short. */
export function unplannedReplies(db: Database): string[] {
  return runIdsOf(
    db.all("SELECT runId FROM MailReplies WHERE state IN ('waiting', 'sending') AND nextAt IS NULL"),
  );
}

/** The runs of answers whose time has come, those first that have waited longest. */
export function dueReplies(db: Database, now: number, most: number): string[] {
  return runIdsOf(
    db.all("SELECT runId FROM MailReplies WHERE nextAt <= ? ORDER BY nextAt LIMIT ?", now, most),
  );
}

/** Epoch milliseconds of the next attempt; null when none is planned. */
export function nextReplyAt(db: Database): number | null {
  const row = first(db, "SELECT min(nextAt) AS at FROM MailReplies WHERE nextAt IS NOT NULL");
  return row === null ? null : intOrNull(row, "at");
}

/** Plans an attempt of one that is open and has none planned. */
export function planReply(db: Database, runId: string, at: number): void {
  db.run(
    "UPDATE MailReplies SET nextAt = ? WHERE runId = ? AND nextAt IS NULL AND state IN ('waiting', 'sending')",
    at,
    runId,
  );
}

/** Before the attempt is made, so that a restart knows that it may have been. */
export function markSending(db: Database, runId: string): void {
  db.run(
    "UPDATE MailReplies SET state = 'sending', attempts = attempts + 1, nextAt = NULL WHERE runId = ?",
    runId,
  );
}

export interface Settled {
  readonly state: ReplyState;
  readonly nextAt?: number;
  readonly messageId?: string;
  readonly reason?: string;
}

export function settleReply(db: Database, runId: string, settled: Settled): void {
  db.run(
    "UPDATE MailReplies SET state = ?, nextAt = ?, messageId = ?, reason = ? WHERE runId = ?",
    settled.state,
    settled.nextAt ?? null,
    settled.messageId ?? null,
    settled.reason ?? null,
    runId,
  );
}

/** The ids under which answers in that thread went out, oldest first, at most twenty. */
export function sentIds(db: Database, threadId: string): string[] {
  return db
    .all(
      `SELECT messageId FROM MailReplies WHERE threadId = ? AND messageId IS NOT NULL ORDER BY at DESC LIMIT 20`,
      threadId,
    )
    .map((row) => text(row, "messageId"))
    .reverse();
}

const REPLY_STATES: readonly ReplyState[] = ["waiting", "sending", "sent", "failed", "unknown", "none"];

function runIdsOf(rows: readonly Row[]): string[] {
  return rows.map((row) => text(row, "runId"));
}

function replyOf(row: Row): Reply {
  return {
    runId: text(row, "runId"),
    threadId: text(row, "threadId"),
    letter: ownJson<Letter>(text(row, "letter")),
    state: REPLY_STATES.find((state) => state === row.state) ?? "failed",
    attempts: int(row, "attempts"),
    nextAt: intOrNull(row, "nextAt"),
    messageId: textOrNull(row, "messageId"),
    reason: textOrNull(row, "reason"),
    at: int(row, "at"),
  };
}
