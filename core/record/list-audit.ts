/** Audit entries, newest first. */
import type { Cell } from "./columns.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { firstIdAfter } from "./insert-statement.ts";
import { parseInstant, parseUntil } from "./instant.ts";
import { boundedLimit } from "./message-filter.ts";
import type { Reader } from "./reader.ts";
import { AUDIT_COLUMNS, type AuditView } from "./run-view.ts";

type Optional = string | null | undefined;

export interface AuditFilter {
  readonly agentId?: Optional;
  readonly tool?: Optional;
  readonly outcome?: Optional;
  /** A part of the arguments or of the error; ASCII case is ignored. */
  readonly q?: Optional;
  /** ISO 8601; both ends belong to the period. */
  readonly since?: Optional;
  readonly until?: Optional;
  /** The cursor `older` of an earlier page. */
  readonly before?: Optional;
  /** 1 to 500; 200 when absent. */
  readonly limit?: number | null | undefined;
}

export type ListAuditResult =
  | { readonly ok: true; readonly entries: readonly AuditView[]; readonly older: string | null }
  | {
      readonly ok: false;
      readonly problem:
        | { readonly code: "bad_cursor"; readonly parameter: "before" }
        | { readonly code: "bad_time"; readonly parameter: "since" | "until" };
    };

/** Only the agent has an index: filters are compared with at most this many entries per page. */
const SCANNED_ROWS = 10_000;

/**
 * One page of entries. A page may hold less than `limit` and still have older ones, when its filters left
 * out most of what was looked at. Rejects when D1 does.
 */
export async function listAudit(reader: Reader, filter: AuditFilter): Promise<ListAuditResult> {
  const since = filter.since ? parseInstant(filter.since) : null;
  if (filter.since && since === null) return { ok: false, problem: { code: "bad_time", parameter: "since" } };
  const until = filter.until ? parseUntil(filter.until) : null;
  if (filter.until && until === null) return { ok: false, problem: { code: "bad_time", parameter: "until" } };
  const before = filter.before ? decodeCursor(filter.before) : null;
  if (filter.before && before === null)
    return { ok: false, problem: { code: "bad_cursor", parameter: "before" } };
  const limit = boundedLimit(filter.limit, 200, 500);
  const scope = scopeOf(filter.agentId, before?.id ?? null, until);
  const kept = filtersOf(filter, since, until);
  const rows = await reader.all<AuditView>(pageSql(scope, kept), ...scope.params, ...kept.params, limit + 1);
  const entries = rows.slice(0, limit);
  const last = rows.length > limit ? entries.at(-1) : await lastScanned(reader, scope, kept);
  return { ok: true, entries, older: last === undefined || last === null ? null : encodeCursor(last) };
}

interface Where {
  readonly terms: readonly string[];
  readonly params: readonly Cell[];
}

/** Ids follow time: entries after the period are skipped by id. */
function scopeOf(agentId: Optional, beforeId: number | null, until: string | null): Where {
  const untilId = until === null ? null : firstIdAfter(until);
  const end = Math.min(beforeId ?? Number.MAX_SAFE_INTEGER, untilId ?? Number.MAX_SAFE_INTEGER);
  return agentId
    ? { terms: [`a."AgentId" = ?`, `a."Id" < ?`], params: [agentId, end] }
    : { terms: [`a."Id" < ?`], params: [end] };
}

function filtersOf(filter: AuditFilter, since: string | null, until: string | null): Where {
  const q = filter.q ? filter.q.replaceAll("\0", "").toWellFormed() : "";
  const contains = `(instr(lower(a."Arguments"), lower(?)) > 0 OR instr(lower(coalesce(a."Error", '')), lower(?)) > 0)`;
  const all: readonly (readonly [string, ...Cell[]] | null)[] = [
    filter.tool ? [`a."Tool" = ?`, filter.tool] : null,
    filter.outcome ? [`a."Outcome" = ?`, filter.outcome] : null,
    since === null ? null : [`a."OccurredAt" >= ?`, since],
    until === null ? null : [`a."OccurredAt" <= ?`, until],
    q === "" ? null : [contains, q, q],
  ];
  const given = all.filter((entry) => entry !== null);
  return { terms: given.map(([sql]) => sql), params: given.flatMap(([, ...params]) => params) };
}

function pageSql(scope: Where, kept: Where): string {
  const scanned = `SELECT * FROM "AuditLog" a WHERE ${scope.terms.join(" AND ")} ORDER BY a."Id" DESC LIMIT ${SCANNED_ROWS}`;
  const where = kept.terms.length === 0 ? "" : `WHERE ${kept.terms.join(" AND ")}`;
  return `SELECT ${AUDIT_COLUMNS} FROM (${scanned}) a ${where} ORDER BY a."Id" DESC LIMIT ?`;
}

/** Where a page goes on that stopped looking before it was full; null when it has seen everything. */
function lastScanned(
  reader: Reader,
  scope: Where,
  kept: Where,
): Promise<{ id: number; occurredAt: string } | null> {
  if (kept.terms.length === 0) return Promise.resolve(null);
  return reader.first<{ id: number; occurredAt: string }>(
    `SELECT a."Id" AS "id", '' AS "occurredAt" FROM "AuditLog" a WHERE ${scope.terms.join(" AND ")} ORDER BY a."Id" DESC LIMIT 1 OFFSET ${SCANNED_ROWS - 1}`,
    ...scope.params,
  );
}
