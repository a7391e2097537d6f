/** The rows of a chain, page by page, by the names of the API: what is held at once does not grow with the chain. */
import type { SQLiteTable } from "drizzle-orm/sqlite-core/table";
import { type Cell, selectList, tableShape, textColumnsOf } from "../record/columns.ts";
import { groupBySize } from "../record/group-by-size.ts";
import type { Reader } from "../record/reader.ts";

const PAGE = 500;
const LOADED_CHARS = 2_000_000;
/** Names that go into one statement. */
const NAMES = 200;

/** The rows of `t` that are named by `where` and its parameter, in order of their rowid. Rejects when D1 does. */
export async function* chainRows<Row>(
  reader: Reader,
  table: SQLiteTable,
  { where, param }: { readonly where: string; readonly param: Cell },
): AsyncGenerator<Row> {
  const { table: name } = tableShape(table);
  const size = textColumnsOf(table)
    .map((column) => `coalesce(length(t."${column}"), 0)`)
    .join(" + ");
  for (let after = 0; ; ) {
    const page = await reader.all<{ row: number; chars: number }>(
      `SELECT t.rowid AS "row", ${size} AS "chars" FROM ${name} t WHERE ${where} AND t.rowid > ? ORDER BY t.rowid LIMIT ${PAGE}`,
      param,
      after,
    );
    for (const group of groupBySize(page, LOADED_CHARS))
      yield* await reader.all<Row>(
        `SELECT ${selectList(table, "t")} FROM ${name} t WHERE t.rowid IN (SELECT value FROM json_each(?)) ORDER BY t.rowid`,
        JSON.stringify(group.map(({ row }) => row)),
      );
    const last = page.length === PAGE ? page.at(-1) : undefined;
    if (last === undefined) return;
    after = last.row;
  }
}

/** The same for rows that are found by many names: `where` speaks of them as the JSON list `?`. */
export async function* namedRows<Row>(
  reader: Reader,
  table: SQLiteTable,
  { where, names }: { readonly where: string; readonly names: readonly string[] },
): AsyncGenerator<Row> {
  for (let at = 0; at < names.length; at += NAMES)
    yield* chainRows<Row>(reader, table, { where, param: JSON.stringify(names.slice(at, at + NAMES)) });
}
