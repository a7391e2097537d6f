/** Axes with numbers that people would choose. No I/O. */

/**
 * Ticks from 0 to the first one that is not below `max`, in steps of 1, 2 or 5 times a power of ten.
 * @param most how many steps at most, at least 2
 * @param whole counts have no ticks between whole numbers
 */
export function ticksUpTo(max: number, most: number, whole = false): readonly number[] {
  if (!Number.isFinite(max) || max <= 0) return [0, 1];
  const step = niceStep(max, most, whole ? 1 : 0);
  const count = Math.max(1, Math.ceil(max / step - 1e-9));
  // Multiplying keeps 0.3 from becoming 0.30000000000000004 by adding; the rest is rounded away.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

function niceStep(max: number, most: number, least: number): number {
  const rough = Math.max(max / most, least);
  const power = 10 ** Math.floor(Math.log10(rough) + 1e-9);
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/**
 * Every how many of the columns one is labelled, so that labels do not touch.
 * @param nice distances to choose from, ascending
 */
export function labelEvery(
  count: number,
  room: { readonly width: number; readonly label: number },
  nice: readonly number[],
): number {
  const column = room.width / Math.max(1, count);
  const fits = (every: number) => every * column >= room.label;
  const last = nice.at(-1) ?? 1;
  return nice.find(fits) ?? last * Math.max(1, Math.ceil(room.label / (last * column)));
}
