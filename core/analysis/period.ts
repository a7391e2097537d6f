/** Periods as few keys of roll-ups: whole months, the days around them, the hours around those. UTC. */
import { parseInstant, parseUntil } from "../record/instant.ts";
import type { CountedPeriod } from "./stats-view.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type ParsedPeriod =
  | { readonly ok: true; readonly period: CountedPeriod }
  | {
      readonly ok: false;
      readonly problem: { readonly code: "bad_time"; readonly parameter: "since" | "until" };
    };

export interface PeriodInput {
  readonly since?: string | null | undefined;
  readonly until?: string | null | undefined;
}

/** Whole hours that hold the moments given. */
export function parsePeriod({ since, until }: PeriodInput): ParsedPeriod {
  const first = since ? parseInstant(since) : null;
  if (since && first === null) return { ok: false, problem: { code: "bad_time", parameter: "since" } };
  const last = until ? parseUntil(until) : null;
  if (until && last === null) return { ok: false, problem: { code: "bad_time", parameter: "until" } };
  const period = {
    since: first === null ? null : iso(hourOf(Date.parse(first))),
    before: last === null ? null : iso(hourOf(Date.parse(last)) + HOUR_MS),
  };
  return { ok: true, period };
}

const hourOf = (ms: number) => Math.floor(ms / HOUR_MS) * HOUR_MS;
const iso = (ms: number) => new Date(ms).toISOString();

/** Periods beyond this many years are cut at their beginning, so that a single odd time takes no keys from today. */
const MAX_YEARS = 100;

interface Months {
  readonly first: string;
  readonly last: string;
}

/** The part of the period that can have roll-ups, in epoch milliseconds. */
function bounds(period: CountedPeriod, months: Months): { readonly start: number; readonly end: number } {
  const first = Date.parse(`${months.first}-01`);
  const after = Date.parse(monthAfter(months.last));
  const end = Math.min(Date.parse(period.before ?? iso(after)), after);
  const earliestStart = Date.UTC(new Date(end).getUTCFullYear() - MAX_YEARS, 0, 1);
  return { start: Math.max(Date.parse(period.since ?? iso(first)), first, earliestStart), end };
}

/**
 * The keys that make up the period between two months that have roll-ups, of which an open end takes the
 * first or last. Never more than 46 hours and 60 days besides the months.
 */
export function periodKeys(period: CountedPeriod, months: Months): string[] {
  const { start, end } = bounds(period, months);
  const keys: string[] = [];
  for (let at = start; at < end; ) {
    const time = iso(at);
    const month = Date.parse(monthAfter(time.slice(0, 7)));
    const isMonth = time.endsWith("-01T00:00:00.000Z") && month <= end;
    const isDay = time.endsWith("T00:00:00.000Z") && at + DAY_MS <= end;
    keys.push(time.slice(0, isMonth ? 7 : isDay ? 10 : 13));
    at = isMonth ? month : at + (isDay ? DAY_MS : HOUR_MS);
  }
  return keys;
}

/** The month after `2026-12`, as a time that can be parsed. */
function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return iso(Date.UTC(year, number, 1));
}

export type Grain = "hour" | "day" | "month";

const HOURLY_MS = 4 * DAY_MS;
const DAILY_MS = 100 * DAY_MS;

/** The steps of a time axis over the period: at most 96 hours or 100 days, else months. */
export function seriesKeys(
  period: CountedPeriod,
  months: Months,
): { readonly grain: Grain; readonly keys: readonly string[] } {
  const { start, end } = bounds(period, months);
  const grain = end - start <= HOURLY_MS ? "hour" : end - start <= DAILY_MS ? "day" : "month";
  const length = { hour: 13, day: 10, month: 7 }[grain];
  const next = (at: number) =>
    grain === "month" ? Date.parse(monthAfter(iso(at))) : at + (grain === "hour" ? HOUR_MS : DAY_MS);
  const keys: string[] = [];
  for (let at = start; at < end; at = next(at)) keys.push(iso(at).slice(0, length));
  return { grain, keys };
}

/** The keys in which something of that time counts. */
export function keysOf(time: string): [month: string, day: string, hour: string] {
  return [time.slice(0, 7), time.slice(0, 10), time.slice(0, 13)];
}

/** Of ISO times; the first one given when there is only one. */
export function earliest(first: string, ...others: readonly string[]): string {
  return [first, ...others].sort()[0] ?? first;
}

export function latest(first: string, ...others: readonly string[]): string {
  return [first, ...others].sort().at(-1) ?? first;
}
