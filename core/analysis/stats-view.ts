/** The figures as the API shows them. Numbers and literal codes only: sentences are the viewer's business. */
import type { Trigger } from "../lineage.ts";
import type { MessageChannel } from "../record/vocabulary.ts";

/** UTC, whole hours: both ends as they were counted. Null is open. */
export interface CountedPeriod {
  readonly since: string | null;
  /** The first moment that is no longer part of it. */
  readonly before: string | null;
}

/** Message rows by what became of them. `troubleRate` is failed, timed-out and denied ones over all; null without messages. */
export interface MessageCounts {
  readonly messages: number;
  readonly delivered: number;
  readonly failed: number;
  readonly timeout: number;
  readonly denied: number;
  readonly troubleRate: number | null;
}

/** Of a histogram: exact count, `median` and `p95` within 5 per cent; null without values. */
export interface Spread {
  readonly count: number;
  readonly median: number | null;
  readonly p95: number | null;
}

/** One bar of a histogram: values from `from` up to `below`. */
export interface Bar {
  readonly from: number;
  readonly below: number;
  readonly count: number;
}

/** Every delegation is in exactly one of the classes from `result` on. */
export interface Delegations {
  readonly total: number;
  readonly result: number;
  readonly blocked: number;
  /** Blocked after its result had been rejected. */
  readonly rejected: number;
  readonly cancelled: number;
  /** Unfinished, and nothing has happened for `siltedAfterHours`. */
  readonly silted: number;
  /** Unfinished and under way. */
  readonly open: number;
  /** Refused when it was to be given away. */
  readonly denied: number;
  /** Imported ones of which nobody knows the end. */
  readonly unknown: number;
}

export interface DepthFigure {
  /** 1 is the root. */
  readonly depth: number;
  readonly runs: number;
  readonly failedRuns: number;
  readonly failureRate: number;
  /** Chains whose deepest run is here, and those of them in which a run failed. */
  readonly chains: number;
  readonly failedChains: number;
}

/** `costUsd` sums the runs with a known price; null when none has one, never 0 for unknown. */
export interface CostFigure {
  readonly runs: number;
  readonly failedRuns: number;
  readonly stepLimitRuns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
  readonly unpricedRuns: number;
  /** Of one run, dollars. */
  readonly runCostUsd: Spread;
  /** Chains that began here, and their cost from instruction to result in dollars. */
  readonly chains: number;
  readonly chainCostUsd: Spread;
}

export interface DearChain {
  readonly rootRunId: string;
  readonly agentId: string;
  readonly trigger: string;
  readonly model: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly runs: number;
  readonly depth: number;
  readonly costUsd: number;
  /** Over 0: it cost at least `costUsd`. */
  readonly unpricedRuns: number;
}

export interface PairFigure extends MessageCounts {
  /** Who wrote the messages, and to whom. */
  readonly from: string;
  readonly to: string;
  /** Requests that `from` sent, and answers that it gave. */
  readonly requests: number;
  readonly responses: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

export interface AgentFigure {
  readonly agentId: string;
  readonly asked: number;
  /** Questions to it, and answers that it delivered. */
  readonly wasAsked: number;
  readonly answered: number;
  readonly tasksGiven: number;
  readonly tasksTaken: number;
  readonly results: number;
  readonly answerMs: Spread;
  /** `only_asks`: it sends requests and nothing ever came from it that answers; `never_answers`: it is asked and has not answered once. */
  readonly habit: "only_asks" | "never_answers" | null;
}

export interface ChainsFigure {
  readonly chains: number;
  readonly failedChains: number;
  /** Chains with at least one run without a known price; left out of the spread. */
  readonly unpricedChains: number;
  /** Of the chains whose price is known. */
  readonly costUsd: Spread & { readonly sum: number | null; readonly max: number | null };
  readonly durationMs: Spread;
}

/** One step of the time axis. */
export interface SeriesPoint extends MessageCounts {
  /** `2026-10`, `2026-10-01` or `2026-10-01T13`, see `grain`. */
  readonly at: string;
  readonly runs: number;
  readonly failedRuns: number;
  readonly costUsd: number | null;
}

export interface Stats {
  readonly period: CountedPeriod;
  readonly filter: {
    readonly a: string | null;
    readonly b: string | null;
    readonly channel: MessageChannel | null;
  };
  /** Chains and questions that are on record and not yet in the figures of chains and in the findings; at most 1,000. */
  readonly pending: number;
  readonly messages: MessageCounts;
  readonly delegations: Delegations;
  readonly answerMs: Spread & { readonly bars: readonly Bar[] };
  readonly resultMs: Spread & { readonly bars: readonly Bar[] };
  readonly chains: ChainsFigure & { readonly bars: readonly Bar[] };
  readonly depths: readonly DepthFigure[];
  readonly dearest: readonly DearChain[];
  readonly byAgent: readonly (CostFigure & { readonly agentId: string })[];
  readonly byTrigger: readonly (CostFigure & { readonly trigger: Trigger })[];
  readonly byModel: readonly (CostFigure & { readonly model: string })[];
  readonly pairs: readonly PairFigure[];
  readonly channels: readonly (MessageCounts & { readonly channel: MessageChannel })[];
  /** 24 hours of the day, UTC. */
  readonly hours: readonly {
    readonly hour: number;
    readonly messages: number;
    readonly trouble: number;
    readonly troubleRate: number | null;
  }[];
  readonly agents: readonly AgentFigure[];
  readonly grain: "hour" | "day" | "month";
  readonly series: readonly SeriesPoint[];
}

/** The figures that come as a table of their own, with `?figure=` and `?format=csv`. */
export const TABLES = [
  "messages",
  "delegations",
  "depths",
  "dearest",
  "byAgent",
  "byTrigger",
  "byModel",
  "pairs",
  "channels",
  "hours",
  "agents",
  "series",
  "answerMs",
  "resultMs",
  "chains",
] as const;
export type TableName = (typeof TABLES)[number];
