/** Sums over chains, of which single ones can be taken out again when their facts change. No I/O. */
import { ownJson } from "../journal/database.ts";
import type { ChainFacts } from "./chain-facts.ts";
import { addCounters, bucketOf, type Counters } from "./histogram.ts";

/** `[micros, rootRunId]` */
type Dear = readonly [number, string];

export interface ChainSums {
  readonly chains: number;
  readonly failed: number;
  /** Chains with a run without a known price. */
  readonly unpriced: number;
  /** Of all runs with a known price. */
  readonly micros: number;
  /** Runs with a known price, so that nothing known is told from 0. */
  readonly pricedRuns: number;
  /** By bucket, of the chains whose price is known. */
  readonly costs: Counters;
  readonly durations: Counters;
  /** `r3`, `f3`: runs at depth 3 and failed ones; `c3`, `d3`: chains that deep and those with a failed run. */
  readonly depths: Counters;
  /** The dearest 40, dearest first. */
  readonly dear: readonly Dear[];
}

export const NO_CHAINS: ChainSums = {
  chains: 0,
  failed: 0,
  unpriced: 0,
  micros: 0,
  pricedRuns: 0,
  costs: {},
  durations: {},
  depths: {},
  dear: [],
};

/**
 * More than are shown: a chain that moves to other sums, because its root has only now come in, leaves a place that
 * the next dearest had lost before.
 */
const KEPT_DEAR = 40;

export function addChain(sums: ChainSums, facts: ChainFacts): ChainSums {
  return joinSums([sums, sumsOf(facts)]);
}

/** What `addChain` added goes; the list of the dearest may be one short then. */
export function takeChain(sums: ChainSums, facts: ChainFacts): ChainSums {
  const own = sumsOf(facts);
  const minus = (counters: Counters) =>
    Object.fromEntries(Object.entries(counters).map(([name, count]) => [name, -count]));
  const taken = {
    ...own,
    chains: -own.chains,
    failed: -own.failed,
    unpriced: -own.unpriced,
    micros: -own.micros,
    pricedRuns: -own.pricedRuns,
    costs: minus(own.costs),
    durations: minus(own.durations),
    depths: minus(own.depths),
    dear: [],
  };
  const left = joinSums([sums, taken]);
  return { ...left, dear: left.dear.filter(([, rootRunId]) => rootRunId !== facts.rootRunId) };
}

export function joinSums(all: readonly ChainSums[]): ChainSums {
  const sum = (value: (sums: ChainSums) => number) => all.reduce((total, each) => total + value(each), 0);
  return {
    chains: sum((each) => each.chains),
    failed: sum((each) => each.failed),
    unpriced: sum((each) => each.unpriced),
    micros: sum((each) => each.micros),
    pricedRuns: sum((each) => each.pricedRuns),
    costs: withoutZeros(addCounters(all.map((each) => each.costs))),
    durations: withoutZeros(addCounters(all.map((each) => each.durations))),
    depths: withoutZeros(addCounters(all.map((each) => each.depths))),
    dear: all
      .flatMap((each) => each.dear)
      .sort(([a, x], [b, y]) => b - a || (x < y ? -1 : 1))
      .slice(0, KEPT_DEAR),
  };
}

function withoutZeros(counters: Counters): Counters {
  return Object.fromEntries(Object.entries(counters).filter(([, count]) => count !== 0));
}

function sumsOf(facts: ChainFacts): ChainSums {
  const priced = facts.unpriced === 0;
  const failed = facts.failedRuns > 0 ? 1 : 0;
  const levels = ownJson<[number, number][]>(facts.byDepth);
  return {
    chains: 1,
    failed,
    unpriced: priced ? 0 : 1,
    micros: facts.costMicros,
    pricedRuns: facts.runs - facts.unpriced,
    costs: priced ? { [bucketOf(facts.costMicros)]: 1 } : {},
    durations: { [bucketOf(Date.parse(facts.endedAt) - Date.parse(facts.startedAt))]: 1 },
    depths: {
      ...Object.fromEntries(
        levels.flatMap(([runs, bad], index) => [
          [`r${index + 1}`, runs],
          [`f${index + 1}`, bad],
        ]),
      ),
      [`c${facts.depth}`]: 1,
      [`d${facts.depth}`]: failed,
    },
    dear: facts.costMicros > 0 ? [[facts.costMicros, facts.rootRunId]] : [],
  };
}
