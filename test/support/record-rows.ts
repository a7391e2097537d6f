/** Rows of the record whose defaults are valid. */
import {
  type ApprovalRow,
  type AuditRow,
  type MessageRow,
  NO_ROWS,
  type NoticeRow,
  pairKey,
  type ReceiptRow,
  type TickRow,
} from "../../core/record/rows.ts";

export const START = Date.parse("2026-10-01T08:00:00.000Z");

/** The time `ms` milliseconds after the start. */
export const at = (ms: number): string => new Date(START + ms).toISOString();

export function messageRow(uid: string, over: Partial<MessageRow> = {}): MessageRow {
  const fromAgentId = over.fromAgentId ?? "analyst";
  const toAgentId = over.toAgentId ?? "writer";
  return {
    uid,
    fromAgentId,
    toAgentId,
    pairKey: pairKey(fromAgentId, toAgentId),
    channel: "ask",
    direction: "request",
    content: `text of ${uid}`,
    runId: "run-1",
    parentRunId: null,
    rootRunId: "run-1",
    taskId: null,
    status: "delivered",
    occurredAt: at(0),
    ...over,
  };
}

export function auditRow(uid: string, over: Partial<AuditRow> = {}): AuditRow {
  return {
    uid,
    runId: "run-1",
    parentRunId: null,
    rootRunId: "run-1",
    agentId: "analyst",
    tool: "FileRW",
    arguments: `{"action":"read","path":"${uid}.txt"}`,
    outcome: "ok",
    error: null,
    durationMs: 12,
    occurredAt: at(0),
    ...over,
  };
}

export function receiptRow(runId: string, over: Partial<ReceiptRow> = {}): ReceiptRow {
  return {
    runId,
    parentRunId: null,
    rootRunId: runId,
    agentId: "analyst",
    trigger: "chat",
    model: "scripted",
    status: "completed",
    reason: null,
    steps: 2,
    toolCalls: 1,
    inputTokens: 100,
    cachedInputTokens: 40,
    outputTokens: 20,
    reasoningTokens: 0,
    costMicros: 1_500,
    priceSource: "config",
    queuedMs: 3,
    durationMs: 1_000,
    startedAt: at(0),
    finishedAt: at(1_000),
    resumes: 0,
    error: null,
    ...over,
  };
}

export function noticeRow(uid: string, over: Partial<NoticeRow> = {}): NoticeRow {
  return {
    uid,
    kind: "chain_frozen",
    text: `notice ${uid}`,
    rootRunId: null,
    agentId: null,
    occurredAt: at(0),
    ...over,
  };
}

export const messagesOnly = (messages: readonly MessageRow[]) => ({ ...NO_ROWS, messages });

export function approvalRow(uid: string, over: Partial<ApprovalRow> = {}): ApprovalRow {
  return {
    uid,
    agentId: "anna",
    runId: "run-1",
    rootRunId: "root-1",
    taskId: null,
    tool: "FileRW",
    arguments: '{"action":"delete","path":"a.txt"}',
    truncated: 0,
    decision: null,
    comment: "",
    outcome: null,
    requestedAt: at(0),
    expiresAt: at(0),
    decidedAt: null,
    ...over,
  };
}

export function tickRow(uid: string, over: Partial<TickRow> = {}): TickRow {
  return {
    uid,
    agentId: "analyst",
    jobId: "look",
    kind: "toolJob",
    cause: "time",
    outcome: "no_action",
    summary: null,
    runId: null,
    ticks: 1,
    scheduledAt: at(0),
    startedAt: at(0),
    finishedAt: at(0),
    durationMs: 0,
    ...over,
  };
}
