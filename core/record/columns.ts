/** Column lists, made once from the schema, for statements that are on the hot path. */
import type { SQLiteTable } from "drizzle-orm/sqlite-core/table";
import { getTableConfig } from "drizzle-orm/sqlite-core/utils";
import { getTableName } from "drizzle-orm/table";
import { getTableColumns } from "drizzle-orm/utils";
import { ANALYSIS_TABLES } from "../analysis/schema.ts";
import { archiveIndex, archiveParts } from "../archive/schema.ts";
import { taskEvents, tasks, taskWakes } from "../board/schema.ts";
import { mirror, mirrorQueue } from "../mirror/schema.ts";
import {
  adminLog,
  agentMessages,
  approvals,
  auditLog,
  jobTicks,
  logs,
  notices,
  runReceipts,
} from "./schema.ts";

/** What D1 stores in a column and takes as a parameter. */
export type Cell = string | number | null;

interface TableShape {
  /** The table's name, quoted. */
  readonly table: string;
  /** Property and column name, in the schema's order. */
  readonly columns: readonly { readonly key: string; readonly name: string }[];
}

export function tableShape(table: SQLiteTable): TableShape {
  const columns = Object.entries(getTableColumns(table)).map(([key, column]) => ({ key, name: column.name }));
  return { table: `"${getTableName(table)}"`, columns };
}

/** `alias."Column" AS "property", ...`; `instead` replaces the expression of single properties, null leaves one out. */
export function selectList(
  table: SQLiteTable,
  alias: string,
  instead: Readonly<Record<string, string | null>> = {},
): string {
  return tableShape(table)
    .columns.filter(({ key }) => instead[key] !== null)
    .map(({ key, name }) => `${instead[key] ?? `${alias}."${name}"`} AS "${key}"`)
    .join(", ");
}

/** All tables of D1 that hold text. */
export const TEXT_TABLES: readonly SQLiteTable[] = [
  agentMessages,
  auditLog,
  runReceipts,
  notices,
  jobTicks,
  approvals,
  logs,
  tasks,
  taskEvents,
  taskWakes,
  adminLog,
  archiveParts,
  archiveIndex,
  mirror,
  mirrorQueue,
  ...ANALYSIS_TABLES,
];

/** Every text column of the record by table name: whatever is written there has been scrubbed (L5). */
export const TEXT_COLUMNS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  TEXT_TABLES.map((table) => [getTableName(table), textColumnsOf(table)]),
);

/** Names of the columns of the primary key, in its order. */
export function keyColumnsOf(table: SQLiteTable): string[] {
  const { columns, primaryKeys } = getTableConfig(table);
  const own = columns.filter((column) => column.primary);
  return (own.length > 0 ? own : (primaryKeys[0]?.columns ?? [])).map((column) => column.name);
}

/** Names of the columns that hold text. */
export function textColumnsOf(table: SQLiteTable): string[] {
  return Object.values(getTableColumns(table))
    .filter((column) => column.getSQLType() === "text")
    .map((column) => column.name);
}
