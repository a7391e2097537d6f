/** Which figures are shown, read off the address, and as the API is asked for them. Days are UTC, as the roll-ups count them. */
type Query = Readonly<Record<string, string>>;

export const CHANNELS = ["ask", "task", "task_comment", "task_result", "mail"] as const;
/** Days up to and with today, or everything on record. */
export const SPANS = ["7", "30", "90", "all"] as const;
const DEFAULT_SPAN = "30";

export interface InsightFilters {
  readonly a: string;
  /** Empty, or with `a` the pair of both. */
  readonly b: string;
  readonly channel: (typeof CHANNELS)[number] | "";
  /** `own`: from `since` to `until`. */
  readonly span: (typeof SPANS)[number] | "own";
  /** `YYYY-MM-DD` or empty; both days belong to the period. */
  readonly since: string;
  readonly until: string;
}

/** Words that are none of the known ones filter nothing. */
export function readFilters(query: Query): InsightFilters {
  const since = dayOf(query.since);
  const until = dayOf(query.until);
  const [a = "", b = ""] = [query.a, query.b].filter((agent) => agent !== undefined && agent !== "");
  return {
    a,
    b: b === a ? "" : b,
    channel: CHANNELS.find((known) => known === query.channel) ?? "",
    span: since + until !== "" ? "own" : (SPANS.find((known) => known === query.days) ?? DEFAULT_SPAN),
    since,
    until,
  };
}

/** What the address says of a span: nothing of the usual one. */
export const spanInAddress = (span: (typeof SPANS)[number]): string => (span === DEFAULT_SPAN ? "" : span);

export interface StatsQuery {
  readonly a: string;
  readonly b: string;
  readonly channel: InsightFilters["channel"];
  readonly since: string;
  readonly until: string;
}

const DAY_MS = 86_400_000;

/** @param now epoch milliseconds */
export function statsQuery({ a, b, channel, span, since, until }: InsightFilters, now: number): StatsQuery {
  if (span === "own") return { a, b, channel, since, until };
  const first = span === "all" ? "" : utcDay(now - (Number(span) - 1) * DAY_MS);
  return { a, b, channel, since: first, until: "" };
}

export const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function dayOf(text: string | undefined): string {
  if (text === undefined || !DAY.test(text)) return "";
  const ms = Date.parse(text);
  // The thirtieth of February is read as a day of March by some: only what stays itself is a day.
  return !Number.isNaN(ms) && utcDay(ms) === text ? text : "";
}
