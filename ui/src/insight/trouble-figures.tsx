/** Where it sticks: what became of delegations, and where failures pile up. */
import type { Stats } from "../api/types.ts";
import { formatCount, formatMoment } from "../language/format.ts";
import { addressOf } from "../location/place.ts";
import { AgentName } from "../parts/agent-mark.tsx";
import { Moment } from "../parts/moment.tsx";
import type { StatsQuery } from "./filters.ts";
import { formatRate, rateOf } from "./format.ts";
import { Columns } from "./plot/columns.tsx";
import { Figure } from "./plot/figure.tsx";
import { Swatch } from "./plot/look.tsx";
import { Shares } from "./plot/shares.tsx";
import { Bar, type Column, Table } from "./plot/table.tsx";
import { texts } from "./texts.ts";

const labels = texts.trouble;

interface FigureData {
  readonly stats: Stats;
  readonly query: StatsQuery;
}

export function TroubleFigures(data: FigureData) {
  return (
    <section class="insight-section" aria-labelledby="trouble-title">
      <h2 id="trouble-title">{labels.title}</h2>
      <div class="figures">
        <Delegations {...data} />
        <Depths {...data} />
        <Hours {...data} />
        <Pairs {...data} />
      </div>
    </section>
  );
}

const OUTCOMES = [
  { outcome: "result", look: { colour: "series-delivered", pattern: 0 } },
  { outcome: "open", look: { colour: "series-quiet", pattern: 0 } },
  { outcome: "silted", look: { colour: "series-timeout", pattern: 2 } },
  { outcome: "blocked", look: { colour: "series-failed", pattern: 1 } },
  { outcome: "rejected", look: { colour: "series-failed", pattern: 5 } },
  { outcome: "denied", look: { colour: "series-denied", pattern: 3 } },
  { outcome: "cancelled", look: { colour: "series-quiet", pattern: 4 } },
  { outcome: "unknown", look: { colour: "series-quiet", pattern: 2 } },
] as const;

function Delegations({ stats: { delegations }, query }: FigureData) {
  const { total } = delegations;
  const rows = OUTCOMES.map((each) => ({ ...each, value: delegations[each.outcome] })).filter(
    ({ value }) => value > 0,
  );
  const columns: Column<(typeof rows)[number]>[] = [
    {
      name: labels.outcome,
      cell: ({ outcome, look }) => (
        <span class="swatched">
          <Swatch look={look} /> {labels.outcomes[outcome]}
        </span>
      ),
    },
    { name: labels.count, number: true, cell: ({ value }) => formatCount(value) },
    { name: texts.cost.share, number: true, cell: ({ value }) => formatRate(rateOf(value, total)) },
  ];
  return (
    <Figure
      title={labels.delegations}
      {...(total === 0 ? { hint: labels.noDelegations } : {})}
      name="delegations"
      query={query}
      table={null}
    >
      {total > 0 && (
        <>
          <Shares
            parts={rows.map(({ outcome, value, look }) => ({ key: outcome, value, look }))}
            whole={total}
            tall
          />
          <Table label={labels.delegations} columns={columns} rows={rows} keyOf={({ outcome }) => outcome} />
        </>
      )}
    </Figure>
  );
}

function Depths({ stats: { depths }, query }: FigureData) {
  const columns: Column<(typeof depths)[number]>[] = [
    { name: labels.depth, cell: ({ depth }) => labels.depthOf(formatCount(depth)) },
    { name: texts.cost.runs, number: true, cell: ({ runs }) => formatCount(runs) },
    { name: texts.cost.failed, number: true, cell: ({ failedRuns }) => formatCount(failedRuns) },
    { name: labels.rate, number: true, cell: ({ failureRate }) => formatRate(failureRate) },
    { name: labels.deepest, number: true, cell: ({ chains }) => formatCount(chains) },
  ];
  return (
    <Figure
      title={labels.depths}
      hint={labels.depthsHint}
      name="depths"
      query={query}
      table={
        <Table label={labels.depths} columns={columns} rows={depths} keyOf={({ depth }) => String(depth)} />
      }
    >
      {depths.length > 0 && (
        <Columns
          label={labels.pickDepth}
          steps={depths.map(({ depth }) => ({ short: String(depth), long: labels.depthOf(String(depth)) }))}
          layers={[
            {
              name: labels.rate,
              look: { colour: "series-failed", pattern: 1 },
              values: depths.map(({ failureRate }) => failureRate),
            },
          ]}
          format={formatRate}
          tick={formatRate}
          unknown={texts.none}
          summary={labels.deepestIs(formatCount(depths.length))}
          note={(index) => {
            const { failedRuns = 0, runs = 0 } = depths[index] ?? {};
            return labels.ofRuns(formatCount(failedRuns), formatCount(runs));
          }}
          atLeast={0.1}
        />
      )}
    </Figure>
  );
}

function Hours({ stats: { hours }, query }: FigureData) {
  const worst = Math.max(...hours.map(({ troubleRate }) => troubleRate ?? 0));
  const columns: Column<(typeof hours)[number]>[] = [
    { name: labels.hour, cell: ({ hour }) => clockOf(hour) },
    { name: labels.messages, number: true, cell: ({ messages }) => formatCount(messages) },
    { name: labels.count, number: true, cell: ({ trouble }) => formatCount(trouble) },
    { name: labels.rate, number: true, cell: ({ troubleRate }) => formatRate(troubleRate) },
  ];
  return (
    <Figure
      title={labels.hours}
      hint={labels.hoursHint}
      name="hours"
      query={query}
      wide
      table={<Table label={labels.hours} columns={columns} rows={hours} keyOf={({ hour }) => String(hour)} />}
    >
      <ol class="heat">
        {hours.map(({ hour, messages, trouble, troubleRate }) => (
          <li key={hour} title={labels.ofMessages(formatCount(trouble), formatCount(messages))}>
            <span
              class="heat-cell"
              aria-hidden="true"
              data-empty={messages === 0}
              style={{ "--heat": `${worst === 0 ? 0 : Math.round(((troubleRate ?? 0) / worst) * 100)}%` }}
            />
            <span class="heat-hour">{String(hour).padStart(2, "0")}</span>
            <span class="heat-rate">{messages === 0 ? texts.none : formatRate(troubleRate)}</span>
          </li>
        ))}
      </ol>
    </Figure>
  );
}

const clockOf = (hour: number) => `${String(hour).padStart(2, "0")}:00`;

function Pairs({ stats: { pairs }, query }: FigureData) {
  const troubleOf = (pair: (typeof pairs)[number]) => pair.failed + pair.timeout + pair.denied;
  const rows = pairs.toSorted((x, y) => troubleOf(y) - troubleOf(x) || y.messages - x.messages);
  const columns: Column<(typeof pairs)[number]>[] = [
    {
      name: labels.pair,
      cell: ({ from, to }) => (
        <a class="pair" href={addressOf({ view: "communication", query: { a: from, b: to } })}>
          <AgentName agentId={from} /> <span aria-hidden="true">→</span> <AgentName agentId={to} />
        </a>
      ),
    },
    { name: labels.rate, number: true, cell: ({ troubleRate }) => formatRate(troubleRate) },
    { name: labels.messages, number: true, cell: ({ messages }) => formatCount(messages) },
    {
      name: texts.cost.compared,
      cell: ({ troubleRate }) => <Bar share={troubleRate ?? 0} colour="series-failed" />,
    },
    { name: labels.failed, number: true, cell: ({ failed }) => formatCount(failed) },
    { name: labels.timeout, number: true, cell: ({ timeout }) => formatCount(timeout) },
    { name: labels.denied, number: true, cell: ({ denied }) => formatCount(denied) },
    { name: labels.last, cell: ({ lastAt }) => <Moment iso={lastAt} format={formatMoment} /> },
  ];
  return (
    <Figure title={labels.pairs} name="pairs" query={query} wide table={null}>
      <Table
        label={labels.pairs}
        columns={columns}
        rows={rows}
        keyOf={({ from, to }) => `${from}|${to}`}
        first={10}
      />
    </Figure>
  );
}
