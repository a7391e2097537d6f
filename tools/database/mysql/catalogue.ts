import { z } from "zod";
import { allowedWords } from "../allow.ts";
import type { DatabaseConfig } from "../config.ts";
import { shown } from "../names.ts";
import { Refusal } from "../refusal.ts";
import type { Session } from "./session.ts";
import { type Column, kindOf, type Table } from "./table.ts";

const columnRows = z.array(z.tuple([z.string(), z.string(), z.string(), z.string()]));
/** The column is null where the key is over an expression, or over the beginning of a value only. */
const keyRows = z.array(z.tuple([z.string(), z.string(), z.string(), z.string().nullable()]));
const tableRows = z.array(z.tuple([z.string()]));
const MAX_TABLES = 200;

/** What the server knows of the table. Its names are compared again here, because the server ignores their case. */
export async function readTable(
  session: Session,
  name: string,
  { config, database }: { readonly config: DatabaseConfig; readonly database: string },
): Promise<Table> {
  const [first = "", second, ...others] = name.split(".");
  if (others.length > 0) {
    throw new Refusal("misconfigured", `${shown(name)} is neither a table's name nor database.table.`);
  }
  const schema = second === undefined ? database : first;
  const table = second ?? first;
  const columns = await readColumns(session, schema, table);
  if (columns.length === 0) throw await unknownTable(session, name, config);
  return { name, schema, table, columns, uniqueKeys: await readKeys(session, schema, table) };
}

async function readColumns(session: Session, schema: string, table: string): Promise<Column[]> {
  const { rows } = await session.run({
    sql: "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION",
    parameters: [schema, table],
  });
  return columnRows
    .parse(rows)
    .filter(([inSchema, inTable]) => inSchema === schema && inTable === table)
    .map(([, , column, type]) => ({ name: column, kind: kindOf(type) }));
}

async function readKeys(session: Session, schema: string, table: string): Promise<string[][]> {
  const { rows } = await session.run({
    sql: "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, IF(SUB_PART IS NULL, COLUMN_NAME, NULL) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0 ORDER BY INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX",
    parameters: [schema, table],
  });
  const own = keyRows.parse(rows).filter(([inSchema, inTable]) => inSchema === schema && inTable === table);
  const keys = [...Map.groupBy(own, ([, , index]) => index).values()];
  // Such a key tells nothing of whole rows, so it is none here.
  return keys.flatMap((parts) => {
    const columns = parts.flatMap(([, , , column]) => (column === null ? [] : [column]));
    return columns.length === parts.length ? [columns] : [];
  });
}

async function unknownTable(session: Session, name: string, config: DatabaseConfig): Promise<Refusal> {
  const { rows } = await session.run({
    sql: `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME LIMIT ${MAX_TABLES}`,
    parameters: [],
  });
  const names = tableRows.parse(rows).map(([found]) => found);
  const { allowedTables } = config;
  const usable = names.filter((found) => allowedTables.includes("*") || allowedTables.includes(found));
  const there = usable.length === 0 ? "none of the allowed ones is" : `there are: ${usable.join(", ")}`;
  return new Refusal(
    "table_unknown",
    `The table ${shown(name)} is not in the database; ${there}. ${allowedWords(config)}`,
  );
}
