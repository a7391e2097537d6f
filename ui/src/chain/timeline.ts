/** Where the bars of a chain's runs lie: a scale on which long stretches without any run are folded together. */
import type { ChainRun } from "./chain-run.ts";
import { timesOf } from "./tree.ts";

/** Parts of the whole width, 0 to 1. */
export interface Bar {
  readonly start: number;
  /** Where the gate let it in: before that it waited. */
  readonly started: number;
  readonly end: number;
}

export interface Gap {
  /** Middle of where it stands, 0 to 1. */
  readonly at: number;
  /** Milliseconds left out. */
  readonly ms: number;
}

export interface Tick {
  readonly at: number;
  /** Milliseconds since the chain began. */
  readonly ms: number;
}

export interface Timeline {
  /** By run. */
  readonly bars: ReadonlyMap<string, Bar>;
  readonly gaps: readonly Gap[];
  readonly ticks: readonly Tick[];
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Folded stretches are this part of the width each. */
const GAP_WIDTH = 0.03;
/** Shorter ones are left as they are. */
const MIN_GAP_MS = 60_000;
const MAX_GAPS = 12;

/** @param now epoch milliseconds: how far runs under way go */
export function layTimeline(runs: readonly ChainRun[], now: number): Timeline {
  const times = runs.map((run) => ({ run, ...timesOf(run, now) }));
  const scale = scaleOf(times);
  const bars = times.map(({ run, from, to }) => {
    const started = Math.min(to, from + (run.queuedMs ?? 0));
    return [run.runId, { start: scale.at(from), started: scale.at(started), end: scale.at(to) }] as const;
  });
  return { bars: new Map(bars), gaps: scale.gaps, ticks: ticksOf(scale) };
}

interface Scale {
  readonly from: number;
  readonly to: number;
  readonly gaps: readonly Gap[];
  /** Never falls as time goes on. */
  at(time: number): number;
}

function scaleOf(times: readonly Stretch[]): Scale {
  const busy = joined(times);
  const from = busy[0]?.from ?? 0;
  const to = busy.at(-1)?.to ?? from;
  const idle = idleBetween(busy);
  const idleMs = idle.reduce((sum, { from: start, to: end }) => sum + end - start, 0);
  const perMs = (1 - idle.length * GAP_WIDTH) / Math.max(1, to - from - idleMs);
  const at = (time: number) => {
    let width = 0;
    let reached = from;
    for (const gap of idle) {
      if (time <= gap.from) break;
      width += (gap.from - reached) * perMs;
      width += GAP_WIDTH * Math.min(1, (time - gap.from) / (gap.to - gap.from));
      reached = Math.min(time, gap.to);
    }
    return Math.min(1, Math.max(0, width + (time - reached) * perMs));
  };
  const gaps = idle.map((gap) => ({ at: (at(gap.from) + at(gap.to)) / 2, ms: gap.to - gap.from }));
  return { from, to, gaps, at };
}

/** Times at which some run was there, in order, without overlaps. */
function joined(times: readonly Stretch[]): Stretch[] {
  const result: Stretch[] = [];
  for (const { from, to } of [...times].sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last !== undefined && from <= last.to)
      result.splice(-1, 1, { from: last.from, to: Math.max(last.to, to) });
    else result.push({ from, to });
  }
  return result;
}

/** The longest pauses that are worth folding: longer than all the work together would make them hide it. */
function idleBetween(busy: readonly Stretch[]): Stretch[] {
  const busyMs = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const pauses = busy.flatMap(({ to }, index) => {
    const next = busy[index + 1];
    return next === undefined ? [] : [{ from: to, to: next.from }];
  });
  return pauses
    .filter(({ from, to }) => to - from >= Math.max(MIN_GAP_MS, busyMs / 10))
    .sort((a, b) => b.to - b.from - (a.to - a.from))
    .slice(0, MAX_GAPS)
    .sort((a, b) => a.from - b.from);
}

const STEPS_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400];

/** Four to eight round times; none where pauses are folded, for there the scale is no ruler. */
function ticksOf({ from, to, gaps, at }: Scale): Tick[] {
  const span = to - from;
  if (gaps.length > 0 || span <= 0) return [];
  const step = 1_000 * (STEPS_S.find((each) => span / each <= 7_000) ?? span / 5_000);
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, index) => ({
    at: at(from + index * step),
    ms: index * step,
  }));
}
