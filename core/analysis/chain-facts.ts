/** What a chain came to: its rows of the record as one row of figures. No I/O. */
import type { MessageChannel, RunStatus } from "../record/vocabulary.ts";
import { failedDepth } from "./handed-on.ts";
import { earliest, latest } from "./period.ts";
import { isTurn, longestExchange, type Turn } from "./ping-pong.ts";
import type { chainFacts } from "./schema.ts";

export type ChainFacts = Readonly<typeof chainFacts.$inferSelect>;

/** What is read of a receipt. */
export interface ChainRun {
  readonly rootRunId: string;
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly agentId: string;
  readonly trigger: string;
  readonly model: string;
  readonly status: RunStatus;
  readonly costMicros: number | null;
  readonly startedAt: string;
  readonly finishedAt: string;
}

export interface ChainMessage extends Turn {
  readonly rootRunId: string;
  readonly pairKey: string;
  readonly channel: MessageChannel;
  readonly direction: "request" | "response";
  /** The run of who wrote it. */
  readonly runId: string;
}

/** A run that was called off did not fail. */
export function isFailure(status: RunStatus): boolean {
  return status !== "completed" && status !== "cancelled";
}

export interface ChainRows {
  readonly runs: readonly ChainRun[];
  readonly messages: readonly ChainMessage[];
  /** It has more runs than were read. */
  readonly cut: boolean;
}

/**
 * Null for a chain without runs: nothing was instructed, or its receipts are gone. The runs that were not read
 * count as one of unknown price: what the chain cost is at least what is known.
 */
export function factsOf(rootRunId: string, { runs, messages, cut }: ChainRows): ChainFacts | null {
  const first = firstRun(rootRunId, runs);
  if (first === null) return null;
  const depths = depthsOf(runs);
  const depth = Math.max(...depths.values());
  const byDepth = Array.from({ length: depth }, (_, index) => {
    const level = runs.filter((run) => depths.get(run.runId) === index + 1);
    return [level.length, level.filter((run) => isFailure(run.status)).length] as const;
  });
  const turns = mostTurns(messages);
  return {
    rootRunId,
    agentId: first.agentId,
    trigger: first.trigger,
    model: first.model,
    startedAt: earliest(first.startedAt, ...runs.map((run) => run.startedAt)),
    endedAt: latest(first.finishedAt, ...runs.map((run) => run.finishedAt)),
    runs: runs.length,
    failedRuns: runs.filter((run) => isFailure(run.status)).length,
    stepLimitRuns: runs.filter((run) => run.status === "step_limit").length,
    depth,
    deepFailed: failedDepth(runs, messages),
    costMicros: runs.reduce((sum, run) => sum + (run.costMicros ?? 0), 0),
    unpriced: runs.filter((run) => run.costMicros === null).length + (cut ? 1 : 0),
    messages: messages.length,
    turns: turns.length,
    turnsPair: turns[0]?.pairKey ?? "",
    byDepth: JSON.stringify(byDepth),
    agents: JSON.stringify([...new Set([first.agentId, ...runs.map(({ agentId }) => agentId)])]),
  };
}

/** The root; while it goes on, or where a person is the root, the run that started first. */
function firstRun(rootRunId: string, runs: readonly ChainRun[]): ChainRun | null {
  const root = runs.find((run) => run.runId === rootRunId);
  return root ?? runs.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1))[0] ?? null;
}

function mostTurns(messages: readonly ChainMessage[]): readonly ChainMessage[] {
  const pairs = Map.groupBy(messages.filter(isTurn), (message) => message.pairKey);
  return [...pairs.values()]
    .map((turns) => longestExchange(turns))
    .reduce<readonly ChainMessage[]>((most, each) => (each.length > most.length ? each : most), []);
}

/** Counted along parents; a run whose parent is not here is at the top. */
function depthsOf(runs: readonly ChainRun[]): ReadonlyMap<string, number> {
  const parents = new Map(runs.map((run) => [run.runId, run.parentRunId]));
  const depths = new Map<string, number>();
  for (const { runId } of runs) {
    const way: string[] = [];
    let at: string | null = runId;
    while (at !== null && parents.has(at) && !depths.has(at) && !way.includes(at)) {
      way.push(at);
      at = parents.get(at) ?? null;
    }
    let depth = at === null ? 0 : (depths.get(at) ?? 0);
    for (const each of way.reverse()) depths.set(each, ++depth);
  }
  return depths;
}
