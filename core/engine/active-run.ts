/** A run that is not over, in memory: what its journal says, plus what lives only as long as this process. */
import type { Answered } from "../chain/budget.ts";
import type { RunEvent } from "../events.ts";
import type { CancelRequest, RunRecord } from "../journal/runs.ts";
import type { JournaledStep } from "../journal/steps.ts";
import type { SummaryCost } from "../journal/summaries.ts";
import type { ChatMessage } from "../model/types.ts";
import type { RunResult } from "./run-result.ts";

export interface Totals {
  readonly inputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly outputTokens: number | null;
  readonly reasoningTokens: number | null;
  /** Null as soon as one of its model calls has an unknown price. */
  readonly costMicros: number | null;
  /** The known part of the cost, for budgets. */
  readonly knownMicros: number;
  readonly priceSource: string | null;
}

export const NO_TOTALS: Totals = {
  inputTokens: null,
  cachedInputTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  costMicros: 0,
  knownMicros: 0,
  priceSource: null,
};

export interface ActiveRun {
  /** Changes only while it waits: its message may grow. */
  record: RunRecord;
  /** Where it leaves its turn: the one that was current when it started. */
  conversation: number;
  /** When it first executed, null while it waits in the queue. */
  startedAt: number | null;
  resumes: number;
  /** Its own messages: the input and each complete step. */
  messages: ChatMessage[];
  /** Characters in `messages`. */
  chars: number;
  steps: number;
  toolCalls: number;
  totals: Totals;
  /** The latest step while its calls are open; null between steps. */
  openStep: JournaledStep | null;
  /** Signatures of the calls of the latest steps, newest last, to stop a model that repeats itself. */
  readonly recentCalls: string[];
  /** Aborts whatever the run is waiting for. */
  readonly abort: AbortController;
  cancel: CancelRequest | null;
  /** The chain's object knows of it and must be told of its end. */
  chained: boolean;
  /** Runs that have answered it, of which the chain may not know yet what they cost. */
  answers: readonly Answered[];
  readonly listeners: Set<(event: RunEvent) => void>;
  readonly ended: Promise<RunResult>;
  readonly end: (result: RunResult) => void;
}

export function activeRun(record: RunRecord): ActiveRun {
  const { promise, resolve } = Promise.withResolvers<RunResult>();
  return {
    record,
    conversation: record.conversation,
    startedAt: record.startedAt,
    resumes: record.resumes,
    messages: [],
    chars: 0,
    steps: 0,
    toolCalls: 0,
    totals: NO_TOTALS,
    openStep: null,
    recentCalls: [],
    abort: new AbortController(),
    cancel: record.cancel,
    chained: record.chained,
    answers: [],
    listeners: new Set(),
    ended: promise,
    end: resolve,
  };
}

export function emit(run: ActiveRun, event: RunEvent): void {
  for (const listener of run.listeners) listener(event);
}

/** Adds one model call's usage. Unknown usage or price makes the cost unknown, never 0. */
export function addCost(totals: Totals, cost: SummaryCost): Totals {
  const { usage } = cost;
  return {
    inputTokens: plus(totals.inputTokens, usage?.inputTokens),
    cachedInputTokens: plus(totals.cachedInputTokens, usage?.cachedInputTokens),
    outputTokens: plus(totals.outputTokens, usage?.outputTokens),
    reasoningTokens: plus(totals.reasoningTokens, usage?.reasoningTokens),
    costMicros:
      totals.costMicros === null || cost.costMicros === null ? null : totals.costMicros + cost.costMicros,
    knownMicros: totals.knownMicros + (cost.costMicros ?? 0),
    priceSource: cost.priceSource ?? totals.priceSource,
  };
}

function plus(sum: number | null, more: number | undefined): number | null {
  return more === undefined ? sum : (sum ?? 0) + more;
}
