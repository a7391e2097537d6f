import type { MessageCounts } from "./stats-view.ts";

export interface StatusCounts {
  readonly messages: number;
  readonly failed: number;
  readonly timeout: number;
  readonly denied: number;
}

export function countsOf(all: readonly StatusCounts[]): MessageCounts {
  const sum = (value: (counts: StatusCounts) => number) =>
    all.reduce((total, each) => total + value(each), 0);
  const [messages, failed, timeout, denied] = [
    sum((each) => each.messages),
    sum((each) => each.failed),
    sum((each) => each.timeout),
    sum((each) => each.denied),
  ];
  const trouble = failed + timeout + denied;
  return {
    messages,
    delivered: messages - trouble,
    failed,
    timeout,
    denied,
    troubleRate: rateOf(trouble, messages),
  };
}

/** Null of nothing. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** How many of all comparisons may be wrong by chance. */
const BY_CHANCE = 0.05;

/**
 * What the rate is at least, in all likelihood (Wilson's interval): 3 of 4 says less than 30 of 40. The more rates
 * are compared, the surer each must be, since chance would make one of many stand out. 0 of nothing.
 */
export function surelyAtLeast(part: number, whole: number, comparisons: number): number {
  if (whole === 0) return 0;
  const spread = quantile(BY_CHANCE / Math.max(1, comparisons)) ** 2;
  const rate = part / whole;
  const z = spread / whole;
  const margin = Math.sqrt((spread * (rate * (1 - rate) + z / 4)) / whole);
  return Math.max(0, (rate + z / 2 - margin) / (1 + z));
}

/** How many standard deviations lie below all but that share of a normal distribution (Abramowitz and Stegun 26.2.23). */
function quantile(share: number): number {
  const t = Math.sqrt(-2 * Math.log(share));
  return (
    t -
    (2.515517 + 0.802853 * t + 0.010328 * t ** 2) / (1 + 1.432788 * t + 0.189269 * t ** 2 + 0.001308 * t ** 3)
  );
}
