/** The time axis: every step of the period, those in which nothing happened too. UTC. No I/O. */
export type Grain = "hour" | "day" | "month";

/** More columns than the API's finest axis has are never drawn. */
const MAX_STEPS = 400;
const LENGTHS = { hour: 13, day: 10, month: 7 } as const;

interface Axis {
  readonly grain: Grain;
  /** The beginning asked for, or null for the first point's. ISO 8601. */
  readonly since: string | null;
  /** The first moment that is no longer part of it, or null: until now. */
  readonly before: string | null;
  /** Steps that hold something, ascending: `2026-10`, `2026-10-01` or `2026-10-01T13`. */
  readonly points: readonly string[];
}

/** @param now epoch milliseconds: what is yet to come is no part of the axis */
export function timeSteps({ grain, since, before, points }: Axis, now: number): readonly string[] {
  const length = LENGTHS[grain];
  const end = Math.min(before === null ? Number.POSITIVE_INFINITY : Date.parse(before) - 1, now);
  const last = later(new Date(end).toISOString().slice(0, length), points.at(-1));
  const first = since === null ? (points[0] ?? last) : since.slice(0, length);
  const steps = stepsFrom(first, last, grain);
  // A beginning long before the first message says nothing.
  return steps.length < MAX_STEPS ? steps : stepsFrom(points[0] ?? last, last, grain);
}

function later(one: string, other: string | undefined): string {
  return other !== undefined && other > one ? other : one;
}

function stepsFrom(first: string, last: string, grain: Grain): string[] {
  const steps: string[] = [];
  for (let step = first; step <= last && steps.length < MAX_STEPS; step = stepAfter(step, grain))
    steps.push(step);
  return steps;
}

function stepAfter(step: string, grain: Grain): string {
  const date = dateOfStep(step);
  if (grain === "hour") date.setUTCHours(date.getUTCHours() + 1);
  else if (grain === "day") date.setUTCDate(date.getUTCDate() + 1);
  else date.setUTCMonth(date.getUTCMonth() + 1);
  return date.toISOString().slice(0, LENGTHS[grain]);
}

/** The beginning of a step. */
export function dateOfStep(step: string): Date {
  return new Date(`${step}${"2026-01-01T00:00:00.000Z".slice(step.length)}`);
}

/** How far apart labels of steps may stand. */
export const NICE_STEPS: Readonly<Record<Grain, readonly number[]>> = {
  hour: [1, 2, 3, 6, 12, 24],
  day: [1, 2, 7, 14, 28],
  month: [1, 2, 3, 6, 12],
};
