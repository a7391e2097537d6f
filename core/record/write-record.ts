/** Writes rows of the record to D1. Only the engine's outbox and the taskboard call it; no tool can. */
import { AUDIT_ARGUMENT_CHARS, MAX_ROW_TEXT_BYTES, ROW_EXCERPT_BYTES } from "../limits.ts";
import type { LogLine } from "../log.ts";
import {
  INSERT_APPROVAL,
  INSERT_AUDIT,
  INSERT_MESSAGE,
  INSERT_NOTICE,
  INSERT_RECEIPT,
  INSERT_TICK,
  type Insert,
} from "./insert-statement.ts";
import type {
  ApprovalRow,
  AuditRow,
  MessageRow,
  NoticeRow,
  ReceiptRow,
  RecordRows,
  TickRow,
} from "./rows.ts";
import { cutToBytes, cutToUnits, storableText, textKey, utf8Bytes } from "./stored-text.ts";
import { logStatements } from "./write-log.ts";

export interface RowsCounted {
  readonly rowsRead: number;
  readonly rowsWritten: number;
}

/**
 * Writes all rows in one D1 batch, or none. Safe to repeat: a Uid or RunId that is there already stays as
 * it is. A text too large for a row is put into R2 first, so a row never refers to a text that is not there.
 * The caller bounds the batch, see `splitRecord`. Rejects when D1 or R2 does.
 * @param rows with log lines that go along; these are not safe to repeat
 */
export async function writeRecord(
  db: D1Database,
  texts: R2Bucket,
  rows: RecordRows & { readonly lines?: readonly LogLine[] },
): Promise<RowsCounted> {
  const statements = await recordStatements(db, texts, rows);
  statements.push(...logStatements(db, rows.lines ?? []));
  if (statements.length === 0) return { rowsRead: 0, rowsWritten: 0 };
  const results = await db.batch(statements);
  return {
    rowsRead: results.reduce((sum, result) => sum + result.meta.rows_read, 0),
    rowsWritten: results.reduce((sum, result) => sum + result.meta.rows_written, 0),
  };
}

/**
 * The statements of `writeRecord`, for callers whose own statements must be in the same batch. Large texts
 * are in R2 once it resolves.
 */
export async function recordStatements(
  db: D1Database,
  texts: R2Bucket,
  rows: RecordRows,
): Promise<D1PreparedStatement[]> {
  const messages = await Promise.all(rows.messages.map((row) => storedMessage(texts, row)));
  return [
    ...inserts(db, INSERT_MESSAGE, messages),
    ...inserts(db, INSERT_AUDIT, rows.audit.map(storedAudit)),
    ...inserts(db, INSERT_NOTICE, rows.notices.map(storedNotice)),
    ...inserts(db, INSERT_RECEIPT, rows.receipts.map(storedReceipt)),
    ...inserts(db, INSERT_TICK, rows.ticks.map(storedTick)),
    ...inserts(db, INSERT_APPROVAL, rows.approvals.map(storedApproval)),
  ];
}

function inserts<Row>(db: D1Database, insert: Insert<Row>, rows: readonly Row[]): D1PreparedStatement[] {
  if (rows.length === 0) return [];
  const statement = db.prepare(insert.sql);
  return rows.map((row) => statement.bind(...insert.bind(row)));
}

type StoredMessage = MessageRow & { readonly contentRef: string | null };

async function storedMessage(texts: R2Bucket, row: MessageRow): Promise<StoredMessage> {
  const content = storableText(row.content);
  if (fitsRow(content)) return { ...row, content, contentRef: null };
  const contentRef = textKey(row.uid);
  await texts.put(contentRef, content);
  return { ...row, content: cutToBytes(content, ROW_EXCERPT_BYTES), contentRef };
}

function fitsRow(text: string): boolean {
  return text.length * 3 <= MAX_ROW_TEXT_BYTES || utf8Bytes(text) <= MAX_ROW_TEXT_BYTES;
}

const storedAudit = (row: AuditRow): AuditRow => ({
  ...row,
  arguments: cutToUnits(storableText(row.arguments), AUDIT_ARGUMENT_CHARS),
  error: sideText(row.error),
});

const storedNotice = (row: NoticeRow): NoticeRow => ({ ...row, text: sideText(row.text) ?? "" });

const storedTick = (row: TickRow): TickRow => ({ ...row, summary: sideText(row.summary) });

const storedApproval = (row: ApprovalRow): ApprovalRow => ({
  ...row,
  arguments: storableText(row.arguments),
  comment: sideText(row.comment) ?? "",
});

const storedReceipt = (row: ReceiptRow): ReceiptRow => ({
  ...row,
  reason: sideText(row.reason),
  error: sideText(row.error),
});

/** A row that D1 refuses for its size would hold up its outbox for ever, so texts beside the messages are cut. */
function sideText(text: string | null): string | null {
  return text === null ? null : cutToUnits(storableText(text), ROW_EXCERPT_BYTES);
}
