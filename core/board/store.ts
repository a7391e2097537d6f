/** What the taskboard has in D1. */

import { ownJson } from "../journal/database.ts";
import type { NewRun } from "../journal/runs.ts";
import { selectList } from "../record/columns.ts";
import type { Reader } from "../record/reader.ts";
import type { RunOrder } from "./orders.ts";
import { taskEvents, tasks, taskWakes } from "./schema.ts";
import type { TaskRow } from "./task.ts";

export type TaskEventRow = Readonly<Omit<typeof taskEvents.$inferSelect, "id">>;

export const TASK_COLUMNS = selectList(tasks, "t", { guard: null });

export async function readTask(reader: Reader, taskId: string): Promise<TaskRow | null> {
  return reader.first<TaskRow>(`SELECT ${TASK_COLUMNS} FROM "Tasks" t WHERE t."TaskId" = ?`, taskId);
}

/** The task that an act has created or changed before, when it is done again. */
export async function taskOfAct(reader: Reader, uid: string): Promise<TaskRow | null> {
  return reader.first<TaskRow>(
    `SELECT ${TASK_COLUMNS} FROM "TaskEvents" e JOIN "Tasks" t ON t."TaskId" = e."TaskId" WHERE e."Uid" = ?`,
    uid,
  );
}

export interface PendingOrder extends RunOrder {
  readonly taskId: string;
}

interface WakeRow {
  readonly taskId: string;
  readonly objectName: string;
  readonly run: string;
}

/** Runs that were ordered and not yet taken, the oldest first; no object's crowd out another's. */
export async function pendingOrders(
  reader: Reader,
  { limit, perObject }: { readonly limit: number; readonly perObject: number },
): Promise<PendingOrder[]> {
  const rows = await reader.all<WakeRow>(
    `SELECT * FROM (
       SELECT ${selectList(taskWakes, "w", { runId: null, createdAt: null })}, w.rowid AS place,
         row_number() OVER (PARTITION BY w."ObjectName" ORDER BY w.rowid) AS turn FROM "TaskWakes" w
     ) WHERE turn <= ? ORDER BY place LIMIT ?`,
    perObject,
    limit,
  );
  return rows.map((row) => ({
    taskId: row.taskId,
    objectName: row.objectName,
    run: ownJson<NewRun>(row.run),
  }));
}

/** A run that has been ordered to hear of one of the task's subtasks and that nobody has taken yet. */
export async function wakeOnOrder(
  reader: Reader,
  { taskId, except }: { readonly taskId: string; readonly except: string },
): Promise<string | null> {
  const row = await reader.first<{ runId: string }>(
    `SELECT w."RunId" AS runId FROM "TaskWakes" w WHERE w."TaskId" = ? AND w."RunId" <> ? ORDER BY w.rowid DESC LIMIT 1`,
    taskId,
    except,
  );
  return row?.runId ?? null;
}

export async function forgetOrder(db: D1Database, runId: string): Promise<void> {
  await db.prepare(`DELETE FROM "TaskWakes" WHERE "RunId" = ?`).bind(runId).run();
}

export async function countOpenChildren(reader: Reader, taskId: string): Promise<number> {
  const row = await reader.first<{ n: number }>(
    `SELECT count(*) AS n FROM "Tasks" t WHERE t."ParentTaskId" = ? AND t."Status" IN ('open', 'dispatched', 'running', 'waiting', 'review')`,
    taskId,
  );
  return row?.n ?? 0;
}

/** What happened to the task, oldest first, at most 500 events. */
export async function readEvents(reader: Reader, taskId: string) {
  return reader.all<TaskEventRow & { readonly id: number }>(
    `SELECT ${selectList(taskEvents, "e")} FROM "TaskEvents" e WHERE e."TaskId" = ? ORDER BY e."Id" LIMIT 500`,
    taskId,
  );
}
