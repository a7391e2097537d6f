/** A run of a chain as the view needs it, whether it is under way or over, and wherever the API has it from. */
import type { Chain } from "../api/types.ts";

export interface ChainRun {
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly agentId: string;
  readonly trigger: string;
  /** Null while the run is under way: what follows down to `reason` is known afterwards. */
  readonly status: string | null;
  readonly model: string | null;
  readonly reason: string | null;
  readonly error: string | null;
  /** ISO 8601: when it was accepted. */
  readonly begunAt: string;
  /** ISO 8601; null while it is under way. */
  readonly endedAt: string | null;
  /** Milliseconds at the gate, before it started; null where unknown. */
  readonly queuedMs: number | null;
  /** Milliseconds from its start to its end; null while it is under way. */
  readonly durationMs: number | null;
  /** US dollars; null is unknown, or not known yet. */
  readonly costUsd: number | null;
  readonly tokens: Tokens;
  readonly steps: number | null;
  readonly toolCalls: number | null;
}

/** Input includes the cached tokens, output the reasoning ones. */
export interface Tokens {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

export const NO_TOKENS: Tokens = { input: 0, cached: 0, output: 0, reasoning: 0 };

type Listed = Chain["runs"][number];

export function chainRun(run: Listed): ChainRun {
  const { runId, parentRunId, agentId, trigger } = run;
  return {
    runId,
    parentRunId,
    agentId,
    trigger,
    status: run.status ?? null,
    model: run.model ?? null,
    reason: run.reason ?? null,
    error: run.error ?? null,
    begunAt: begunAt(run),
    endedAt: run.finishedAt ?? null,
    queuedMs: run.queuedMs ?? null,
    durationMs: run.durationMs ?? null,
    costUsd: run.costUsd ?? null,
    tokens: {
      input: run.inputTokens ?? 0,
      cached: run.cachedInputTokens ?? 0,
      output: run.outputTokens ?? 0,
      reasoning: run.reasoningTokens ?? 0,
    },
    steps: run.steps ?? null,
    toolCalls: run.toolCalls ?? null,
  };
}

function begunAt(run: Listed): string {
  if (run.startedAt !== undefined) return earlier(run.startedAt, run.queuedMs ?? 0);
  return "admittedAt" in run ? run.admittedAt : "";
}

export function addTokens(one: Tokens, other: Tokens): Tokens {
  return {
    input: one.input + other.input,
    cached: one.cached + other.cached,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
  };
}

function earlier(iso: string, ms: number): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : new Date(time - ms).toISOString();
}
