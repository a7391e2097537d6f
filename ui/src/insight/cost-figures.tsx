/** What it cost: over time, by whom, per chain. What has no price is told as unknown. */
import { nameOf } from "../api/team.ts";
import type { Stats } from "../api/types.ts";
import { formatCount, formatDuration, formatMoment } from "../language/format.ts";
import { labelOf } from "../language/language.ts";
import { words } from "../language/words.ts";
import { addressOf, place } from "../location/place.ts";
import { AgentName, hueClass } from "../parts/agent-mark.tsx";
import { Moment } from "../parts/moment.tsx";
import { costOf } from "./facts.ts";
import type { StatsQuery } from "./filters.ts";
import { binLabels, formatCost, formatUsd, stepLabels } from "./format.ts";
import { Columns } from "./plot/columns.tsx";
import { Figure } from "./plot/figure.tsx";
import { MONEY_EDGES, rebin } from "./plot/rebin.ts";
import { Bar, type Column, Table } from "./plot/table.tsx";
import { NICE_STEPS } from "./plot/time-steps.ts";
import { texts } from "./texts.ts";
import { useCostLayers } from "./use-cost-layers.ts";

const labels = texts.cost;

interface FigureData {
  readonly stats: Stats;
  readonly query: StatsQuery;
  readonly steps: readonly string[];
}

export function CostFigures(data: FigureData) {
  return (
    <section class="insight-section" aria-labelledby="cost-title">
      <h2 id="cost-title">{labels.title}</h2>
      <div class="figures">
        <CostOverTime {...data} />
        <CostSplit {...data} />
        <ChainCosts {...data} />
        <Dearest {...data} />
      </div>
    </section>
  );
}

function CostOverTime({ stats, query, steps }: FigureData) {
  const layers = useCostLayers(stats, query, steps);
  const named = layers.map(({ agentId, values }, index) => ({
    name: agentId === null ? (layers.length === 1 ? labels.total : labels.others) : nameOf(agentId),
    ...(agentId === null ? {} : { shown: <AgentName agentId={agentId} /> }),
    look: {
      colour: agentId === null ? (layers.length === 1 ? "series-plain" : "series-quiet") : hueClass(agentId),
      pattern: agentId === null ? 0 : index,
    },
    values,
  }));
  const rows = steps
    .map((step, index) => ({ step, index }))
    .filter(({ index }) => layers.some(({ values }) => values[index] !== 0));
  const columns: Column<(typeof rows)[number]>[] = [
    { name: texts.messages.step, cell: ({ step }) => stepLabels(step, stats.grain).long },
    ...named.map(({ name, values }) => ({
      name,
      number: true,
      cell: ({ index }: { index: number }) => formatUsd(values[index] ?? null),
    })),
  ];
  return (
    <Figure
      title={labels.overTime}
      hint={labels.overTimeHint}
      name="series"
      query={query}
      wide
      table={<Table label={labels.overTime} columns={columns} rows={rows} keyOf={({ step }) => step} />}
    >
      <Columns
        label={labels.pickStep}
        steps={steps.map((step) => stepLabels(step, stats.grain))}
        layers={named}
        format={formatUsd}
        tick={formatUsd}
        unknown={words.unknownCost}
        summary={labels.sum(formatCost(costOf(stats.byAgent)))}
        nice={NICE_STEPS[stats.grain]}
      />
    </Figure>
  );
}

const SPLITS = { agent: "byAgent", trigger: "byTrigger", model: "byModel" } as const;
type Split = keyof typeof SPLITS;
type CostRow = Omit<Stats["byAgent"][number], "agentId">;

function rowsOf(stats: Stats, split: Split): readonly (CostRow & { readonly key: string })[] {
  if (split === "agent") return stats.byAgent.map((row) => ({ ...row, key: row.agentId }));
  if (split === "trigger") return stats.byTrigger.map((row) => ({ ...row, key: row.trigger }));
  return stats.byModel.map((row) => ({ ...row, key: row.model }));
}

function CostSplit({ stats, query }: FigureData) {
  const { by } = place.value.query;
  const split: Split = by === "trigger" || by === "model" ? by : "agent";
  const rows = rowsOf(stats, split).toSorted(
    (x, y) => (y.costUsd ?? -1) - (x.costUsd ?? -1) || y.runs - x.runs,
  );
  const most = Math.max(...rows.map(({ costUsd }) => costUsd ?? 0));
  const title = `${labels.split}, ${labels.by[split]}`;
  const columns: Column<(typeof rows)[number]>[] = [
    {
      name: split === "agent" ? words.agent : labels[split],
      cell: ({ key }) => <Key split={split} value={key} />,
    },
    {
      name: labels.compared,
      cell: ({ key, costUsd }) => (
        <Bar
          share={costUsd === null || most === 0 ? 0 : costUsd / most}
          colour={split === "agent" ? hueClass(key) : "series-plain"}
        />
      ),
    },
    {
      name: labels.cost,
      number: true,
      cell: ({ costUsd, unpricedRuns }) =>
        formatCost({ usd: costUsd, atLeast: costUsd !== null && unpricedRuns > 0 }),
    },
    { name: labels.perRun, number: true, cell: ({ runCostUsd }) => formatUsd(runCostUsd.median) },
    { name: labels.runs, number: true, cell: ({ runs }) => formatCount(runs) },
    { name: labels.failed, number: true, cell: ({ failedRuns }) => formatCount(failedRuns) },
    {
      name: labels.tokens,
      number: true,
      cell: ({ inputTokens, outputTokens }) => `${formatCount(inputTokens)} / ${formatCount(outputTokens)}`,
    },
  ];
  return (
    <Figure title={title} name={SPLITS[split]} query={query} wide table={null}>
      <nav class="insight-tabs" aria-label={labels.splitLabel}>
        {(["agent", "trigger", "model"] as const).map((each) => (
          <a
            key={each}
            href={addressOf({
              view: "insight",
              query: { ...place.value.query, by: each === "agent" ? "" : each },
            })}
            aria-current={each === split ? "true" : undefined}
          >
            {labels.by[each]}
          </a>
        ))}
      </nav>
      <Table key={split} label={title} columns={columns} rows={rows} keyOf={({ key }) => key} first={8} />
    </Figure>
  );
}

function Key({ split, value }: { split: Split; value: string }) {
  if (split === "agent") return <AgentName agentId={value} />;
  return <bdi>{split === "trigger" ? labelOf(words.triggers, value) : value}</bdi>;
}

function ChainCosts({ stats: { chains }, query }: FigureData) {
  const bins = rebin(chains.bars, MONEY_EDGES);
  const { median, p95, max } = chains.costUsd;
  const hint = [
    median === null
      ? words.unknownCost
      : labels.chainsHint(formatUsd(median), formatUsd(p95), formatUsd(max)),
    chains.unpricedChains > 0 ? labels.unpricedChains(formatCount(chains.unpricedChains)) : "",
  ].join(" ");
  const named = bins.map((bin) => ({ ...binLabels(bin, formatUsd), count: bin.count }));
  return (
    <Figure
      title={labels.chains}
      hint={hint}
      name="chains"
      query={query}
      wide
      table={
        <Table
          label={labels.chains}
          columns={[
            { name: labels.range, cell: ({ long }) => long },
            { name: labels.inRange, number: true, cell: ({ count }) => formatCount(count) },
          ]}
          rows={named}
          keyOf={({ long }) => long}
        />
      }
    >
      {bins.length > 0 && (
        <Columns
          label={labels.pickBin}
          steps={named}
          layers={[
            {
              name: labels.inRange,
              look: { colour: "series-plain", pattern: 0 },
              values: bins.map(({ count }) => count),
            },
          ]}
          format={formatCount}
          tick={formatCount}
          unknown={words.unknownCost}
          summary={`${labels.inRange}: ${formatCount(chains.chains)}`}
          whole
        />
      )}
    </Figure>
  );
}

function Dearest({ stats: { dearest }, query }: FigureData) {
  const most = Math.max(...dearest.map(({ costUsd }) => costUsd));
  const columns: Column<(typeof dearest)[number]>[] = [
    {
      name: labels.began,
      cell: ({ rootRunId, startedAt }) => (
        <a href={addressOf({ view: "chain", id: rootRunId })}>
          <Moment iso={startedAt} format={formatMoment} />
        </a>
      ),
    },
    {
      name: labels.compared,
      cell: ({ costUsd, agentId }) => (
        <Bar share={most === 0 ? 0 : costUsd / most} colour={hueClass(agentId)} />
      ),
    },
    {
      name: labels.cost,
      number: true,
      cell: ({ costUsd, unpricedRuns }) => formatCost({ usd: costUsd, atLeast: unpricedRuns > 0 }),
    },
    { name: labels.by1, cell: ({ agentId }) => <AgentName agentId={agentId} /> },
    { name: labels.trigger, cell: ({ trigger }) => labelOf(words.triggers, trigger) },
    { name: labels.runs, number: true, cell: ({ runs }) => formatCount(runs) },
    { name: labels.depth, number: true, cell: ({ depth }) => formatCount(depth) },
    { name: labels.time, number: true, cell: ({ durationMs }) => formatDuration(durationMs) },
  ];
  return (
    <Figure title={labels.dearest} name="dearest" query={query} wide table={null}>
      <Table
        label={labels.dearest}
        columns={columns}
        rows={dearest}
        keyOf={({ rootRunId }) => rootRunId}
        first={8}
      />
    </Figure>
  );
}
