import type { Texts } from "./texts.mjs";

export interface ChainRun {
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly agentId: string;
  readonly trigger: string;
  readonly admittedAt: string;
  /** Null while the run is under way; the fields below are there once it is over. */
  readonly status: string | null;
  readonly model?: string;
  readonly startedAt?: string;
  readonly durationMs?: number;
  /** Null is unknown. */
  readonly costUsd?: number | null;
}

/** Lines: the headings, then a line for each run, children below their parents. */
export declare function chainTree(runs: readonly ChainRun[], texts: Texts): string[];

/** What people did in a chain, as lines of its tree. */
export declare function personActs(
  messages: readonly {
    readonly runId: string;
    readonly parentRunId: string | null;
    readonly occurredAt: string;
  }[],
): ChainRun[];
