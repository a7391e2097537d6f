import { cutPosition } from "../journal/long-text.ts";
import type { RunRecord } from "../journal/runs.ts";
import type { CallKey, CallResult, JournaledCall } from "../journal/steps.ts";
import { AUDIT_ARGUMENT_CHARS } from "../limits.ts";
import type { ToolCall } from "../model/types.ts";
import type { AuditRow } from "../record/rows.ts";

const TOOL_NAME_CHARS = 64;
const ERROR_CHARS = 2_000;

export interface AuditInput {
  readonly agentId: string;
  readonly key: CallKey;
  readonly call: ToolCall;
  readonly journaled: JournaledCall;
  readonly result: CallResult;
  readonly now: number;
}

/** One tool call's audit entry. Everything in it was scrubbed before, so cutting is safe. */
export function auditRow(run: { readonly record: RunRecord }, input: AuditInput): AuditRow {
  const { lineage } = run.record;
  const startedAt = input.journaled.startedAt ?? input.now;
  return {
    uid: callUid(input.key),
    runId: lineage.runId,
    parentRunId: lineage.parentRunId,
    rootRunId: lineage.rootRunId,
    agentId: input.agentId,
    tool: cut(input.call.name, TOOL_NAME_CHARS),
    arguments: cut(input.call.arguments, AUDIT_ARGUMENT_CHARS),
    outcome: input.result.outcome,
    error: input.result.error === null ? null : cut(input.result.error, ERROR_CHARS),
    durationMs: Math.max(0, input.now - startedAt),
    occurredAt: new Date(startedAt).toISOString(),
  };
}

/** Names a call for good: whatever it causes is done once under this name. */
export function callUid(key: CallKey): string {
  return `${key.runId}:${key.step}:${key.position}`;
}

function cut(text: string, chars: number): string {
  return text.slice(0, cutPosition(text, chars));
}
