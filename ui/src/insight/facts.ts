/** The numbers that stand first, out of all figures. No I/O. */
import type { Stats } from "../api/types.ts";

export interface Share {
  readonly part: number;
  readonly whole: number;
}

/** `usd` is null where nothing is known; `atLeast`: runs without a known price come on top. */
export interface Cost {
  readonly usd: number | null;
  readonly atLeast: boolean;
}

export interface Facts {
  /** Delegations that reached a result. */
  readonly results: Share;
  /** Of all asks, refused ones and those under way among them, those that got an answer. */
  readonly answers: Share;
  readonly cost: Cost;
  readonly silted: number;
  /** Messages that came to nothing. */
  readonly trouble: Share;
}

export function factsOf(stats: Stats): Facts {
  const { delegations, messages } = stats;
  return {
    results: { part: delegations.result, whole: delegations.total },
    answers: {
      part: sumOf(stats.agents, ({ answered }) => answered),
      whole: sumOf(stats.agents, ({ wasAsked }) => wasAsked),
    },
    cost: costOf(stats.byAgent),
    silted: delegations.silted,
    trouble: { part: messages.failed + messages.timeout + messages.denied, whole: messages.messages },
  };
}

/** Known costs add up; where none is known the sum is unknown, not nothing. */
export function costOf(
  figures: readonly { readonly costUsd: number | null; readonly unpricedRuns: number }[],
): Cost {
  const known = figures.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
  return {
    usd: known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0),
    atLeast: known.length > 0 && figures.some(({ unpricedRuns }) => unpricedRuns > 0),
  };
}

/** Whether there is anything at all to show figures of. */
export function isEmpty(stats: Stats): boolean {
  return stats.series.length === 0 && stats.delegations.total === 0 && stats.chains.chains === 0;
}

function sumOf<T>(all: readonly T[], value: (each: T) => number): number {
  return all.reduce((sum, each) => sum + value(each), 0);
}

/** Whether an agent neither asked nor was asked, gave nor took anything. */
export function isSilent({
  asked,
  wasAsked,
  tasksGiven,
  tasksTaken,
  results,
}: Stats["agents"][number]): boolean {
  return asked + wasAsked + tasksGiven + tasksTaken + results === 0;
}
