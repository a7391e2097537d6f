/** The one closing record of a run. */
import type { ReceiptRow, RunStatus } from "../record/rows.ts";
import { cutToUnits } from "../record/stored-text.ts";
import type { ActiveRun } from "./active-run.ts";

const ERROR_CHARS = 2_000;

export interface Ending {
  readonly status: RunStatus;
  /** Why, as a code, where it is not simply completed. */
  readonly reason: string | null;
  /** The sentence for people, scrubbed; null when nothing went wrong. */
  readonly error: string | null;
  readonly reply: string;
}

export interface ReceiptInput {
  readonly agentId: string;
  readonly model: string;
  readonly now: number;
}

export function buildReceipt(run: ActiveRun, ending: Ending, input: ReceiptInput): ReceiptRow {
  const { record, totals } = run;
  const { lineage } = record;
  const startedAt = run.startedAt ?? input.now;
  return {
    runId: lineage.runId,
    parentRunId: lineage.parentRunId,
    rootRunId: lineage.rootRunId,
    agentId: input.agentId,
    trigger: record.trigger,
    model: input.model,
    status: ending.status,
    reason: ending.reason,
    steps: run.steps,
    toolCalls: run.toolCalls,
    inputTokens: totals.inputTokens,
    cachedInputTokens: totals.cachedInputTokens,
    outputTokens: totals.outputTokens,
    reasoningTokens: totals.reasoningTokens,
    costMicros: totals.costMicros,
    priceSource: totals.priceSource,
    queuedMs: Math.max(0, startedAt - record.acceptedAt),
    durationMs: Math.max(0, input.now - startedAt),
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(input.now).toISOString(),
    resumes: run.resumes,
    error: ending.error === null ? null : cutToUnits(ending.error, ERROR_CHARS),
  };
}
