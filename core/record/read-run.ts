/** What the record holds of one run. */
import type { Reader } from "./reader.ts";
import type { ReceiptRow } from "./rows.ts";
import { AUDIT_COLUMNS, type AuditView, RECEIPT_COLUMNS, type ReceiptView, receiptView } from "./run-view.ts";

/** More calls or children than this a run does not show; its limits keep it far below. */
const MAX_ROWS = 1_000;

/** The run's receipt; null until it has ended and its rows have arrived. */
export async function getReceipt(reader: Reader, runId: string): Promise<ReceiptView | null> {
  const row = await reader.first<ReceiptRow>(
    `SELECT ${RECEIPT_COLUMNS} FROM "RunReceipts" r WHERE r."RunId" = ?`,
    runId,
  );
  return row === null ? null : receiptView(row);
}

/** Receipts of the runs that this one caused, in the order of their start. */
export async function childrenOf(reader: Reader, runId: string): Promise<ReceiptView[]> {
  const rows = await reader.all<ReceiptRow>(
    `SELECT ${RECEIPT_COLUMNS} FROM "RunReceipts" r WHERE r."ParentRunId" = ? ORDER BY r."StartedAt", r."RunId" LIMIT ${MAX_ROWS}`,
    runId,
  );
  return rows.map(receiptView);
}

/** The run's tool calls, oldest first. */
export function auditOf(reader: Reader, runId: string): Promise<AuditView[]> {
  return reader.all<AuditView>(
    `SELECT ${AUDIT_COLUMNS} FROM "AuditLog" a WHERE a."RunId" = ? ORDER BY a."Id" LIMIT ${MAX_ROWS}`,
    runId,
  );
}
