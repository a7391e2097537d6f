import { checkAliases, groupOrder, shownGroups } from "../groups.ts";
import { isGrouped, type Query } from "../input.ts";
import { checkName } from "../names.ts";
import { FETCHED_CHARS } from "../page.ts";
import { conditionSql } from "./condition.ts";
import { joined, quote, quoteTable, type Statement } from "./statement.ts";
import { type Column, columnOf, type Table } from "./table.ts";

/** Rows fetched at once when long columns are among them: each value may be as long as a whole page. */
const LONG_ROWS = 50;

/** A statement that fetches one row more than the query's limit, which tells whether there are more. */
export function selectSql(query: Query, table: Table): Statement {
  checkAliases(query);
  const columns = chosenColumns(query, table);
  const where = joined(
    query.where.map((condition) => conditionSql(condition, known(table, condition.column))),
    " AND ",
  );
  const grouping = query.groupBy.map((name) => quote(known(table, name).name));
  const clauses = [
    `SELECT ${selectList(query, table, columns)}`,
    `FROM ${quoteTable(table)}`,
    ...(where.sql === "" ? [] : [`WHERE ${where.sql}`]),
    ...(grouping.length === 0 ? [] : [`GROUP BY ${grouping.join(", ")}`]),
    ...orderClause(query, table),
    // Whole numbers by the schema. As parameters the servers disagree about the type they want.
    `LIMIT ${pageRows(query, table) + 1} OFFSET ${query.offset}`,
  ];
  return { sql: clauses.join(" "), parameters: where.parameters };
}

function chosenColumns(query: Query, table: Table): readonly Column[] {
  const names = isGrouped(query) ? shownGroups(query) : query.columns;
  return names === null ? table.columns : names.map((name) => known(table, name));
}

function selectList(query: Query, table: Table, columns: readonly Column[]): string {
  const aggregates = query.aggregates.map((one) => {
    const column = one.column === null ? null : known(table, one.column);
    const value = `${one.function.toUpperCase()}(${column === null ? "*" : quote(column.name)})`;
    const cut = isLong(column) && one.function !== "count" ? `LEFT(${value}, ${FETCHED_CHARS})` : value;
    return `${cut} AS ${quote(one.as)}`;
  });
  return [...columns.map(shownColumn), ...aggregates].join(", ");
}

const isLong = (column: Column | null) => column?.kind === "long_text" || column?.kind === "long_binary";

/** Long values come only as far as a page could show them; geometry comes as well-known text. */
function shownColumn(column: Column): string {
  const { name, kind } = column;
  if (isLong(column)) {
    return `LEFT(${quote(name)}, ${FETCHED_CHARS}) AS ${quote(name)}`;
  }
  return kind === "geometry" ? `ST_AsText(${quote(name)}) AS ${quote(name)}` : quote(name);
}

function orderClause(query: Query, table: Table): readonly string[] {
  const terms = query.orderBy.map(({ column, direction }) => {
    const sort = direction === "desc" ? "DESC" : "ASC";
    return `${quote(orderedBy(column, query, table))} ${sort}`;
  });
  // Without any order, pages could overlap.
  const own = isGrouped(query) ? query.groupBy : (table.uniqueKeys[0] ?? []);
  const all = terms.length === 0 ? own.map((name) => quote(known(table, name).name)) : terms;
  return all.length === 0 ? [] : [`ORDER BY ${all.join(", ")}`];
}

function orderedBy(name: string, query: Query, table: Table): string {
  if (!isGrouped(query)) return known(table, name).name;
  const { kind } = groupOrder(name, query);
  return kind === "aggregate" ? name : known(table, name).name;
}

/** How many rows an answer has at most. */
export function pageRows(query: Query, table: Table): number {
  const aggregated = query.aggregates.map(({ column }) => (column === null ? null : known(table, column)));
  const long = [...chosenColumns(query, table), ...aggregated].some(isLong);
  return long ? Math.min(query.limit, LONG_ROWS) : query.limit;
}

/** Twice guarded: by its form, and by what the table really has. */
const known = (table: Table, name: string) => columnOf(table, checkName(name));
