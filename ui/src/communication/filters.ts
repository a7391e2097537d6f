/** What of the record is shown: from the address to the API's parameters, and the same decision for live rows. */
import type { Row } from "./row.ts";

export const CHANNELS = ["ask", "task", "task_comment", "task_result", "mail"] as const;
export const STATUSES = ["delivered", "failed", "timeout", "denied"] as const;

export interface Filters {
  readonly a: string;
  /** Empty: all that `a` talks with. */
  readonly b: string;
  readonly channel: (typeof CHANNELS)[number] | "";
  readonly status: (typeof STATUSES)[number] | "";
  /** A day in the reader's zone (`YYYY-MM-DD`) or an instant, ISO 8601; both ends belong to the period. */
  readonly since: string;
  readonly until: string;
  readonly q: string;
}

/** Words that are none of the known ones filter nothing. */
export function readFilters(query: Readonly<Record<string, string>>): Filters {
  return {
    a: query.a ?? "",
    b: query.b ?? "",
    channel: CHANNELS.find((known) => known === query.channel) ?? "",
    status: STATUSES.find((known) => known === query.status) ?? "",
    since: instantOf(query.since) === "" ? "" : (query.since ?? ""),
    until: instantOf(query.until) === "" ? "" : (query.until ?? ""),
    q: (query.q ?? "").trim(),
  };
}

/** The same for the API: days become the instants of their first and last millisecond here. */
export function apiFilters(filters: Filters): Filters {
  return { ...filters, since: instantOf(filters.since), until: lastInstantOf(filters.until) };
}

/** Whether the API would list the row; null when only it can tell, because words are searched for. */
export function matches(row: Row, filters: Filters): boolean | null {
  const { a, b, channel, status, since, until, q } = apiFilters(filters);
  const inScope =
    b === ""
      ? row.fromAgentId === a || row.toAgentId === a
      : (row.fromAgentId === a && row.toAgentId === b) || (row.fromAgentId === b && row.toAgentId === a);
  const fits =
    inScope &&
    (channel === "" || row.channel === channel) &&
    (status === "" || row.status === status) &&
    (since === "" || row.occurredAt >= since) &&
    (until === "" || row.occurredAt <= until);
  return fits && q !== "" ? null : fits;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The instant of a day's beginning in the reader's zone; an instant stays one. Empty for what is neither. */
export function instantOf(text: string | undefined): string {
  if (text === undefined || text === "") return "";
  // Without a zone a time is read as local, but a bare date as UTC.
  const date = new Date(DAY.test(text) ? `${text}T00:00:00` : text);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

function lastInstantOf(text: string): string {
  if (!DAY.test(text)) return instantOf(text);
  const date = new Date(`${text}T00:00:00`);
  if (Number.isNaN(date.getTime())) return "";
  date.setDate(date.getDate() + 1);
  return new Date(date.getTime() - 1).toISOString();
}
