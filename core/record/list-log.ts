/** Log lines, newest first, and a module's day as a file. */
import type { LogLevel } from "../log.ts";
import type { Cell } from "./columns.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { firstIdAfter, firstIdAt } from "./insert-statement.ts";
import { parseInstant, parseUntil } from "./instant.ts";
import { LOG_COLUMNS, type LogView } from "./log-rows.ts";
import { boundedLimit } from "./message-filter.ts";
import type { Reader } from "./reader.ts";

type Optional = string | null | undefined;

export interface LogFilter {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day?: Optional;
  readonly module?: Optional;
  /** This level and those above. */
  readonly level?: LogLevel | "" | null | undefined;
  readonly agentId?: Optional;
  readonly runId?: Optional;
  /** A part of the text; ASCII case is ignored. */
  readonly q?: Optional;
  /** ISO 8601: lines from then on. */
  readonly since?: Optional;
  /** The cursor `older` of an earlier page. */
  readonly before?: Optional;
  /** 1 to 500; 200 when absent. */
  readonly limit?: number | null | undefined;
}

export type ListLogResult =
  | { readonly ok: true; readonly lines: readonly LogView[]; readonly older: string | null }
  | { readonly ok: false; readonly problem: LogProblem };

type LogProblem =
  | { readonly code: "bad_cursor"; readonly parameter: "before" }
  | { readonly code: "bad_time"; readonly parameter: "day" | "since" };

/**
 * Agent, run and text have no index: at most this many lines are compared for a page, each once. The second number
 * is for those who find little among the first.
 */
const LOOKS = [500, 4_500];

/**
 * One page of lines. A page may hold less than `limit` and still have older ones, when its filters left out
 * most of what was looked at. Rejects when D1 does.
 */
export async function listLog(reader: Reader, filter: LogFilter): Promise<ListLogResult> {
  const range = rangeOf(filter);
  if ("code" in range) return { ok: false, problem: range };
  const limit = boundedLimit(filter.limit, 200, 500);
  const kept = filtersOf(filter);
  if (kept.sql === "") return wholePage(reader, scopeOf(filter, range), limit);
  const { ids, stoppedAt } = await lookThrough(reader, { filter, range, kept, limit });
  const lines = await reader.all<LogView>(
    `SELECT ${LOG_COLUMNS} FROM "Logs" l WHERE l."Id" IN (SELECT value FROM json_each(?)) ORDER BY l."Id" DESC`,
    JSON.stringify(ids),
  );
  const older = stoppedAt === null ? null : encodeCursor({ id: stoppedAt, occurredAt: "" });
  return { ok: true, lines, older };
}

async function wholePage(reader: Reader, scope: Where, limit: number): Promise<ListLogResult> {
  const rows = await reader.all<LogView>(
    `SELECT ${LOG_COLUMNS} FROM "Logs" l WHERE ${scope.sql} ORDER BY l."Id" DESC LIMIT ?`,
    ...scope.params,
    limit + 1,
  );
  const lines = rows.slice(0, limit);
  const last = rows.length > limit ? lines.at(-1) : undefined;
  return { ok: true, lines, older: last === undefined ? null : encodeCursor(last) };
}

interface Look {
  readonly filter: LogFilter;
  readonly range: Range;
  readonly kept: Where;
  readonly limit: number;
}

/** Ids of lines that pass, at most `limit`, and where the next page goes on; null when everything has been seen. */
async function lookThrough(reader: Reader, { filter, range, kept, limit }: Look) {
  const ids: number[] = [];
  let { to } = range;
  for (const look of LOOKS) {
    const scope = scopeOf(filter, { ...range, to });
    const seen = await reader.all<{ id: number; passes: number | null }>(
      `SELECT l."Id" AS "id", (${kept.sql}) AS "passes" FROM "Logs" l WHERE ${scope.sql} ORDER BY l."Id" DESC LIMIT ?`,
      ...kept.params,
      ...scope.params,
      look,
    );
    ids.push(...seen.flatMap(({ id, passes }) => (passes === 1 ? [id] : [])));
    const last = ids[limit - 1];
    if (ids.length > limit && last !== undefined) return { ids: ids.slice(0, limit), stoppedAt: last };
    if (seen.length < look) return { ids, stoppedAt: null };
    to = seen.at(-1)?.id ?? to;
  }
  return { ids, stoppedAt: to };
}

/** A page of a day's lines, oldest first, after a line's id; 0 begins. Empty at the end. Rejects when D1 does. */
export function readLogDay(
  reader: Reader,
  filter: Pick<LogFilter, "module" | "level" | "agentId" | "runId" | "q"> & { readonly day: string },
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<LogView[]> {
  const from = Math.max(after + 1, firstIdAt(`${filter.day}T00:00:00.000Z`));
  const scope = scopeOf(filter, { from, to: firstIdAfter(`${filter.day}T23:59:59.999Z`) });
  const kept = filtersOf(filter);
  const where = kept.sql === "" ? scope.sql : `${scope.sql} AND ${kept.sql}`;
  return reader.all<LogView>(
    `SELECT ${LOG_COLUMNS} FROM "Logs" l WHERE ${where} ORDER BY l."Id" LIMIT ?`,
    ...scope.params,
    ...kept.params,
    limit,
  );
}

/** Ids from `from` up to, not including, `to`: they follow time. */
interface Range {
  readonly from: number;
  readonly to: number;
}

function rangeOf(filter: LogFilter): Range | LogProblem {
  const start = filter.day ? parseInstant(filter.day) : null;
  const end = filter.day ? parseUntil(filter.day) : null;
  if (filter.day && (start === null || end === null)) return { code: "bad_time", parameter: "day" };
  const since = filter.since ? parseInstant(filter.since) : null;
  if (filter.since && since === null) return { code: "bad_time", parameter: "since" };
  const before = filter.before ? decodeCursor(filter.before) : null;
  if (filter.before && before === null) return { code: "bad_cursor", parameter: "before" };
  return {
    from: Math.max(start === null ? 0 : firstIdAt(start), since === null ? 0 : firstIdAt(since)),
    to: Math.min(
      before?.id ?? Number.MAX_SAFE_INTEGER,
      end === null ? Number.MAX_SAFE_INTEGER : firstIdAfter(end),
    ),
  };
}

interface Where {
  readonly sql: string;
  readonly params: readonly Cell[];
}

/** What an index narrows down: that of the lines which are trouble, else the module's, else the ids. */
function scopeOf({ module, level }: LogFilter, { from, to }: Range): Where {
  const terms: [string, ...Cell[]][] = [[`l."Id" >= ? AND l."Id" < ?`, from, to]];
  if (isTrouble(level)) terms.push([`l."Level" IN ('warn', 'error')`]);
  else if (module) terms.push([`l."Module" = ?`, module]);
  return joined(terms);
}

function isTrouble(level: LogFilter["level"]): boolean {
  return level === "warn" || level === "error";
}

function filtersOf(filter: LogFilter): Where {
  const q = filter.q ? filter.q.replaceAll("\0", "").toWellFormed() : "";
  const terms: [string, ...Cell[]][] = [];
  if (isTrouble(filter.level) && filter.module) terms.push([`l."Module" = ?`, filter.module]);
  if (filter.level === "error") terms.push([`l."Level" = 'error'`]);
  if (filter.agentId) terms.push([`l."AgentId" = ?`, filter.agentId]);
  if (filter.runId) terms.push([`l."RunId" = ?`, filter.runId]);
  if (q !== "") terms.push([`instr(lower(l."Text"), lower(?)) > 0`, q]);
  return joined(terms);
}

function joined(terms: readonly (readonly [string, ...Cell[]])[]): Where {
  return {
    sql: terms.map(([sql]) => sql).join(" AND "),
    params: terms.flatMap(([, ...params]) => params),
  };
}
