/**
 * The statements behind a list of messages. Their shapes are measured: an index gives scope and order, so
 * that a page reads its own rows whatever the table's size.
 */
import type { Cell } from "./columns.ts";
import type { Cursor } from "./cursor.ts";
import type { MessageQuery } from "./message-filter.ts";
import { LISTED_MESSAGE, type SelectedMessage } from "./message-view.ts";
import type { Reader } from "./reader.ts";
import { pairKey } from "./rows.ts";
import { matchAll, quoteTerm } from "./search-terms.ts";

export type Direction = "older" | "newer";

/** Where to start: beside a row, or at a moment (which itself belongs to the newer side). */
export type Edge = { readonly cursor: Cursor } | { readonly instant: string };

/** At most `count` messages from the edge on, in the direction's order; null starts at the very end. */
export function fetchMessages(
  reader: Reader,
  query: MessageQuery,
  travel: { readonly direction: Direction; readonly edge: Edge | null; readonly count: number },
): Promise<SelectedMessage[]> {
  const parts = { query, ...travel };
  const { sql, params } = indexedTerms(query).length > 0 ? searchStatement(parts) : pageStatement(parts);
  return reader.all<SelectedMessage>(sql, ...params);
}

interface Parts {
  readonly query: MessageQuery;
  readonly direction: Direction;
  readonly edge: Edge | null;
  readonly count: number;
}

interface Clause {
  readonly sql: string;
  readonly params: readonly Cell[];
}

const clause = (sql: string, ...params: Cell[]): Clause => ({ sql, params });
const order = (direction: Direction) => (direction === "older" ? "DESC" : "ASC");

function indexedTerms(query: MessageQuery): readonly string[] {
  return query.search?.indexed ?? [];
}

function pageStatement(parts: Parts): Clause {
  const [a, b] = parts.query.agents;
  if (a === undefined) return onePage(parts, []);
  if (b !== undefined) return onePage(parts, [clause(`m."PairKey" = ?`, pairKey(a, b))]);
  // Each side of an agent has its own index; a message to oneself belongs to the first only.
  const sent = onePage(parts, [clause(`m."FromAgentId" = ?`, a)]);
  const received = onePage(parts, [clause(`m."ToAgentId" = ? AND m."FromAgentId" <> ?`, a, a)]);
  const sort = order(parts.direction);
  return {
    sql: `SELECT * FROM (${sent.sql}) UNION ALL SELECT * FROM (${received.sql}) ORDER BY "occurredAt" ${sort}, "id" ${sort} LIMIT ?`,
    params: [...sent.params, ...received.params, parts.count],
  };
}

function onePage(parts: Parts, scope: readonly Clause[]): Clause {
  const { query, direction, edge, count } = parts;
  const where = [...scope, ...edgeInTime(direction, edge), ...periodInTime(query), ...rowFilters(query)];
  const sort = order(direction);
  return {
    sql: `SELECT ${LISTED_MESSAGE} FROM "AgentMessages" m ${whereSql(where)} ORDER BY m."OccurredAt" ${sort}, m."Id" ${sort} LIMIT ?`,
    params: [...where.flatMap(({ params }) => params), count],
  };
}

function edgeInTime(direction: Direction, edge: Edge | null): Clause[] {
  if (edge === null) return [];
  if ("instant" in edge)
    return [clause(`m."OccurredAt" ${direction === "older" ? "<" : ">="} ?`, edge.instant)];
  const { occurredAt, id } = edge.cursor;
  return [clause(`(m."OccurredAt", m."Id") ${direction === "older" ? "<" : ">"} (?, ?)`, occurredAt, id)];
}

function periodInTime({ since, until }: MessageQuery): Clause[] {
  return [
    ...(since === null ? [] : [clause(`m."OccurredAt" >= ?`, since)]),
    ...(until === null ? [] : [clause(`m."OccurredAt" <= ?`, until)]),
  ];
}

function rowFilters({ channel, status }: MessageQuery): Clause[] {
  return [
    ...(channel === null ? [] : [clause(`m."Channel" = ?`, channel)]),
    ...(status === null ? [] : [clause(`m."Status" = ?`, status)]),
  ];
}

/** CROSS JOIN keeps the search index in front: its rows come sorted by Id, so LIMIT ends the search early. */
function searchStatement(parts: Parts): Clause {
  const { query, direction, edge, count } = parts;
  const where = [
    clause(`"AgentMessagesFts" MATCH ?`, matchExpression(query)),
    ...edgeInIds(parts, edge),
    ...periodInIds(parts),
    ...scopeFilters(query),
    ...periodInTime(query),
    ...rowFilters(query),
  ];
  return {
    sql: `SELECT ${LISTED_MESSAGE} FROM "AgentMessagesFts" f CROSS JOIN "AgentMessages" m ON m."Id" = f.rowid ${whereSql(where)} ORDER BY f.rowid ${order(direction)} LIMIT ?`,
    params: [...where.flatMap(({ params }) => params), count],
  };
}

function matchExpression(query: MessageQuery): string {
  const content = matchAll("Content", indexedTerms(query));
  const [a, b] = query.agents;
  if (a === undefined) return content;
  if (b !== undefined) return `Pair : ${quoteTerm(`<${pairKey(a, b)}>`)} AND ${content}`;
  return `Pair : (${quoteTerm(`<${a}|`)} OR ${quoteTerm(`|${a}>`)}) AND ${content}`;
}

/** The index folds case, so the pair it found is compared once more. */
function scopeFilters({ agents: [a, b] }: MessageQuery): Clause[] {
  if (a === undefined) return [];
  if (b !== undefined) return [clause(`+m."PairKey" = ?`, pairKey(a, b))];
  return [clause(`(+m."FromAgentId" = ? OR +m."ToAgentId" = ?)`, a, a)];
}

function edgeInIds(parts: Parts, edge: Edge | null): Clause[] {
  if (edge === null) return [];
  const older = parts.direction === "older";
  // D1 binds numbers as floats, by which the search index cannot seek: it would walk all hits from its end.
  if ("cursor" in edge) return [clause(`f.rowid ${older ? "<" : ">"} CAST(? AS INTEGER)`, edge.cursor.id)];
  const first = firstIdFrom(parts.query, edge.instant);
  return [
    { sql: `f.rowid ${older ? "<" : ">="} coalesce(${first.sql}, 9007199254740991)`, params: first.params },
  ];
}

/** Ids follow time within a pair, so a period is a range of ids: older hits are not even looked at. */
function periodInIds({ query }: Parts): Clause[] {
  const { since, until } = query;
  const from = since === null ? null : firstIdFrom(query, since);
  const to = until === null ? null : lastIdUntil(query, until);
  return [
    ...(from === null ? [] : [clause(`f.rowid >= ${from.sql}`, ...from.params)]),
    ...(to === null ? [] : [clause(`f.rowid <= ${to.sql}`, ...to.params)]),
  ];
}

function firstIdFrom(query: MessageQuery, instant: string): Clause {
  const where = [...pairOnly(query), clause(`"OccurredAt" >= ?`, instant)];
  return idLookup(where, "ASC");
}

function lastIdUntil(query: MessageQuery, instant: string): Clause {
  const where = [...pairOnly(query), clause(`"OccurredAt" <= ?`, instant)];
  return idLookup(where, "DESC");
}

function pairOnly({ agents: [a, b] }: MessageQuery): Clause[] {
  return a === undefined || b === undefined ? [] : [clause(`"PairKey" = ?`, pairKey(a, b))];
}

function idLookup(where: readonly Clause[], sort: "ASC" | "DESC"): Clause {
  return {
    sql: `(SELECT "Id" FROM "AgentMessages" ${whereSql(where)} ORDER BY "OccurredAt" ${sort}, "Id" ${sort} LIMIT 1)`,
    params: where.flatMap(({ params }) => params),
  };
}

function whereSql(clauses: readonly Clause[]): string {
  return clauses.length === 0 ? "" : `WHERE ${clauses.map(({ sql }) => sql).join(" AND ")}`;
}
