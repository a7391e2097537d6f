/** What runs and chains cost, by agent, trigger and model; what is unknown stays unknown. */
import { selectList } from "../record/columns.ts";
import type { Reader } from "../record/reader.ts";
import { costInUsd } from "../record/run-view.ts";
import type { ChainFacts } from "./chain-facts.ts";
import { type ChainSums, joinSums } from "./chain-sums.ts";
import { addCounters, spreadOf } from "./histogram.ts";
import type { ChainGroup, RunSums } from "./read-rollups.ts";
import { chainFacts } from "./schema.ts";
import type { CostFigure, DearChain, Stats } from "./stats-view.ts";

const MICROS = 1e-6;

export function costFigures(
  runs: readonly RunSums[],
  chains: readonly ChainGroup[],
): Pick<Stats, "byAgent" | "byTrigger" | "byModel"> {
  return {
    byAgent: figuresBy(runs, chains, ({ agentId }) => agentId).map(([agentId, figure]) => ({
      agentId,
      ...figure,
    })),
    byTrigger: figuresBy(runs, chains, ({ trigger }) => trigger).map(([trigger, figure]) => ({
      trigger,
      ...figure,
    })),
    byModel: figuresBy(runs, chains, ({ model }) => model).map(([model, figure]) => ({ model, ...figure })),
  };
}

type Named = Pick<RunSums, "agentId" | "trigger" | "model">;

/** The dearest first. */
function figuresBy<Name extends string>(
  runs: readonly RunSums[],
  chains: readonly ChainGroup[],
  nameOf: (named: Named) => Name,
): [Name, CostFigure][] {
  const begun = Map.groupBy(chains, nameOf);
  return [...Map.groupBy(runs, nameOf)]
    .map(([name, group]): [Name, CostFigure] => [
      name,
      costFigure(group, joinSums((begun.get(name) ?? []).map(({ sums }) => sums))),
    ])
    .sort(([, a], [, b]) => (b.costUsd ?? 0) - (a.costUsd ?? 0) || b.runs - a.runs);
}

function costFigure(runs: readonly RunSums[], chains: ChainSums): CostFigure {
  const sum = (value: (sums: RunSums) => number) => runs.reduce((total, each) => total + value(each), 0);
  const [all, unpriced] = [sum((each) => each.runs), sum((each) => each.unpriced)];
  return {
    runs: all,
    failedRuns: sum((each) => each.failed + each.timeout + each.stepLimit + each.budget),
    stepLimitRuns: sum((each) => each.stepLimit),
    inputTokens: sum((each) => each.inputTokens),
    outputTokens: sum((each) => each.outputTokens),
    costUsd: all === unpriced ? null : costInUsd(sum((each) => each.costMicros)),
    unpricedRuns: unpriced,
    runCostUsd: spreadOf(addCounters(runs.map(({ costs }) => costs)), MICROS),
    chains: chains.chains,
    chainCostUsd: spreadOf(chains.costs, MICROS),
  };
}

const DEAREST = 10;

/** Rejects when D1 does. */
export async function dearChains(reader: Reader, dear: ChainSums["dear"]): Promise<DearChain[]> {
  const roots = dear.slice(0, DEAREST).map(([, rootRunId]) => rootRunId);
  const rows = await reader.all<ChainFacts>(
    `SELECT ${selectList(chainFacts, "f")} FROM "ChainFacts" f WHERE f."RootRunId" IN (SELECT "value" FROM json_each(?)) ORDER BY f."CostMicros" DESC, f."RootRunId"`,
    JSON.stringify(roots),
  );
  return rows.map((facts) => ({
    rootRunId: facts.rootRunId,
    agentId: facts.agentId,
    trigger: facts.trigger,
    model: facts.model,
    startedAt: facts.startedAt,
    durationMs: Date.parse(facts.endedAt) - Date.parse(facts.startedAt),
    runs: facts.runs,
    depth: facts.depth,
    costUsd: costInUsd(facts.costMicros) ?? 0,
    unpricedRuns: facts.unpriced,
  }));
}
