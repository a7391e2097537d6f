/** What a chain may use up (L10). No I/O, no clock, no `this`. */
import type { SettledRun } from "../engine/world.ts";
import type { Member } from "./members.ts";

export interface ChainLimits {
  readonly runs: number;
  readonly depth: number;
  readonly tokens: number;
  readonly costUsd: number;
}

/** Tokens are input plus output; cost in micro-dollars counts only what has a known price. */
export interface Spent {
  readonly tokens: number;
  readonly costMicros: number;
}

/** What a run has spent, and what the runs that have answered it since it last told of its spending. */
export interface Spending extends Spent {
  readonly answers?: readonly Answered[];
  /** Of an answering run whose asker kept the books: what they said when it was asked. */
  readonly asker?: RunSpent;
}

/** An ended run. Its own object may tell of its end later, or leave that to the run that it has answered. */
export interface Answered extends Spent {
  readonly runId: string;
  /** What the chain may not know yet. */
  readonly member?: Member;
  readonly closed?: SettledRun;
}

export interface RunSpent extends Spending {
  readonly runId: string;
  /** What the chain may not know yet; absent for a person's act, which is no run. */
  readonly member?: Member;
}

export interface ChainSpent extends Spent {
  readonly runs: number;
}

export const NOTHING_SPENT: ChainSpent = { runs: 0, tokens: 0, costMicros: 0 };

export type BudgetCode = "runs" | "depth" | "tokens" | "cost" | "day";
export type RefusalCode = BudgetCode | "frozen" | "cancelled";

export type Admission =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: RefusalCode; readonly reason: string };

export function refusal(code: RefusalCode, reason: string): Extract<Admission, { ok: false }> {
  return { ok: false, code, reason };
}

/** Whether one more run at this depth fits. */
export function checkNewRun(limits: ChainLimits, spent: ChainSpent, depth: number): Admission {
  if (depth > limits.depth) return refusal("depth", `the chain may be ${limits.depth} runs deep`);
  if (spent.runs >= limits.runs) return refusal("runs", `the chain may have ${limits.runs} runs`);
  return { ok: true };
}

/** Whether the chain may make one more model call. */
export function checkSpent(limits: ChainLimits, spent: ChainSpent, depth: number): Admission {
  if (depth > limits.depth) return refusal("depth", `the chain may be ${limits.depth} runs deep`);
  if (spent.runs > limits.runs) return refusal("runs", `the chain may have ${limits.runs} runs`);
  if (spent.tokens >= limits.tokens) return refusal("tokens", `the chain may use ${limits.tokens} tokens`);
  if (spent.costMicros >= limits.costUsd * 1e6)
    return refusal("cost", `the chain may cost ${limits.costUsd} US dollars`);
  return { ok: true };
}

/** What was spent since a person last released the chain: each release grants the limits anew. */
export function sinceRelease(spent: ChainSpent, released: ChainSpent): ChainSpent {
  return {
    runs: spent.runs - released.runs,
    tokens: spent.tokens - released.tokens,
    costMicros: spent.costMicros - released.costMicros,
  };
}
