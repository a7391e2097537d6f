/** The tables that retention goes over: how their rows are named, and what belongs to a row beside it. */
import type { SQLiteTable } from "drizzle-orm/sqlite-core/table";
import { getTableName } from "drizzle-orm/table";
import { taskEvents, tasks } from "../board/schema.ts";
import { ownJson } from "../journal/database.ts";
import { type Cell, selectList, tableShape, textColumnsOf } from "../record/columns.ts";
import {
  agentMessages,
  approvals,
  auditLog,
  jobTicks,
  logs,
  notices,
  runReceipts,
} from "../record/schema.ts";

/** A row by the names of the API. */
export type KeptRow = Readonly<Record<string, Cell>>;

/** Texts of a row that lie in R2. */
interface TextsInR2 {
  readonly column: string;
  /** Their keys, from what stands in the column. */
  keysIn(value: string): readonly string[];
}

export interface KeptTable {
  readonly name: string;
  /** Column of the primary key. */
  readonly key: string;
  /** The columns of `t`, by the names of the API. */
  readonly columns: string;
  /** Characters of all texts of a row of `t`, as SQL. */
  readonly size: string;
  /** By which values a row is found in the archive. */
  readonly namedBy: readonly string[];
  readonly texts: TextsInR2 | null;
}

export const MESSAGES = kept(agentMessages, "Id", {
  namedBy: ["rootRunId", "runId"],
  texts: { column: "ContentRef", keysIn: (key) => [key] },
});
export const AUDIT = kept(auditLog, "Id", { namedBy: ["rootRunId"] });
export const RECEIPTS = kept(runReceipts, "RunId", { namedBy: ["rootRunId", "runId"] });
export const NOTICES = kept(notices, "Id", { namedBy: ["rootRunId"] });
export const APPROVALS = kept(approvals, "Uid", { namedBy: ["rootRunId"] });
export const TICKS = kept(jobTicks, "Id");
export const LOGS = kept(logs, "Id");
export const TASKS = kept(tasks, "TaskId", {
  namedBy: ["rootRunId"],
  texts: {
    column: "LongTexts",
    keysIn: (json) => Object.values(ownJson<Record<string, string>>(json)),
  },
});
export const TASK_EVENTS = kept(taskEvents, "Id", { namedBy: ["rootRunId"] });

function kept(
  table: SQLiteTable,
  key: string,
  { namedBy = [], texts = null }: Partial<Pick<KeptTable, "namedBy" | "texts">> = {},
): KeptTable {
  const { columns } = tableShape(table);
  if (!columns.some(({ name }) => name === key)) throw new TypeError(`${getTableName(table)} has no ${key}`);
  return {
    name: getTableName(table),
    key,
    columns: selectList(table, "t"),
    size: textColumnsOf(table)
      .map((name) => `coalesce(length(t."${name}"), 0)`)
      .join(" + "),
    namedBy,
    texts,
  };
}
