/** Random choices that a seed repeats. */
export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number;
  pick<T>(values: readonly T[]): T;
  chance(share: number): boolean;
  /** Around a standard normal distribution. */
  normal(): number;
}

export function randomOf(seed: number): Random {
  let state = (seed * 2_654_435_761) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    whole,
    pick: (values) => {
      const value = values[whole(0, values.length - 1)];
      if (value === undefined) throw new RangeError("nothing to pick from");
      return value;
    },
    chance: (share) => next() < share,
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}
