/** Lists of tasks, newest first. */
import { LIST_TEXT_CHARS } from "../limits.ts";
import { selectList } from "../record/columns.ts";
import type { Reader } from "../record/reader.ts";
import { tasks } from "./schema.ts";
import type { TaskRow } from "./task.ts";
import type { TaskStatus } from "./vocabulary.ts";

export interface TaskFilter {
  readonly status?: TaskStatus | undefined;
  readonly assignee?: string | undefined;
  /** Only tasks that this agent gave or was given. */
  readonly involved?: string | undefined;
  readonly limit: number;
  /** From an earlier page. */
  readonly cursor?: string | undefined;
}

export interface TaskPage {
  readonly tasks: readonly TaskRow[];
  readonly cursor: string | null;
}

/** One character more than lists show, so that it can be told that there is more. */
const beginning = (column: string) => `substr(t."${column}", 1, ${LIST_TEXT_CHARS + 1})`;

/** A page of whole tasks could be larger than a Worker's memory. */
const LISTED_COLUMNS = selectList(tasks, "t", {
  guard: null,
  description: beginning("Description"),
  acceptance: beginning("Acceptance"),
  result: beginning("Result"),
  reason: beginning("Reason"),
  // Of JSON all or nothing; what is missing is told by another of its columns being set.
  stages: `CASE WHEN length(t."Stages") > ${LIST_TEXT_CHARS} THEN '[]' ELSE t."Stages" END`,
  longTexts: `CASE WHEN length(t."Stages") > ${LIST_TEXT_CHARS} THEN '{}' ELSE t."LongTexts" END`,
});

const CURSOR = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)~(.+)$/;

/** Null for a cursor that is none. Rejects when D1 does. */
export async function listTasks(reader: Reader, filter: TaskFilter): Promise<TaskPage | null> {
  const at = filter.cursor === undefined ? null : CURSOR.exec(filter.cursor);
  if (filter.cursor !== undefined && at === null) return null;
  const terms: [string, ...(string | number)[]][] = [];
  if (filter.status !== undefined) terms.push([`t."Status" = ?`, filter.status]);
  if (filter.assignee !== undefined) terms.push([`t."Assignee" = ?`, filter.assignee]);
  if (filter.involved !== undefined)
    terms.push([
      `(t."Creator" = ? OR t."Assignee" IN (?, ?))`,
      filter.involved,
      filter.involved,
      `@new:${filter.involved}`,
    ]);
  if (at !== null) terms.push([`(t."CreatedAt", t."TaskId") < (?, ?)`, at[1] ?? "", at[2] ?? ""]);
  const where = terms.length === 0 ? "" : `WHERE ${terms.map(([sql]) => sql).join(" AND ")}`;
  const rows = await reader.all<TaskRow>(
    `SELECT ${LISTED_COLUMNS} FROM "Tasks" t ${where} ORDER BY t."CreatedAt" DESC, t."TaskId" DESC LIMIT ?`,
    ...terms.flatMap(([, ...params]) => params),
    filter.limit + 1,
  );
  const page = rows.slice(0, filter.limit);
  const last = rows.length > filter.limit ? page.at(-1) : undefined;
  return { tasks: page, cursor: last === undefined ? null : `${last.createdAt}~${last.taskId}` };
}

/** The tasks of a chain, oldest first, at most 1,000. */
export function tasksOfChain(reader: Reader, rootRunId: string): Promise<TaskRow[]> {
  return reader.all<TaskRow>(
    `SELECT ${LISTED_COLUMNS} FROM "Tasks" t WHERE t."RootRunId" = ? ORDER BY t."CreatedAt", t."TaskId" LIMIT 1000`,
    rootRunId,
  );
}
