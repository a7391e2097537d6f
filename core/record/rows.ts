/** Rows on their way into the record, as the engine makes them: scrubbed, with their texts whole. */
import type { agentMessages, approvals, auditLog, jobTicks, notices, runReceipts } from "./schema.ts";

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
/** What a tick of a schedule or tool job came to. */
export type TickRow = Readonly<Omit<typeof jobTicks.$inferSelect, "id">>;
/** A tool call that waits, or waited, for a person; written again when it is decided and when its outcome is known. */
export type ApprovalRow = Readonly<typeof approvals.$inferSelect>;
/** Something that a person was told. */
export type NoticeRow = Readonly<Omit<typeof notices.$inferSelect, "id" | NoticeDeliveryKey>>;

type NoticeDeliveryKey = "delivery" | "channel" | "deliveredAt" | "attempts" | "nextAttemptAt" | "lastError";

export interface RecordRows {
  readonly messages: readonly MessageRow[];
  readonly audit: readonly AuditRow[];
  readonly receipts: readonly ReceiptRow[];
  readonly notices: readonly NoticeRow[];
  readonly ticks: readonly TickRow[];
  readonly approvals: readonly ApprovalRow[];
}

export const NO_ROWS: RecordRows = {
  messages: [],
  audit: [],
  receipts: [],
  notices: [],
  ticks: [],
  approvals: [],
};

/** The key of a conversation between two agents, the same whoever speaks. Agent ids hold no `|`. */
export function pairKey(agentId: string, otherAgentId: string): string {
  return agentId <= otherAgentId ? `${agentId}|${otherAgentId}` : `${otherAgentId}|${agentId}`;
}
