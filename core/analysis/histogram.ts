/** Histograms with buckets that grow by a tenth: counts can be added, and percentiles are at most 5 per cent off. */
import { ownJson } from "../journal/database.ts";
import { BUCKET_GROWTH } from "./rollup-sql.ts";
import type { Bar, Spread } from "./stats-view.ts";

/** Counters by name, as the roll-ups hold them. */
export type Counters = Readonly<Record<string, number>>;

/** The bucket's name for a value; all up to 1 are in the first. */
export function bucketOf(value: number): string {
  return `b${Math.floor(Math.log(Math.max(value, 1)) / Math.log(BUCKET_GROWTH))}`;
}

/** Adds up lists of counters that a statement has joined as JSON. */
export function sumCounters(json: string): Counters {
  return addCounters(ownJson<Counters[]>(json));
}

export function addCounters(all: readonly Counters[]): Counters {
  const sums: Record<string, number> = {};
  for (const counters of all)
    for (const [name, count] of Object.entries(counters)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/** `scale` is what one unit of the stored values is in the units of the answer. */
export function spreadOf(counters: Counters, scale = 1): Spread {
  const buckets = sorted(counters);
  const count = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
  return { count, median: percentile(buckets, 0.5, scale), p95: percentile(buckets, 0.95, scale) };
}

export function barsOf(counters: Counters, scale = 1): Bar[] {
  return sorted(counters).map(({ index, count }) => ({
    from: index === 0 ? 0 : BUCKET_GROWTH ** index * scale,
    below: BUCKET_GROWTH ** (index + 1) * scale,
    count,
  }));
}

interface Bucket {
  readonly index: number;
  readonly count: number;
}

function sorted(counters: Counters): Bucket[] {
  return Object.entries(counters)
    .filter(([name, count]) => name.startsWith("b") && count > 0)
    .map(([name, count]) => ({ index: Number(name.slice(1)), count }))
    .sort((a, b) => a.index - b.index);
}

/** The value of which that share of all is no larger (nearest rank), as the middle of its bucket. */
function percentile(buckets: readonly Bucket[], share: number, scale: number): number | null {
  const count = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
  const rank = Math.ceil(count * share);
  let passed = 0;
  for (const bucket of buckets) {
    passed += bucket.count;
    if (passed >= rank) return middle(bucket.index) * scale;
  }
  return null;
}

const middle = (index: number) => (index === 0 ? 0 : BUCKET_GROWTH ** (index + 0.5));
