/** A period to the millisecond: its whole hours, and what is left of hours at its ends. */
import type { Reader } from "../record/reader.ts";
import { periodKeys } from "./period.ts";
import type { CountedPeriod } from "./stats-view.ts";

const HOUR_MS = 3_600_000;

export interface PeriodParts {
  readonly whole: CountedPeriod;
  /** First and last moment of each, both included. */
  readonly edges: readonly (readonly [from: string, to: string])[];
}

/** Both ends belong to the period; null is open. */
export function partsOf(since: string | null, until: string | null): PeriodParts {
  const start = since === null ? null : Math.ceil(Date.parse(since) / HOUR_MS) * HOUR_MS;
  const end = until === null ? null : Math.floor((Date.parse(until) + 1) / HOUR_MS) * HOUR_MS;
  if (since !== null && until !== null && start !== null && end !== null && start >= end)
    return { whole: { since: iso(0), before: iso(0) }, edges: [[since, until]] };
  const first =
    since === null || start === null || iso(start) === since ? [] : [[since, iso(start - 1)] as const];
  const last = until === null || end === null || iso(end - 1) === until ? [] : [[iso(end), until] as const];
  return {
    whole: { since: start === null ? null : iso(start), before: end === null ? null : iso(end) },
    edges: [...first, ...last],
  };
}

const iso = (ms: number) => new Date(ms).toISOString();

/** The keys of the whole hours that have messages. Rejects when D1 does. */
export async function keysWithin(reader: Reader, period: CountedPeriod): Promise<string[]> {
  const months = await reader.first<{ first: string | null; last: string | null }>(
    `SELECT (SELECT "Period" FROM "MessageRollups" ORDER BY "Period" LIMIT 1) AS "first", (SELECT "Period" FROM "MessageRollups" ORDER BY "Period" DESC LIMIT 1) AS "last"`,
  );
  if (months === null || months.first === null || months.last === null) return [];
  return periodKeys(period, { first: months.first.slice(0, 7), last: months.last.slice(0, 7) });
}
