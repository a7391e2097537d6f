/** The tables that are mirrored, with how their rows are named and read. */
import type { SQLiteTable } from "drizzle-orm/sqlite-core/table";
import { getTableName } from "drizzle-orm/table";
import { getTableColumns } from "drizzle-orm/utils";
import { type Cell, textColumnsOf } from "../record/columns.ts";
import { agentMessages, auditLog, runReceipts } from "../record/schema.ts";

/** A row by its columns' names. */
export type MirrorRow = Readonly<Record<string, Cell>>;

export interface MirrorColumn {
  readonly name: string;
  readonly isText: boolean;
  readonly notNull: boolean;
}

export interface MirrorTable {
  readonly name: string;
  /** Column of the primary key in D1. */
  readonly key: string;
  /** What names a row for ever: an Id may be given anew once its row is gone. */
  readonly identity: string;
  readonly columns: readonly MirrorColumn[];
  /** The columns of `t` under their own names. */
  readonly select: string;
  /** Characters of all texts of a row of `t`, as SQL. */
  readonly size: string;
}

export const MIRRORED: readonly MirrorTable[] = [
  mirrored(agentMessages, { key: "Id", identity: "Uid" }),
  mirrored(auditLog, { key: "Id", identity: "Uid" }),
  mirrored(runReceipts, { key: "RunId", identity: "RunId" }),
];

function mirrored(
  table: SQLiteTable,
  names: { readonly key: string; readonly identity: string },
): MirrorTable {
  const texts = textColumnsOf(table);
  const columns = Object.values(getTableColumns(table)).map(({ name, notNull }) => ({
    name,
    notNull,
    isText: texts.includes(name),
  }));
  return {
    ...names,
    name: getTableName(table),
    columns,
    select: columns.map(({ name }) => `t."${name}" AS "${name}"`).join(", "),
    size: texts.map((name) => `coalesce(length(t."${name}"), 0)`).join(" + "),
  };
}
