/** Which roll-ups a request is about: its period as keys, and its agents. */
import type { Reader } from "../record/reader.ts";
import type { MessageChannel } from "../record/vocabulary.ts";
import { type PeriodInput, parsePeriod, periodKeys, seriesKeys } from "./period.ts";
import type { CountedPeriod, Stats } from "./stats-view.ts";

export interface FigureInput extends PeriodInput {
  /** One agent; with `b` the pair of both. */
  readonly a?: string | null | undefined;
  readonly b?: string | null | undefined;
  readonly channel?: MessageChannel | "" | null | undefined;
}

export interface Scope {
  readonly period: CountedPeriod;
  readonly filter: Stats["filter"];
  /** JSON lists of the periods that make up the whole, and of the steps of the time axis. */
  readonly keys: string;
  readonly grain: Stats["grain"];
  readonly steps: string;
}

export type ScopeResult =
  | { readonly ok: true; readonly scope: Scope }
  | {
      readonly ok: false;
      readonly problem: { readonly code: "bad_time"; readonly parameter: "since" | "until" };
    };

/** Rejects when D1 does. */
export async function scopeOf(reader: Reader, input: FigureInput): Promise<ScopeResult> {
  const parsed = parsePeriod(input);
  if (!parsed.ok) return parsed;
  const { period } = parsed;
  const months = await reader.first<{ first: string | null; last: string | null }>(MONTHS);
  const range = { first: months?.first?.slice(0, 7) ?? "", last: months?.last?.slice(0, 7) ?? "" };
  const filter = { a: input.a || null, b: input.b || null, channel: input.channel || null };
  if (range.first === "")
    return { ok: true, scope: { period, filter, keys: "[]", grain: "day", steps: "[]" } };
  const { grain, keys } = seriesKeys(period, range);
  return {
    ok: true,
    scope: {
      period,
      filter,
      keys: JSON.stringify(periodKeys(period, range)),
      grain,
      steps: JSON.stringify(keys),
    },
  };
}

/** The first and last period of the three kinds of roll-ups: one row of each end. */
const MONTHS = `SELECT min("first") AS "first", max("last") AS "last" FROM (
    SELECT (SELECT "Period" FROM "MessageRollups" ORDER BY "Period" LIMIT 1) AS "first", (SELECT "Period" FROM "MessageRollups" ORDER BY "Period" DESC LIMIT 1) AS "last"
    UNION ALL SELECT (SELECT "Period" FROM "RunRollups" ORDER BY "Period" LIMIT 1), (SELECT "Period" FROM "RunRollups" ORDER BY "Period" DESC LIMIT 1))`;

interface Clause {
  readonly sql: string;
  readonly params: readonly string[];
}

/** Messages between both agents, or from and to the one. */
export function pairClause({ a, b }: Scope["filter"]): Clause {
  if (a !== null && b !== null)
    return {
      sql: ` AND (("FromAgentId" = ? AND "ToAgentId" = ?) OR ("FromAgentId" = ? AND "ToAgentId" = ?))`,
      params: [a, b, b, a],
    };
  const one = a ?? b;
  return one === null
    ? { sql: "", params: [] }
    : { sql: ` AND ("FromAgentId" = ? OR "ToAgentId" = ?)`, params: [one, one] };
}

export function channelClause({ channel }: Scope["filter"]): Clause {
  return channel === null ? { sql: "", params: [] } : { sql: ` AND "Channel" = ?`, params: [channel] };
}

/** Runs and chains of the agents. */
export function agentClause({ a, b }: Scope["filter"]): Clause {
  const agents = [a, b].filter((agent): agent is string => agent !== null);
  return agents.length === 0
    ? { sql: "", params: [] }
    : { sql: ` AND "AgentId" IN (${agents.map(() => "?").join(", ")})`, params: agents };
}
