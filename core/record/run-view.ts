/** Receipts and audit entries as the API shows them. */
import { selectList } from "./columns.ts";
import type { AuditRow, ReceiptRow } from "./rows.ts";
import { auditLog, runReceipts } from "./schema.ts";

export type AuditView = AuditRow & { readonly id: number };

/** A receipt with its cost in US dollars; null is unknown. */
export type ReceiptView = Omit<ReceiptRow, "costMicros"> & { readonly costUsd: number | null };

export const AUDIT_COLUMNS = selectList(auditLog, "a");
export const RECEIPT_COLUMNS = selectList(runReceipts, "r");

const MICROS_PER_USD = 1_000_000;

export function costInUsd(micros: number | null): number | null {
  return micros === null ? null : micros / MICROS_PER_USD;
}

export function receiptView(receipt: ReceiptRow): ReceiptView {
  const { costMicros, ...rest } = receipt;
  return { ...rest, costUsd: costInUsd(costMicros) };
}

/** The receipt of which this is the view. */
export function receiptRow({ costUsd, ...rest }: ReceiptView): ReceiptRow {
  return { ...rest, costMicros: costUsd === null ? null : Math.round(costUsd * MICROS_PER_USD) };
}
