/** Rows on their way into the record, as the engine makes them: scrubbed, with their texts whole. */
import type { agentMessages, auditLog, notices, runReceipts } from "./schema.ts";

export type {
  AuditOutcome,
  MessageStatus,
  RunStatus,
} from "./vocabulary.ts";

/** One text that crosses an agent boundary in one direction. `occurredAt` is ISO 8601 UTC with milliseconds. */
export type MessageRow = Readonly<Omit<typeof agentMessages.$inferSelect, "id" | "contentRef">>;
/** One tool call. */
export type AuditRow = Readonly<Omit<typeof auditLog.$inferSelect, "id">>;
/** The one closing record of a run. */
export type ReceiptRow = Readonly<typeof runReceipts.$inferSelect>;
/** Something that a person was told. */
export type NoticeRow = Readonly<Omit<typeof notices.$inferSelect, "id">>;

export interface RecordRows {
  readonly messages: readonly MessageRow[];
  readonly audit: readonly AuditRow[];
  readonly receipts: readonly ReceiptRow[];
  readonly notices: readonly NoticeRow[];
}

export const NO_ROWS: RecordRows = { messages: [], audit: [], receipts: [], notices: [] };

/** The key of a conversation between two agents, the same whoever speaks. Agent ids hold no `|`. */
export function pairKey(agentId: string, otherAgentId: string): string {
  return agentId <= otherAgentId ? `${agentId}|${otherAgentId}` : `${otherAgentId}|${agentId}`;
}
