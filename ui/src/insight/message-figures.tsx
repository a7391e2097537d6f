/** What was said, over which channel, and how long answers took. */
import type { Stats } from "../api/types.ts";
import { formatCount } from "../language/format.ts";
import { words } from "../language/words.ts";
import { AgentName } from "../parts/agent-mark.tsx";
import { isSilent } from "./facts.ts";
import type { StatsQuery } from "./filters.ts";
import { binLabels, formatRate, formatRound, formatTime, rateOf, stepLabels } from "./format.ts";
import { Columns, Legend } from "./plot/columns.tsx";
import { Figure } from "./plot/figure.tsx";
import { DURATION_EDGES, rebin } from "./plot/rebin.ts";
import { Shares } from "./plot/shares.tsx";
import { type Column, Table } from "./plot/table.tsx";
import { NICE_STEPS } from "./plot/time-steps.ts";
import { texts } from "./texts.ts";

const labels = texts.messages;

interface FigureData {
  readonly stats: Stats;
  readonly query: StatsQuery;
  readonly steps: readonly string[];
}

export function MessageFigures(data: FigureData) {
  return (
    <section class="insight-section" aria-labelledby="messages-title">
      <h2 id="messages-title">{labels.title}</h2>
      <div class="figures">
        <MessagesOverTime {...data} />
        <Times {...data} name="answerMs" nothing={labels.noAnswer} what={labels.answers} />
        <Times {...data} name="resultMs" nothing={labels.noResult} what={labels.results} />
        <Channels {...data} />
        <Agents {...data} />
      </div>
    </section>
  );
}

const STATUSES = ["delivered", "failed", "timeout", "denied"] as const;
const STATUS_LAYERS = STATUSES.map((status, pattern) => ({
  status,
  name: words.messageStatuses[status],
  look: { colour: `series-${status}`, pattern },
}));

function MessagesOverTime({ stats, query, steps }: FigureData) {
  const points = new Map(stats.series.map((point) => [point.at, point]));
  const rows = stats.series.filter(({ messages }) => messages > 0);
  const most = rows.toSorted((x, y) => y.messages - x.messages)[0];
  const columns: Column<(typeof rows)[number]>[] = [
    { name: labels.step, cell: ({ at }) => stepLabels(at, stats.grain).long },
    { name: labels.all, number: true, cell: ({ messages }) => formatCount(messages) },
    ...STATUS_LAYERS.map(({ status, name }) => ({
      name,
      number: true,
      cell: (row: (typeof rows)[number]) => formatCount(row[status]),
    })),
  ];
  return (
    <Figure
      title={labels.overTime}
      name="series"
      query={query}
      wide
      table={<Table label={labels.overTime} columns={columns} rows={rows} keyOf={({ at }) => at} />}
    >
      <Columns
        label={labels.pickStep}
        steps={steps.map((step) => stepLabels(step, stats.grain))}
        layers={STATUS_LAYERS.map(({ status, name, look }) => ({
          name,
          look,
          values: steps.map((step) => points.get(step)?.[status] ?? 0),
        }))}
        format={formatCount}
        tick={formatCount}
        unknown={texts.none}
        summary={
          most === undefined
            ? ""
            : labels.most(formatCount(most.messages), stepLabels(most.at, stats.grain).long)
        }
        nice={NICE_STEPS[stats.grain]}
        whole
      />
    </Figure>
  );
}

interface TimesProps extends FigureData {
  readonly name: "answerMs" | "resultMs";
  readonly nothing: string;
  readonly what: string;
}

function Times({ stats, query, name, nothing, what }: TimesProps) {
  const { bars, count, median, p95 } = stats[name];
  const bins = rebin(bars, DURATION_EDGES);
  const title = labels[name];
  const named = bins.map((bin) => ({ ...binLabels(bin, formatRound), count: bin.count }));
  const columns: Column<(typeof named)[number]>[] = [
    { name: labels.range, cell: ({ long }) => long },
    { name: what, number: true, cell: (bin) => formatCount(bin.count) },
    { name: texts.cost.share, number: true, cell: (bin) => formatRate(rateOf(bin.count, count)) },
  ];
  return (
    <Figure
      title={title}
      hint={median === null ? nothing : labels.answerHint(formatTime(median), formatTime(p95))}
      name={name}
      query={query}
      table={<Table label={title} columns={columns} rows={named} keyOf={({ long }) => long} />}
    >
      {bins.length > 0 && (
        <Columns
          label={labels.pickBin(title)}
          steps={named}
          layers={[
            {
              name: what,
              look: { colour: "series-plain", pattern: 0 },
              values: bins.map((bin) => bin.count),
            },
          ]}
          format={formatCount}
          tick={formatCount}
          unknown={texts.none}
          summary={`${what}: ${formatCount(count)}`}
          note={(index) => formatRate(rateOf(bins[index]?.count ?? 0, count))}
          whole
        />
      )}
    </Figure>
  );
}

function Channels({ stats: { channels }, query }: FigureData) {
  const rows = channels.filter(({ messages }) => messages > 0);
  const most = Math.max(...rows.map(({ messages }) => messages));
  const columns: Column<(typeof rows)[number]>[] = [
    { name: texts.channel, cell: ({ channel }) => words.channels[channel] },
    {
      name: texts.cost.compared,
      cell: (row) => (
        <Shares
          parts={STATUS_LAYERS.map(({ status, look }) => ({ key: status, value: row[status], look }))}
          whole={most}
        />
      ),
    },
    { name: labels.all, number: true, cell: ({ messages }) => formatCount(messages) },
    ...STATUS_LAYERS.slice(1).map(({ status, name }) => ({
      name,
      number: true,
      cell: (row: (typeof rows)[number]) => formatCount(row[status]),
    })),
    { name: texts.trouble.rate, number: true, cell: ({ troubleRate }) => formatRate(troubleRate) },
  ];
  return (
    <Figure title={labels.channels} name="channels" query={query} wide table={null}>
      <Table label={labels.channels} columns={columns} rows={rows} keyOf={({ channel }) => channel} />
      <Legend layers={STATUS_LAYERS} />
    </Figure>
  );
}

function Agents({ stats: { agents }, query }: FigureData) {
  const rows = agents
    .filter((agent) => !isSilent(agent))
    .toSorted((x, y) => y.asked + y.wasAsked - x.asked - x.wasAsked);
  const count = (
    name: string,
    value: (row: (typeof rows)[number]) => number,
  ): Column<(typeof rows)[number]> => ({
    name,
    number: true,
    cell: (row) => formatCount(value(row)),
  });
  const columns: Column<(typeof rows)[number]>[] = [
    {
      name: words.agent,
      cell: ({ agentId, habit }) => (
        <>
          <AgentName agentId={agentId} />
          {habit !== null && <span class="habit">{labels.habits[habit]}</span>}
        </>
      ),
    },
    count(labels.asked, ({ asked }) => asked),
    count(labels.wasAsked, ({ wasAsked }) => wasAsked),
    count(labels.answered, ({ answered }) => answered),
    { name: labels.median, number: true, cell: ({ answerMs }) => formatTime(answerMs.median) },
    count(labels.given, ({ tasksGiven }) => tasksGiven),
    count(labels.taken, ({ tasksTaken }) => tasksTaken),
    count(labels.results, ({ results }) => results),
  ];
  return (
    <Figure title={labels.agents} name="agents" query={query} wide table={null}>
      <Table label={labels.agents} columns={columns} rows={rows} keyOf={({ agentId }) => agentId} first={8} />
    </Figure>
  );
}
