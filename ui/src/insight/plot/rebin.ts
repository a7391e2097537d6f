/** The API's fine bars as a few that people can read. No I/O. */
export interface Bin {
  readonly from: number;
  readonly below: number;
  readonly count: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Milliseconds. */
export const DURATION_EDGES: readonly number[] = [
  0,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 20, 30].map((each) => each * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((each) => each * MINUTE),
  ...[1, 2, 4, 8, 12].map((each) => each * HOUR),
  ...[1, 2, 4, 7, 14, 30, 90, 365].map((each) => each * DAY),
];

/** Dollars, 1, 2, 5 and so on. */
export const MONEY_EDGES: readonly number[] = [
  0,
  ...[-5, -4, -3, -2, -1, 0, 1, 2, 3].flatMap((power) => [1, 2, 5].map((each) => Number(`${each}e${power}`))),
];

/**
 * Each fine bar goes where its middle lies; the fine ones are a tenth wide, so that a value near an edge may
 * stand on the other side of it. Empty bins at both ends are left out.
 * @param edges ascending; the last bin takes all that is beyond
 */
export function rebin(bars: readonly Bin[], edges: readonly number[]): readonly Bin[] {
  const bins = edges.map((from, index) => ({
    from,
    below: edges[index + 1] ?? Number.POSITIVE_INFINITY,
    count: 0,
  }));
  for (const { from, below, count } of bars) {
    const middle = from === 0 ? below / 2 : Math.sqrt(from * below);
    const bin = bins.findLast((each) => each.from <= middle);
    if (bin !== undefined) bin.count += count;
  }
  const filled = bins.flatMap(({ count }, index) => (count > 0 ? [index] : []));
  return bins.slice(filled[0] ?? 0, (filled.at(-1) ?? -1) + 1);
}
