/**
 * Span names and attributes of the OpenTelemetry GenAI conventions, and our own under `parley.`. All values are
 * scalars, which is what custom spans of the Workers runtime take.
 */
import type { RunRecord } from "../journal/runs.ts";
import type { ModelAnswer, Usage } from "../model/types.ts";
import type { AuditOutcome, ReceiptRow } from "../record/rows.ts";
import type { Attributes } from "./span.ts";

export interface NamedAgent {
  readonly agentId: string;
  readonly name: string;
  /** Of the model, as in the config; null when it is not known any more. */
  readonly provider: string | null;
}

export function runSpanName({ agentId }: Pick<NamedAgent, "agentId">): string {
  return `invoke_agent ${agentId}`;
}

export function chatSpanName(model: string): string {
  return `chat ${model}`;
}

export function toolSpanName(functionName: string): string {
  return `execute_tool ${functionName}`;
}

/** Known as a run begins. */
export function runAttributes(
  record: Pick<RunRecord, "runId" | "lineage" | "trigger" | "lane" | "taskId">,
  agent: NamedAgent,
): Attributes {
  const { lineage } = record;
  return {
    ...agentAttributes("invoke_agent", agent),
    "parley.run_id": record.runId,
    "parley.root_run_id": lineage.rootRunId,
    "parley.parent_run_id": lineage.parentRunId,
    "parley.depth": lineage.depth,
    "parley.trigger": record.trigger,
    "parley.lane": record.lane,
    "parley.task_id": record.taskId,
  };
}

/** Known once a run is over. */
export function receiptAttributes(receipt: ReceiptRow): Attributes {
  return {
    "gen_ai.request.model": receipt.model,
    ...endAttributes(receipt),
    "parley.steps": receipt.steps,
    "parley.tool_calls": receipt.toolCalls,
    "parley.resumes": receipt.resumes,
    "parley.queued_ms": receipt.queuedMs,
    // Under a name of its own: whoever sums up the spans of a trace counts each model call once.
    "parley.run_cost_micros": receipt.costMicros,
  };
}

export function endAttributes({ status, reason }: Pick<ReceiptRow, "status" | "reason">): Attributes {
  return {
    "parley.status": status,
    "parley.reason": reason,
    ...(status === "completed" ? {} : { "error.type": reason ?? status }),
  };
}

export function chatAttributes(agent: NamedAgent, model: string): Attributes {
  return { ...agentAttributes("chat", agent), "gen_ai.request.model": model };
}

/** Of an answer whose price is not known yet. Scalars only: the one reason stands alone, not in a list. */
export function answerAttributes({ usage, finish }: Pick<ModelAnswer, "usage" | "finish">): Attributes {
  return { ...tokenAttributes(usage), "gen_ai.response.finish_reasons": finish };
}

export interface Answered {
  readonly usage: Usage | null;
  readonly costMicros: number | null;
  readonly priceSource: string | null;
}

/** What an answer has used and cost. */
export function usageAttributes({ usage, costMicros, priceSource }: Answered): Attributes {
  return {
    ...tokenAttributes(usage),
    "parley.cost_micros": costMicros,
    "parley.price_source": priceSource,
  };
}

/** Input tokens include the cached ones, as the conventions have it. */
function tokenAttributes(usage: Usage | null): Attributes {
  return {
    "gen_ai.usage.input_tokens": usage?.inputTokens,
    "gen_ai.usage.output_tokens": usage?.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage?.cachedInputTokens,
    "gen_ai.usage.reasoning.output_tokens": usage?.reasoningTokens,
  };
}

export function toolAttributes(
  agent: NamedAgent,
  call: { readonly name: string; readonly callId: string },
): Attributes {
  return {
    ...agentAttributes("execute_tool", agent),
    "gen_ai.tool.name": call.name,
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": call.callId,
  };
}

/** A call that waits for a person has not failed. */
export function outcomeAttributes(outcome: AuditOutcome): Attributes {
  return {
    "parley.outcome": outcome,
    ...(isFailure(outcome) ? { "error.type": outcome } : {}),
  };
}

export function isFailure(outcome: AuditOutcome): boolean {
  return outcome !== "ok" && outcome !== "approval";
}

type Operation = "invoke_agent" | "chat" | "execute_tool";

function agentAttributes(operation: Operation, { agentId, name, provider }: NamedAgent): Attributes {
  return {
    "gen_ai.operation.name": operation,
    "gen_ai.agent.id": agentId,
    "gen_ai.agent.name": name,
    ...(operation === "execute_tool" ? {} : { "gen_ai.provider.name": provider }),
  };
}
