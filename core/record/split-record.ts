/** Cuts rows into batches of bounded size. */
import { NO_ROWS, type RecordRows } from "./rows.ts";
import { utf8Bytes } from "./stored-text.ts";

type CellRow = Readonly<Record<string, string | number | null>>;

/**
 * Batches of at most `maxRows` rows and `maxBytes` bytes of UTF-8, in the order messages, audit, notices,
 * ticks, approvals, receipts: whoever sees a run's receipt finds the rest of it. A single row over `maxBytes` is a batch of its own.
 */
export function splitRecord(rows: RecordRows, maxRows: number, maxBytes: number): RecordRows[] {
  const batches: RecordRows[] = [];
  let batch: RecordRows[] = [];
  let bytes = 0;
  for (const { row, part } of parts(rows)) {
    const size = rowBytes(row);
    if (batch.length > 0 && (batch.length >= maxRows || bytes + size > maxBytes)) {
      batches.push(joinRows(batch));
      batch = [];
      bytes = 0;
    }
    batch.push(part);
    bytes += size;
  }
  return batch.length === 0 ? batches : [...batches, joinRows(batch)];
}

/** The sum of a row's columns: numbers take eight bytes. */
export function rowBytes(row: CellRow): number {
  return Object.values(row).reduce<number>(
    (sum, cell) => sum + (typeof cell === "string" ? utf8Bytes(cell) : cell === null ? 0 : 8),
    0,
  );
}

/** All rows of all parts, in their order. */
export function joinRows(parts: readonly RecordRows[]): RecordRows {
  return {
    messages: parts.flatMap((part) => part.messages),
    audit: parts.flatMap((part) => part.audit),
    receipts: parts.flatMap((part) => part.receipts),
    ticks: parts.flatMap((part) => part.ticks),
    approvals: parts.flatMap((part) => part.approvals),
    notices: parts.flatMap((part) => part.notices),
  };
}

function* parts(rows: RecordRows): Generator<{ row: CellRow; part: RecordRows }> {
  for (const row of rows.messages) yield { row, part: { ...NO_ROWS, messages: [row] } };
  for (const row of rows.audit) yield { row, part: { ...NO_ROWS, audit: [row] } };
  for (const row of rows.notices) yield { row, part: { ...NO_ROWS, notices: [row] } };
  for (const row of rows.ticks) yield { row, part: { ...NO_ROWS, ticks: [row] } };
  for (const row of rows.approvals) yield { row, part: { ...NO_ROWS, approvals: [row] } };
  for (const row of rows.receipts) yield { row, part: { ...NO_ROWS, receipts: [row] } };
}
