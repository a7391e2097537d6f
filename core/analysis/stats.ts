/** All figures of a period, from roll-ups. */
import type { Reader } from "../record/reader.ts";
import { costInUsd } from "../record/run-view.ts";
import { MESSAGE_CHANNELS } from "../record/vocabulary.ts";
import { agentFigures } from "./agent-figures.ts";
import { joinSums } from "./chain-sums.ts";
import { costFigures, dearChains } from "./cost-figures.ts";
import { delegationsOf } from "./delegations.ts";
import { addCounters, barsOf, type Counters, spreadOf } from "./histogram.ts";
import { countsOf, rateOf, type StatusCounts } from "./message-counts.ts";
import { earliest, latest } from "./period.ts";
import {
  type MessageStep,
  type MessageSums,
  type RunStep,
  readChainSums,
  readMessageSeries,
  readMessageSums,
  readPending,
  readRunSeries,
  readRunSums,
} from "./read-rollups.ts";
import { type FigureInput, scopeOf } from "./scope.ts";
import type { ChainsFigure, DepthFigure, PairFigure, SeriesPoint, Stats } from "./stats-view.ts";
import { readUnfinished } from "./unfinished.ts";

export type StatsResult =
  | { readonly ok: true; readonly stats: Stats }
  | {
      readonly ok: false;
      readonly problem: { readonly code: "bad_time"; readonly parameter: "since" | "until" };
    };

export interface StatsClock {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly siltedAfterHours: number;
}

const MICROS = 1e-6;

/** Rejects when D1 does. */
export async function readStats(reader: Reader, input: FigureInput, clock: StatsClock): Promise<StatsResult> {
  const found = await scopeOf(reader, input);
  if (!found.ok) return found;
  const { scope } = found;
  const [messages, runs, chains, unfinished, messageSteps, runSteps, pending] = await Promise.all([
    readMessageSums(reader, scope),
    readRunSums(reader, scope),
    readChainSums(reader, scope),
    readUnfinished(reader, scope, clock),
    readMessageSeries(reader, scope),
    readRunSeries(reader, scope),
    readPending(reader),
  ]);
  const all = joinSums(chains.map(({ sums }) => sums));
  const stats: Stats = {
    period: scope.period,
    filter: scope.filter,
    pending,
    messages: countsOf(messages.map(statusCounts)),
    delegations: delegationsOf(messages, unfinished),
    answerMs: waits(messages, "ask"),
    resultMs: waits(messages, "task_result"),
    chains: { ...chainsFigure(all), bars: barsOf(all.costs, MICROS) },
    depths: depthFigures(all.depths),
    dearest: await dearChains(reader, all.dear),
    ...costFigures(runs, chains),
    pairs: pairFigures(messages),
    channels: MESSAGE_CHANNELS.map((channel) => ({
      channel,
      ...countsOf(messages.filter((sums) => sums.channel === channel).map(statusCounts)),
    })),
    hours: hourFigures(messages),
    agents: agentFigures(messages, runs),
    grain: scope.grain,
    series: seriesOf(messageSteps, runSteps),
  };
  return { ok: true, stats };
}

export function statusCounts(sums: MessageSums): StatusCounts {
  return {
    messages: sums.requests + sums.responses,
    failed: sums.requestFailed + sums.responseFailed,
    timeout: sums.requestTimeout + sums.responseTimeout,
    denied: sums.requestDenied + sums.responseDenied,
  };
}

function waits(messages: readonly MessageSums[], channel: "ask" | "task_result") {
  const counters = addCounters(messages.filter((sums) => sums.channel === channel).map((sums) => sums.waits));
  return { ...spreadOf(counters), bars: barsOf(counters) };
}

function chainsFigure(sums: ReturnType<typeof joinSums>): ChainsFigure {
  return {
    chains: sums.chains,
    failedChains: sums.failed,
    unpricedChains: sums.unpriced,
    costUsd: {
      ...spreadOf(sums.costs, MICROS),
      sum: sums.pricedRuns === 0 ? null : costInUsd(sums.micros),
      max: costInUsd(sums.dear[0]?.[0] ?? (sums.pricedRuns === 0 ? null : 0)),
    },
    durationMs: spreadOf(sums.durations),
  };
}

function depthFigures(depths: Counters): DepthFigure[] {
  const deepest = Math.max(0, ...Object.keys(depths).map((name) => Number(name.slice(1))));
  return Array.from({ length: deepest }, (_, index) => {
    const depth = index + 1;
    const [runs, failedRuns, chains, failedChains] = ["r", "f", "c", "d"].map(
      (kind) => depths[`${kind}${depth}`] ?? 0,
    );
    return {
      depth,
      runs: runs ?? 0,
      failedRuns: failedRuns ?? 0,
      failureRate: rateOf(failedRuns ?? 0, runs ?? 0) ?? 0,
      chains: chains ?? 0,
      failedChains: failedChains ?? 0,
    };
  });
}

function pairFigures(messages: readonly MessageSums[]): PairFigure[] {
  const pairs = Map.groupBy(
    messages.filter((sums) => sums.requests + sums.responses > 0),
    ({ from, to }) => `${from}|${to}`,
  );
  return [...pairs.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    return [
      {
        from: first.from,
        to: first.to,
        requests: all.reduce((sum, each) => sum + each.requests, 0),
        responses: all.reduce((sum, each) => sum + each.responses, 0),
        ...countsOf(all.map(statusCounts)),
        firstAt: earliest(first.firstAt, ...all.map(({ firstAt }) => firstAt)),
        lastAt: latest(first.lastAt, ...all.map(({ lastAt }) => lastAt)),
      },
    ];
  });
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

function hourFigures(messages: readonly MessageSums[]): Stats["hours"] {
  const counters = addCounters(messages.map(({ byHour }) => byHour));
  return HOURS.map((hour) => {
    const name = String(hour).padStart(2, "0");
    const [count, trouble] = [counters[`m${name}`] ?? 0, counters[`t${name}`] ?? 0];
    return { hour, messages: count, trouble, troubleRate: rateOf(trouble, count) };
  });
}

function seriesOf(messages: readonly MessageStep[], runs: readonly RunStep[]): SeriesPoint[] {
  const said = new Map(messages.map((step) => [step.period, step]));
  const ran = new Map(runs.map((step) => [step.period, step]));
  return [...new Set([...said.keys(), ...ran.keys()])].sort().map((at) => {
    const step = ran.get(at);
    const priced = step !== undefined && step.runs > step.unpriced;
    return {
      at,
      ...countsOf([said.get(at) ?? { messages: 0, failed: 0, timeout: 0, denied: 0 }]),
      runs: step?.runs ?? 0,
      failedRuns: step?.failedRuns ?? 0,
      costUsd: priced ? costInUsd(step.costMicros) : null,
    };
  });
}
