/** The taskboard's one way to write: a change of state, its event, its rows and the runs it causes are one batch. */
import { type Cell, tableShape } from "../record/columns.ts";
import { type MessageRow, NO_ROWS, type NoticeRow } from "../record/rows.ts";
import { cutToUnits, storableText } from "../record/stored-text.ts";
import { recordStatements } from "../record/write-record.ts";
import { announceBatch } from "./announce.ts";
import type { Board } from "./board.ts";
import type { RunOrder } from "./orders.ts";
import { taskEvents, tasks } from "./schema.ts";
import type { TaskEventRow } from "./store.ts";
import type { TaskRow } from "./task.ts";
import { isUnderWay } from "./vocabulary.ts";

export interface BoardBatch {
  /** The task as it shall be, with its version counted up; the batch fails when somebody was faster. */
  readonly changed: TaskRow | null;
  /** A task of which nothing changes but that something happened to it: no race can be lost. */
  readonly touched?: TaskRow;
  readonly created: readonly TaskRow[];
  readonly events: readonly TaskEventRow[];
  readonly messages: readonly MessageRow[];
  readonly notices: readonly NoticeRow[];
  readonly orders: readonly RunOrder[];
  /** ISO 8601. */
  readonly at: string;
}

export type Written = "written" | "done_before" | "changed_meanwhile";

/** All of it or nothing, and then the live feed hears of it. Rejects only when D1 does. */
export async function writeBoard(board: Board, batch: BoardBatch): Promise<Written> {
  const { messages, notices } = batch;
  const record = { ...NO_ROWS, messages, notices };
  const written = await insist(board.db, [
    ...boardStatements(board.db, batch),
    ...(await recordStatements(board.db, board.texts, record)),
  ]);
  if (written === "written") announceBatch(board, batch);
  return written;
}

/** Events go first: their Uid tells an act that was made before from one whose task has changed. */
function boardStatements(db: D1Database, batch: BoardBatch): D1PreparedStatement[] {
  const { changed, touched, created, events, orders, at } = batch;
  return [
    ...events.map((event) => insertEvent(db, event)),
    ...(changed === null ? [] : [updateTask(db, changed), ...lookAfterParent(db, changed, at)]),
    ...(touched === undefined ? [] : [touchTask(db, touched.taskId, at)]),
    ...created.map((task) => insertTask(db, task)),
    ...orders.flatMap((order) => [insertWake(db, order, at), followParent(db, order)]),
  ];
}

/** After a failure of unknown outcome the batch is tried once more, which the events' Uids make safe. */
async function insist(db: D1Database, statements: D1PreparedStatement[]): Promise<Written> {
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
function lookAfterParent(db: D1Database, changed: TaskRow, at: string): D1PreparedStatement[] {
  if (changed.parentTaskId === null) return [];
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
