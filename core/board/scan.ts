/**
 * The minute scan: the safety net behind immediate dispatch. It reads only what is unfinished, whatever
 * lies on the board, and does nothing that was done already.
 */

import { ownJson } from "../journal/database.ts";
import { describeError } from "../log.ts";
import type { Reader } from "../record/reader.ts";
import type { NoticeRow } from "../record/rows.ts";
import { taskRunEnded } from "./after-run.ts";
import { type Board, boardReader, isoNow } from "./board.ts";
import { deliverPending, leaseEnd } from "./deliver.ts";
import { workOrder } from "./orders.ts";
import { TASK_COLUMNS, writeBoard } from "./store.ts";
import type { TaskRow } from "./task.ts";

const TASKS_PER_SCAN = 200;
const HOUR_MS = 3_600_000;

export interface ScanResult {
  readonly rowsRead: number;
}

export async function scanBoard(board: Board, siltedAfterHours: number): Promise<ScanResult> {
  let rowsRead = await deliverPending(board);
  const reader = boardReader(board);
  for (const task of await deadLeases(reader, isoNow(board))) await lookAfter(board, task);
  for (const task of await overdue(reader, isoNow(board))) await tellOnce(board, task, "overdue");
  const before = new Date(board.now() - siltedAfterHours * HOUR_MS).toISOString();
  for (const task of await silted(reader, before)) await tellOnce(board, task, "silted");
  rowsRead += reader.rowsRead;
  return { rowsRead };
}

function deadLeases(reader: Reader, now: string): Promise<TaskRow[]> {
  return reader.all<TaskRow>(
    `SELECT ${TASK_COLUMNS} FROM "Tasks" t WHERE t."LeaseUntil" IS NOT NULL AND t."LeaseUntil" < ? LIMIT ${TASKS_PER_SCAN}`,
    now,
  );
}

function overdue(reader: Reader, now: string): Promise<TaskRow[]> {
  return reader.all<TaskRow>(
    `SELECT ${TASK_COLUMNS} FROM "Tasks" t WHERE t."DueAt" IS NOT NULL AND t."Status" NOT IN ('done', 'cancelled') AND t."DueAt" < ? LIMIT ${TASKS_PER_SCAN}`,
    now,
  );
}

function silted(reader: Reader, before: string): Promise<TaskRow[]> {
  return reader.all<TaskRow>(
    `SELECT ${TASK_COLUMNS} FROM "Tasks" t WHERE t."Status" NOT IN ('done', 'cancelled') AND t."UpdatedAt" < ? LIMIT ${TASKS_PER_SCAN}`,
    before,
  );
}

/** Asks the holder's object: a run that lives gets its lease renewed, one that ended is followed up, one that was never taken is handed out again. */
async function lookAfter(board: Board, task: TaskRow): Promise<void> {
  const { runId, worker } = task;
  if (runId === null || worker === null) return;
  try {
    const state = await board.runState(runId);
    if (state === "open") await renewLease(board, task.taskId, runId);
    else if (state === "unknown") {
      const order = workOrder(task, { worker, runId, history: "" });
      if ((await board.accept(order.objectName, order.run)).ok) await renewLease(board, task.taskId, runId);
    } else
      await taskRunEnded(board, {
        taskId: task.taskId,
        runId,
        parentRunId: task.creatorRunId,
        depth: task.depth + 1,
        objectName: worker,
        ...state,
      });
  } catch (error) {
    board.log.warn(`The holder of task ${task.taskId} cannot be reached: ${describeError(error)}`);
  }
}

/** A run that lives renews; one that has lost the task to a later run changes nothing. */
export async function renewLease(board: Board, taskId: string, runId: string): Promise<void> {
  await board.db
    .prepare(
      `UPDATE "Tasks" SET "LeaseUntil" = ? WHERE "TaskId" = ? AND "RunId" = ? AND "LeaseUntil" IS NOT NULL`,
    )
    .bind(leaseEnd(board), taskId, runId)
    .run();
}

/** A person is told once of each. */
async function tellOnce(board: Board, task: TaskRow, what: "overdue" | "silted"): Promise<void> {
  const told = ownJson<readonly string[]>(task.told);
  if (told.includes(what)) return;
  const at = isoNow(board);
  const text =
    what === "overdue"
      ? `Task ${task.taskId} (${task.title}) is overdue since ${task.dueAt ?? ""}; it is ${task.status}.`
      : `Nothing has happened on task ${task.taskId} (${task.title}) since ${task.updatedAt}; it is ${task.status}.`;
  const notice: NoticeRow = {
    uid: `task:${task.taskId}:${what}`,
    kind: `task_${what}`,
    text,
    rootRunId: task.rootRunId,
    agentId: null,
    occurredAt: at,
  };
  await writeBoard(board.db, board.texts, {
    changed: { ...task, told: JSON.stringify([...told, what]), version: task.version + 1 },
    created: [],
    events: [
      {
        uid: `${what}:${task.taskId}`,
        taskId: task.taskId,
        kind: what,
        actor: "engine",
        text,
        runId: task.creatorRunId,
        rootRunId: task.rootRunId,
        occurredAt: at,
      },
    ],
    messages: [],
    notices: [notice],
    orders: [],
    at,
  });
}
