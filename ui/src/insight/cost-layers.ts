/** Cost over time, shared out among the agents that cost most. No I/O. */

/** More would not be told apart. */
const MOST_AGENTS = 5;

interface AgentCost {
  readonly agentId: string;
  readonly costUsd: number | null;
}

/** Those with the highest known cost, dearest first. */
export function dearestAgents(byAgent: readonly AgentCost[]): string[] {
  return byAgent
    .flatMap(({ agentId, costUsd }) => (costUsd !== null && costUsd > 0 ? [{ agentId, costUsd }] : []))
    .sort((x, y) => y.costUsd - x.costUsd)
    .slice(0, MOST_AGENTS)
    .map(({ agentId }) => agentId);
}

interface CostPoint {
  readonly at: string;
  readonly runs: number;
  readonly costUsd: number | null;
}

export type Series = readonly CostPoint[];

export interface CostLayer {
  /** Null: all the others. */
  readonly agentId: string | null;
  /** One for each step; null is unknown, a step without runs cost nothing. */
  readonly values: readonly (number | null)[];
}

/**
 * @param series of everybody
 * @param own of each agent that has a layer of its own
 */
export function costLayers(
  steps: readonly string[],
  series: Series,
  own: readonly { readonly agentId: string; readonly series: Series }[],
): readonly CostLayer[] {
  const total = valuesOf(steps, series);
  const layers = own.map((each) => ({ agentId: each.agentId, values: valuesOf(steps, each.series) }));
  const rest = total.map((value, index) =>
    value === null
      ? null
      : restOf(
          value,
          layers.map(({ values }) => values[index] ?? 0),
        ),
  );
  const isShared = rest.some((value) => value === null || value > 0);
  return layers.length > 0 && !isShared ? layers : [...layers, { agentId: null, values: rest }];
}

function valuesOf(steps: readonly string[], series: Series): readonly (number | null)[] {
  const points = new Map(series.map((point) => [point.at, point]));
  return steps.map((step) => {
    const point = points.get(step);
    return point === undefined || point.runs === 0 ? 0 : point.costUsd;
  });
}

const LEAST_USD = 1e-9;

/** Sums of fractions leave dust. */
function restOf(total: number, parts: readonly number[]): number {
  const rest = parts.reduce((left, part) => left - part, total);
  return rest < LEAST_USD ? 0 : rest;
}
