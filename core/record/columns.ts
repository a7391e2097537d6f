/** Column lists, made once from the schema, for statements that are on the hot path. */
import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { taskEvents, tasks, taskWakes } from "../board/schema.ts";
import { agentMessages, approvals, auditLog, jobTicks, logs, notices, runReceipts } from "./schema.ts";

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

/** Every text column of the record by table name: whatever is written there has been scrubbed (L5). */
export const TEXT_COLUMNS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [
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
  ].map((table) => [getTableName(table), textColumns(table)]),
);

function textColumns(table: SQLiteTable): string[] {
  return Object.values(getTableColumns(table))
    .filter((column) => column.getSQLType() === "text")
    .map((column) => column.name);
}
