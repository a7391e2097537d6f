/** The row of the record for a mail from one agent to another. */
import { type MessageRow, type MessageStatus, pairKey } from "../record/rows.ts";
import type { ChainClaim } from "./chain-header.ts";

interface Arrived {
  /** Whose mail it is. */
  readonly agentId: string;
  /** Masked. */
  readonly content: string;
  readonly status: MessageStatus;
  readonly now: number;
}

/** Null for mail to oneself: it crosses no boundary. */
export function mailRow(claim: ChainClaim, { agentId, content, status, now }: Arrived): MessageRow | null {
  if (claim.agentId === agentId) return null;
  return {
    uid: `mail:${claim.id}:${agentId}`,
    pairKey: pairKey(claim.agentId, agentId),
    fromAgentId: claim.agentId,
    toAgentId: agentId,
    channel: "mail",
    direction: claim.reply ? "response" : "request",
    content,
    runId: claim.runId,
    parentRunId: claim.parentRunId,
    rootRunId: claim.rootRunId,
    taskId: null,
    status,
    occurredAt: new Date(now).toISOString(),
  };
}
