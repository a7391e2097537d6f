/** Cost over time of those who cost most: each agent's own series is asked for once the whole is there. */
import { type Answer, api, call } from "../api/client.ts";
import type { Stats } from "../api/types.ts";
import { useLoad } from "../api/use-load.ts";
import { type CostLayer, costLayers, dearestAgents, type Series } from "./cost-layers.ts";
import type { StatsQuery } from "./filters.ts";

interface OwnSeries {
  readonly agentId: string;
  readonly series: Series;
}

/** Until they are there, or when they cannot be had, everybody's cost is one layer. */
export function useCostLayers(
  stats: Stats,
  query: StatsQuery,
  steps: readonly string[],
): readonly CostLayer[] {
  const agents = dearestAgents(stats.byAgent);
  // One agent's cost is the whole already.
  const isShared = stats.byAgent.length > 1;
  const { loaded } = useLoad(
    (signal) => (isShared ? readSeries(agents, query, signal) : Promise.resolve(NONE)),
    // Figures that were read anew have other parts, too.
    [
      ...Object.values(query),
      isShared,
      JSON.stringify(stats.byAgent.map(({ agentId, costUsd }) => [agentId, costUsd])),
    ],
  );
  const [only] = stats.byAgent;
  const own =
    isShared || only === undefined
      ? (loaded.value.data ?? [])
      : [{ agentId: only.agentId, series: stats.series }];
  return costLayers(steps, stats.series, own);
}

const NONE: Answer<readonly OwnSeries[]> = { ok: true, data: [], response: { headers: new Headers() } };

async function readSeries(
  agents: readonly string[],
  query: StatsQuery,
  signal: AbortSignal,
): Promise<Answer<readonly OwnSeries[]>> {
  const answers = await Promise.all(
    agents.map((a) => call(api.stats.$get({ query: { ...query, a, b: "" } }, { init: { signal } }))),
  );
  const failed = answers.find((answer) => !answer.ok);
  if (failed !== undefined && !failed.ok) return failed;
  const own = answers.flatMap((answer) =>
    answer.ok ? [{ agentId: answer.data.filter.a ?? "", series: answer.data.series }] : [],
  );
  return { ok: true, data: own, response: { headers: new Headers() } };
}
