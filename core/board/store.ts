/** The taskboard in D1. A change of state, its event, its rows and the runs it causes are one batch, all or nothing. */

import { ownJson } from "../journal/database.ts";
import type { NewRun } from "../journal/runs.ts";
import { type Cell, selectList, tableShape } from "../record/columns.ts";
import type { Reader } from "../record/reader.ts";
import type { MessageRow, NoticeRow } from "../record/rows.ts";
import { cutToUnits, storableText } from "../record/stored-text.ts";
import { recordStatements } from "../record/write-record.ts";
import type { RunOrder } from "./orders.ts";
import { taskEvents, tasks, taskWakes } from "./schema.ts";
import type { TaskRow } from "./task.ts";
import { isUnderWay } from "./vocabulary.ts";

export type TaskEventRow = Readonly<Omit<typeof taskEvents.$inferSelect, "id">>;

export const TASK_COLUMNS = selectList(tasks, "t", { guard: null });

export interface BoardBatch {
  /** The task as it shall be, with its version counted up; the batch fails when somebody was faster. */
  readonly changed: TaskRow | null;
  /** Id of a task of which nothing changes but that something happened to it: no race can be lost. */
  readonly touched?: string;
  readonly created: readonly TaskRow[];
  readonly events: readonly TaskEventRow[];
  readonly messages: readonly MessageRow[];
  readonly notices: readonly NoticeRow[];
  readonly orders: readonly RunOrder[];
  /** ISO 8601. */
  readonly at: string;
}

export type Written = "written" | "done_before" | "changed_meanwhile";

/**
 * Rejects only when D1 does. Events go first: their Uid tells an act that was made before from one whose task has
 * changed. After a failure of unknown outcome the batch is tried once more, which that Uid makes safe.
 */
export async function writeBoard(db: D1Database, texts: R2Bucket, batch: BoardBatch): Promise<Written> {
  const statements = [
    ...batch.events.map((event) => insertEvent(db, event)),
    ...(batch.changed === null ? [] : [updateTask(db, batch.changed), ...lookAfterParent(db, batch)]),
    ...(batch.touched === undefined ? [] : [touchTask(db, batch.touched, batch.at)]),
    ...batch.created.map((task) => insertTask(db, task)),
    ...batch.orders.flatMap((order) => [insertWake(db, order, batch.at), followParent(db, order)]),
    ...(await recordStatements(db, texts, {
      messages: batch.messages,
      notices: batch.notices,
      audit: [],
      receipts: [],
    })),
  ];
  const first = await tryBatch(db, statements);
  if (typeof first === "string") return first;
  const second = await tryBatch(db, statements);
  // The first attempt was made after all, only its answer was lost.
  if (second === "done_before") return "written";
  if (typeof second === "string") return second;
  throw second.error;
}

type Tried = Written | { readonly error: unknown };

async function tryBatch(db: D1Database, statements: D1PreparedStatement[]): Promise<Tried> {
  try {
    await db.batch(statements);
    return "written";
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    if (message.includes("UNIQUE constraint failed: TaskEvents.Uid")) return "done_before";
    if (message.includes("NOT NULL constraint failed: Tasks.Guard")) return "changed_meanwhile";
    return { error };
  }
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

function touchTask(db: D1Database, taskId: string, at: string): D1PreparedStatement {
  return db
    .prepare(`UPDATE "Tasks" SET "UpdatedAt" = ?, "Version" = "Version" + 1 WHERE "TaskId" = ?`)
    .bind(at, taskId);
}

/** A task that waits is looked after by the next scan when one of its children is over, in case nobody was woken. */
function lookAfterParent(db: D1Database, { changed, at }: BoardBatch): D1PreparedStatement[] {
  if (changed === null || changed.parentTaskId === null) return [];
  if (isUnderWay(changed.status) || changed.status === "review") return [];
  return [
    db
      .prepare(`UPDATE "Tasks" SET "LeaseUntil" = ? WHERE "TaskId" = ? AND "Status" = 'waiting'`)
      .bind(at, changed.parentTaskId),
  ];
}

/** A waiting task's run is the one that was woken last: at its end it is decided what becomes of the task. */
function followParent(db: D1Database, { objectName, run }: RunOrder): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE "Tasks" SET "RunId" = ?, "Version" = "Version" + 1
       WHERE "TaskId" = ? AND "Worker" = ? AND "Status" = 'waiting'`,
    )
    .bind(run.runId, run.taskId, objectName);
}

function insertEvent(db: D1Database, event: TaskEventRow): D1PreparedStatement {
  const columns = tableShape(taskEvents).columns.filter(({ key }) => key !== "id");
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  return db
    .prepare(`INSERT INTO "TaskEvents" (${names}) VALUES (${columns.map(() => "?").join(", ")})`)
    .bind(...columns.map(({ key }) => cell({ ...event, text: eventText(event.text) }, key)));
}

const EVENT_TEXT_CHARS = 100_000;

/** The record keeps what was said whole; the history keeps its beginning. */
function eventText(text: string): string {
  return storableText(cutToUnits(text, EVENT_TEXT_CHARS));
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
