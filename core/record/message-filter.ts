/** Which messages are asked for: from the words of a request to values that statements take. */
import { type Cursor, decodeCursor } from "./cursor.ts";
import { parseInstant, parseUntil } from "./instant.ts";
import { parseSearch, type SearchTerms } from "./search-terms.ts";

/** Absent, null and "" all mean: no filter. */
type Optional = string | null | undefined;

export interface MessageFilter {
  /** One agent; with `b` the pair of both, without it all of its pairs. */
  readonly a?: Optional;
  readonly b?: Optional;
  readonly channel?: Optional;
  readonly status?: Optional;
  /** ISO 8601; both ends belong to the period. */
  readonly since?: Optional;
  readonly until?: Optional;
  readonly q?: Optional;
  /** Older than, newer than: a cursor from an earlier page, or a message's id or uid. At most one of these three. */
  readonly before?: Optional;
  readonly after?: Optional;
  /** Half a page before and half a page from it on: ISO 8601, or a message's id or uid. */
  readonly around?: Optional;
  /** 1 to 500; 200 when absent. */
  readonly limit?: number | null | undefined;
}

export type FilterProblem =
  | { readonly code: "bad_cursor"; readonly parameter: "before" | "after" }
  | { readonly code: "bad_time"; readonly parameter: "since" | "until" }
  | { readonly code: "no_message"; readonly parameter: "around" }
  | { readonly code: "several_positions"; readonly parameter: "around" };

/** A message that stands for its place; which place that is has still to be looked up. */
interface Named {
  readonly message: string;
}

type Position =
  | { readonly at: "newest" }
  | { readonly at: "before" | "after"; readonly from: { readonly cursor: Cursor } | Named }
  | { readonly at: "around"; readonly from: { readonly instant: string } | Named };

export interface MessageQuery {
  readonly agents: readonly string[];
  readonly channel: string | null;
  readonly status: string | null;
  readonly since: string | null;
  readonly until: string | null;
  readonly search: SearchTerms | null;
  readonly position: Position;
  readonly limit: number;
}

type ParsedFilter =
  | { readonly ok: true; readonly query: MessageQuery }
  | { readonly ok: false; readonly problem: FilterProblem };

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 500;

export function parseMessageFilter(filter: MessageFilter): ParsedFilter {
  const since = filter.since ? parseInstant(filter.since) : null;
  if (filter.since && since === null) return problem("bad_time", "since");
  const until = filter.until ? parseUntil(filter.until) : null;
  if (filter.until && until === null) return problem("bad_time", "until");
  const position = parsePosition(filter);
  if (position === null) return { ok: false, problem: { code: "several_positions", parameter: "around" } };
  const query: MessageQuery = {
    agents: [filter.a, filter.b].filter((agent): agent is string => Boolean(agent)),
    channel: filter.channel || null,
    status: filter.status || null,
    since,
    until,
    search: filter.q ? parseSearch(filter.q) : null,
    position,
    limit: boundedLimit(filter.limit, DEFAULT_LIMIT, MAX_LIMIT),
  };
  return { ok: true, query };
}

/** A whole number from 1 to `max`. */
export function boundedLimit(limit: number | null | undefined, fallback: number, max: number): number {
  const wanted = limit ?? fallback;
  return Number.isFinite(wanted) ? Math.min(max, Math.max(1, Math.trunc(wanted))) : fallback;
}

/** Null when several are given. */
function parsePosition(filter: MessageFilter): Position | null {
  const given = [filter.before, filter.after, filter.around].filter(Boolean);
  if (given.length > 1) return null;
  if (filter.before) return { at: "before", from: cursorOrMessage(filter.before) };
  if (filter.after) return { at: "after", from: cursorOrMessage(filter.after) };
  if (!filter.around) return { at: "newest" };
  const instant = parseInstant(filter.around);
  return { at: "around", from: instant === null ? { message: filter.around } : { instant } };
}

function cursorOrMessage(text: string): { readonly cursor: Cursor } | Named {
  const cursor = decodeCursor(text);
  return cursor === null ? { message: text } : { cursor };
}

function problem(code: "bad_time", parameter: "since" | "until"): ParsedFilter {
  return { ok: false, problem: { code, parameter } };
}
