/** Rows on their way to D1, in order (L3). They are written in the transaction of the step that caused them. */
import type { RecordRows } from "../record/rows.ts";
import { type Database, first, int, intOrNull, ownJson, text } from "./database.ts";
import { dropText, packText, unpackText } from "./long-text.ts";

export type OutboxKind = keyof RecordRows;

export type OutboxEntry = {
  [Kind in OutboxKind]: { readonly kind: Kind; readonly row: RecordRows[Kind][number] };
}[OutboxKind];

export type StoredEntry = OutboxEntry & { readonly seq: number };

export function putOutbox(db: Database, entry: OutboxEntry, uid: string): void {
  const body = packText(db, `outbox:${entry.kind}:${uid}`, JSON.stringify(entry));
  db.run("INSERT INTO Outbox (kind, body) VALUES (?, ?)", entry.kind, body);
}

const SELECT_PAGE = "SELECT seq, body FROM Outbox WHERE seq > ? ORDER BY seq LIMIT ?";

export interface OutboxPage {
  /** Only entries after this one; 0 for all. */
  readonly after: number;
  readonly limit: number;
  /** UTF-16 units of text after which no more entries are taken; the first one always is. */
  readonly maxUnits: number;
}

/** The oldest entries of the page. */
export function readOutbox(db: Database, page: OutboxPage): StoredEntry[] {
  const entries: StoredEntry[] = [];
  let units = 0;
  for (const row of db.all(SELECT_PAGE, page.after, page.limit)) {
    const body = unpackText(db, text(row, "body"));
    units += body.length;
    if (entries.length > 0 && units > page.maxUnits) break;
    entries.push({ ...ownJson<OutboxEntry>(body), seq: int(row, "seq") });
  }
  return entries;
}

/** Forgets everything up to and including `seq`: it is in D1. */
export function clearOutbox(db: Database, seq: number): void {
  for (const row of db.all("SELECT body FROM Outbox WHERE seq <= ? AND body LIKE '@%'", seq))
    dropText(db, text(row, "body"));
  db.run("DELETE FROM Outbox WHERE seq <= ?", seq);
}

export function countOutbox(db: Database): number {
  // Its numbers have no gaps, since rows leave it from the front only; counting would read all of them.
  const row = first(
    db,
    `SELECT (SELECT seq FROM Outbox ORDER BY seq DESC LIMIT 1) - (SELECT seq FROM Outbox ORDER BY seq LIMIT 1) + 1 AS n`,
  );
  return row === null ? 0 : (intOrNull(row, "n") ?? 0);
}
