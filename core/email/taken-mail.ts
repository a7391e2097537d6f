/** Mail that an agent has taken, in its object: each once, and so many of one source in an hour. Callers make the transactions. */
import { type Database, first, int, text } from "../journal/database.ts";

const HOUR_MS = 3_600_000;
/** Longer than any mail server tries. */
const KEEP_MS = 7 * 24 * HOUR_MS;
/** Old rows that go with each new one: more than come in, so that they do not pile up. */
const FORGOTTEN_AT_ONCE = 20;

export function createTakenMailSchema(db: Database): void {
  db.run(`
    CREATE TABLE IF NOT EXISTS MailTaken (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, mark TEXT NOT NULL UNIQUE, sender TEXT NOT NULL, domain TEXT NOT NULL,
      threadId TEXT NOT NULL, runId TEXT NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS MailTakenSender ON MailTaken (sender, at);
    CREATE INDEX IF NOT EXISTS MailTakenDomain ON MailTaken (domain, at);
    CREATE INDEX IF NOT EXISTS MailTakenThread ON MailTaken (threadId, at);
  `);
}

/** `reserved`: its run has an id and is not accepted yet; `refused`: its chain takes nothing more. */
export type TakenState = "reserved" | "taken" | "refused";

export interface TakenMail {
  readonly runId: string;
  readonly state: TakenState;
}

const STATES: readonly TakenState[] = ["reserved", "taken", "refused"];

export function takenMail(db: Database, mark: string): TakenMail | null {
  const row = first(db, "SELECT runId, state FROM MailTaken WHERE mark = ?", mark);
  if (row === null) return null;
  return { runId: text(row, "runId"), state: STATES.find((state) => state === row.state) ?? "taken" };
}

/** Where a mail comes from, as far as it is counted. */
export interface Source {
  readonly sender: string;
  /** The sender's, which is all that the receiving server vouches for. */
  readonly domain: string;
  readonly threadId: string;
}

export interface NewTaken extends Source {
  readonly mark: string;
  readonly runId: string;
  readonly state: TakenState;
  readonly now: number;
}

/** Writes it down, or its new state. */
export function rememberMail(db: Database, mail: NewTaken): void {
  db.run(
    "DELETE FROM MailTaken WHERE at < ? AND seq IN (SELECT seq FROM MailTaken ORDER BY seq LIMIT ?)",
    mail.now - KEEP_MS,
    FORGOTTEN_AT_ONCE,
  );
  db.run(
    `INSERT INTO MailTaken (mark, sender, domain, threadId, runId, state, at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (mark) DO UPDATE SET state = excluded.state`,
    mail.mark,
    mail.sender,
    mail.domain,
    mail.threadId,
    mail.runId,
    mail.state,
    mail.now,
  );
}

export interface TakenLately {
  readonly ofSender: number;
  readonly ofDomain: number;
  readonly inThread: number;
}

/** Mails of the last hour, by each of the three. */
export function takenLately(db: Database, source: Source, now: number): TakenLately {
  const count = (column: "sender" | "domain" | "threadId") => {
    const statement = `SELECT count(*) AS n FROM MailTaken WHERE ${column} = ? AND at > ?`;
    const row = first(db, statement, source[column], now - HOUR_MS);
    return row === null ? 0 : int(row, "n");
  };
  return { ofSender: count("sender"), ofDomain: count("domain"), inThread: count("threadId") };
}
