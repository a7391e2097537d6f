/** What a report tells, read from the analysis: numbers, codes and names, no words of messages. */

import type { Finding } from "../analysis/finding.ts";
import { readFindings } from "../analysis/findings.ts";
import { addCounters, type Counters, spreadOf } from "../analysis/histogram.ts";
import { readMessageSums } from "../analysis/read-rollups.ts";
import { scopeOf } from "../analysis/scope.ts";
import { readStats } from "../analysis/stats.ts";
import type { DearChain, Delegations, Stats } from "../analysis/stats-view.ts";
import { readUnfinished, type UnfinishedTask } from "../analysis/unfinished.ts";
import type { Reader } from "../record/reader.ts";
import type { ReportPeriods, Stretch } from "./due.ts";

export interface AskFigures {
  readonly asked: number;
  readonly answered: number;
  readonly late: number;
  readonly failed: number;
  readonly denied: number;
}

export interface PeriodFigures {
  readonly messages: number;
  readonly runs: number;
  readonly delegations: Delegations;
  readonly asks: AskFigures;
  /** Median, in milliseconds; null without answers. */
  readonly answerMs: number | null;
  /** Of the runs with a known price; null when there is none. */
  readonly costUsd: number | null;
  readonly unpricedRuns: number;
}

export interface SiltedTask extends Pick<UnfinishedTask, "taskId" | "creator" | "assignee"> {
  readonly hours: number;
}

export interface ReportFigures {
  readonly periods: ReportPeriods;
  readonly now: PeriodFigures;
  readonly before: PeriodFigures;
  readonly dearest: readonly DearChain[];
  /** All that lie at the tick, whenever they were given; those that wait longest first. */
  readonly silted: readonly SiltedTask[];
  /** Of the period, without those about silted tasks. */
  readonly findings: readonly Finding[];
  /** What the analysis has still to look at. */
  readonly pending: number;
}

/** Rejects when D1 does. Reads roll-ups and what leads to the findings, however much was said. */
export async function readReportFigures(
  reader: Reader,
  periods: ReportPeriods,
  siltedAfterHours: number,
): Promise<ReportFigures> {
  const clock = { now: periods.now.end, siltedAfterHours };
  const [now, before, findings, silted] = await Promise.all([
    statsOf(reader, periods.now, clock),
    statsOf(reader, periods.before, clock),
    readFindings(reader, hoursOf(periods.now), clock),
    siltedTasks(reader, clock),
  ]);
  const found = findings.ok ? findings.findings.findings : [];
  return {
    periods,
    now: now.figures,
    before: before.figures,
    dearest: now.stats.dearest,
    silted,
    findings: found.filter(({ code }) => code !== "silted_task"),
    pending: now.stats.pending,
  };
}

interface Clock {
  readonly now: number;
  readonly siltedAfterHours: number;
}

/** Figures take the last hour as a whole: the last moment that belongs to it names it. */
function hoursOf({ start, end }: Stretch) {
  return { since: new Date(start).toISOString(), until: new Date(end - 1).toISOString() };
}

async function statsOf(
  reader: Reader,
  stretch: Stretch,
  clock: Clock,
): Promise<{ readonly stats: Stats; readonly figures: PeriodFigures }> {
  const hours = hoursOf(stretch);
  const [result, asks] = await Promise.all([readStats(reader, hours, clock), askFigures(reader, hours)]);
  if (!result.ok) throw new TypeError(`The report's period is no time: ${result.problem.parameter}`);
  const { stats } = result;
  return { stats, figures: { ...periodFigures(stats), ...asks } };
}

function periodFigures(stats: Stats): Omit<PeriodFigures, "asks" | "answerMs"> {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const priced = stats.byAgent.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
  return {
    messages: stats.messages.messages,
    runs: sum(stats.byAgent.map(({ runs }) => runs)),
    delegations: stats.delegations,
    costUsd: priced.length === 0 ? null : sum(priced),
    unpricedRuns: sum(stats.byAgent.map(({ unpricedRuns }) => unpricedRuns)),
  };
}

async function askFigures(
  reader: Reader,
  hours: ReturnType<typeof hoursOf>,
): Promise<Pick<PeriodFigures, "asks" | "answerMs">> {
  const found = await scopeOf(reader, { ...hours, channel: "ask" });
  const all = found.ok ? await readMessageSums(reader, found.scope) : [];
  const sum = (value: (sums: (typeof all)[number]) => number) =>
    all.reduce((total, each) => total + value(each), 0);
  const [late, failed, denied] = [
    sum((each) => each.responseTimeout),
    sum((each) => each.responseFailed),
    sum((each) => each.responseDenied),
  ];
  const answered = sum((each) => each.responses) - late - failed - denied;
  const waits: Counters = addCounters(all.map((each) => each.waits));
  return {
    asks: { asked: sum((each) => each.requests), answered, late, failed, denied },
    answerMs: spreadOf(waits).median,
  };
}

const HOUR_MS = 3_600_000;

async function siltedTasks(reader: Reader, clock: Clock): Promise<SiltedTask[]> {
  const everything = {
    period: { since: null, before: null },
    filter: { a: null, b: null, channel: null },
  };
  const tasks = await readUnfinished(reader, everything, clock);
  return tasks
    .filter(({ silted }) => silted)
    .sort((a, b) => (a.updatedAt < b.updatedAt ? -1 : a.updatedAt > b.updatedAt ? 1 : 0))
    .map(({ taskId, creator, assignee, updatedAt }) => ({
      taskId,
      creator,
      assignee,
      hours: Math.floor((clock.now - Date.parse(updatedAt)) / HOUR_MS),
    }));
}
