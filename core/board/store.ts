/** The taskboard in D1. A change of state, its event, its rows and the runs it causes are one batch, all or nothing. */

import { ownJson } from "../journal/database.ts";
import type { NewRun } from "../journal/runs.ts";
import { type Cell, selectList, tableShape } from "../record/columns.ts";
import type { Reader } from "../record/reader.ts";
import type { MessageRow, NoticeRow } from "../record/rows.ts";
import { recordStatements } from "../record/write-record.ts";
import type { RunOrder } from "./orders.ts";
import { taskEvents, tasks, taskWakes } from "./schema.ts";
import type { TaskRow } from "./task.ts";

export type TaskEventRow = Readonly<Omit<typeof taskEvents.$inferSelect, "id">>;

export const TASK_COLUMNS = selectList(tasks, "t", { guard: null });

export interface BoardBatch {
  /** The task as it shall be, with its version counted up; the batch fails when somebody was faster. */
  readonly changed: TaskRow | null;
  readonly created: readonly TaskRow[];
  readonly events: readonly TaskEventRow[];
  readonly messages: readonly MessageRow[];
  readonly notices: readonly NoticeRow[];
  readonly orders: readonly RunOrder[];
  /** ISO 8601. */
  readonly at: string;
}

export type Written = "written" | "done_before" | "changed_meanwhile";

/** Rejects only when D1 does. */
export async function writeBoard(db: D1Database, texts: R2Bucket, batch: BoardBatch): Promise<Written> {
  const statements = [
    ...(batch.changed === null ? [] : [updateTask(db, batch.changed)]),
    ...batch.created.map((task) => insertTask(db, task)),
    ...batch.events.map((event) => insertEvent(db, event)),
    ...batch.orders.map((order) => insertWake(db, order, batch.at)),
    ...(await recordStatements(db, texts, {
      messages: batch.messages,
      notices: batch.notices,
      audit: [],
      receipts: [],
    })),
  ];
  try {
    await db.batch(statements);
    return "written";
  } catch (error) {
    return conflictOf(error);
  }
}

function conflictOf(error: unknown): Written {
  const message = error instanceof Error ? error.message : "";
  if (message.includes("UNIQUE constraint failed: TaskEvents.Uid")) return "done_before";
  if (message.includes("NOT NULL constraint failed: Tasks.Guard")) return "changed_meanwhile";
  throw error;
}

const TASK = tableShape(tasks);
const WRITTEN_COLUMNS = TASK.columns.filter(({ key }) => key !== "guard");

function insertTask(db: D1Database, task: TaskRow): D1PreparedStatement {
  const names = WRITTEN_COLUMNS.map(({ name }) => `"${name}"`).join(", ");
  const values = WRITTEN_COLUMNS.map(() => "?").join(", ");
  return db
    .prepare(`INSERT INTO "Tasks" (${names}, "Guard") VALUES (${values}, 0)`)
    .bind(...WRITTEN_COLUMNS.map(({ key }) => cell(task, key)));
}

/** The guard turns a lost race into an error, which undoes the whole batch. */
function updateTask(db: D1Database, task: TaskRow): D1PreparedStatement {
  const columns = WRITTEN_COLUMNS.filter(({ key }) => key !== "taskId");
  const sets = columns.map(({ name }) => `"${name}" = ?`).join(", ");
  return db
    .prepare(
      `UPDATE "Tasks" SET ${sets}, "Guard" = CASE WHEN "Version" = ? THEN 0 ELSE NULL END WHERE "TaskId" = ?`,
    )
    .bind(...columns.map(({ key }) => cell(task, key)), task.version - 1, task.taskId);
}

function insertEvent(db: D1Database, event: TaskEventRow): D1PreparedStatement {
  const columns = tableShape(taskEvents).columns.filter(({ key }) => key !== "id");
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  return db
    .prepare(`INSERT INTO "TaskEvents" (${names}) VALUES (${columns.map(() => "?").join(", ")})`)
    .bind(...columns.map(({ key }) => cell(event, key)));
}

function insertWake(db: D1Database, order: RunOrder, at: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO "TaskWakes" ("RunId", "TaskId", "ObjectName", "Run", "CreatedAt") VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    .bind(order.run.runId, order.run.taskId ?? "", order.objectName, JSON.stringify(order.run), at);
}

function cell(row: Readonly<Record<string, Cell>>, key: string): Cell {
  return row[key] ?? null;
}

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

/** Runs that were ordered and not yet taken, the oldest first. */
export async function pendingOrders(reader: Reader, limit: number): Promise<PendingOrder[]> {
  const rows = await reader.all<WakeRow>(
    `SELECT ${selectList(taskWakes, "w", { runId: null, createdAt: null })} FROM "TaskWakes" w ORDER BY w.rowid LIMIT ?`,
    limit,
  );
  return rows.map((row) => ({
    taskId: row.taskId,
    objectName: row.objectName,
    run: ownJson<NewRun>(row.run),
  }));
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
