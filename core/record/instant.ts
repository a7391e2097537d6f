/** Points in time as people and clients write them. */

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;
const NO_ZONE = /T[\d:.]+$/;
const LAST_MILLISECOND = 86_399_999;

/** Epoch milliseconds as the record has them: ISO 8601 UTC with milliseconds. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** ISO 8601 with or without time and zone (UTC without), as UTC with milliseconds; null when it is none. */
export function parseInstant(text: string): string | null {
  const time = ISO.test(text) ? Date.parse(NO_ZONE.test(text) ? `${text}Z` : text) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** The same for the end of a period, which is part of it: a bare date means its last millisecond. */
export function parseUntil(text: string): string | null {
  const instant = parseInstant(text);
  if (instant === null || !DATE_ONLY.test(text)) return instant;
  return new Date(Date.parse(instant) + LAST_MILLISECOND).toISOString();
}
