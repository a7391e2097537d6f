/**
 * The minute scan: the safety net behind immediate dispatch. It reads only what is unfinished, whatever
 * lies on the board, and does nothing that was done already.
 */

import { describeError } from "../log.ts";
import type { Reader } from "../record/reader.ts";
import { taskRunEnded } from "./after-run.ts";
import { type Board, boardReader, isoNow } from "./board.ts";
import { deliverPending, leaseEnd } from "./deliver.ts";
import { dropHomeless, endHomeless, endOf, type Holder } from "./homeless.ts";
import { workOrder } from "./orders.ts";
import { countOpenChildren, readTask, wakeOnOrder } from "./store.ts";
import type { TaskRow } from "./task.ts";
import { tellOnce } from "./tell-once.ts";
import { assigneeName } from "./vocabulary.ts";

const TASKS_PER_SCAN = 200;
const HOUR_MS = 3_600_000;

export interface ScanResult {
  readonly rowsRead: number;
}

/** Rejects when D1 does; what was done until then stays done. */
export async function scanBoard(board: Board, siltedAfterHours: number): Promise<ScanResult> {
  const pending = await deliverPending(board);
  for (const { order, task } of pending.homeless) await dropHomeless(board, order, task);
  const reader = boardReader(board);
  const now = isoNow(board);
  for await (const task of tasksWhere(reader, DEAD_LEASE, now)) await lookAfter(board, reader, task);
  for await (const task of tasksWhere(reader, OVERDUE, now)) await tellOnce(board, task, "overdue");
  const before = new Date(board.now() - siltedAfterHours * HOUR_MS).toISOString();
  for await (const task of tasksWhere(reader, SILTED, before)) await tellOnce(board, task, "silted");
  return { rowsRead: pending.rowsRead + reader.rowsRead };
}

const UNFINISHED = `t."Status" NOT IN ('done', 'cancelled')`;
const DEAD_LEASE = `t."LeaseUntil" IS NOT NULL AND t."LeaseUntil" < ?`;
const OVERDUE = `t."DueAt" IS NOT NULL AND ${UNFINISHED} AND t."DueAt" < ? AND t."Told" NOT LIKE '%"overdue"%'`;
const SILTED = `${UNFINISHED} AND t."UpdatedAt" < ? AND t."Told" NOT LIKE '%"silted"%'`;

/** Read one by one: together, two hundred tasks with long texts would not fit into memory. */
async function* tasksWhere(reader: Reader, condition: string, at: string): AsyncGenerator<TaskRow> {
  const found = await reader.all<{ taskId: string }>(
    `SELECT t."TaskId" AS taskId FROM "Tasks" t WHERE ${condition} LIMIT ${TASKS_PER_SCAN}`,
    at,
  );
  for (const { taskId } of found) {
    const task = await readTask(reader, taskId);
    if (task !== null) yield task;
  }
}

/** Asks the holder's object: a run that lives gets its lease renewed, one that ended is followed up, one that was never taken is handed out again. */
async function lookAfter(board: Board, reader: Reader, task: TaskRow): Promise<void> {
  const { runId, worker } = task;
  if (runId === null || worker === null) return;
  try {
    if (task.status === "waiting" && (await countOpenChildren(reader, task.taskId)) > 0) {
      if (await waitsForItself(reader, task)) await tellOnce(board, task, "circle");
      return await renewLease(board, task.taskId, runId);
    }
    const state = await board.runState(runId);
    if (state === "open") await renewLease(board, task.taskId, runId);
    else if (state !== "unknown") await taskRunEnded(board, { ...endOf(task, { runId, worker }), ...state });
    else if (task.status === "waiting") await missWake(board, task, { runId, worker });
    else await handOutAgain(board, task, { runId, worker });
  } catch (error) {
    board.log.warn(`The holder of task ${task.taskId} cannot be reached: ${describeError(error)}`);
  }
}

/** The run that was to hear of a subtask is still on order, or has been dropped. */
async function missWake(board: Board, task: TaskRow, holder: Holder): Promise<void> {
  const { taskId } = task;
  const onOrder = await wakeOnOrder(boardReader(board), { taskId, except: "" });
  if (onOrder !== null) return renewLease(board, taskId, holder.runId);
  await taskRunEnded(board, { ...endOf(task, holder), status: "failed", reason: "lost", reply: "" });
}

async function handOutAgain(board: Board, task: TaskRow, holder: Holder): Promise<void> {
  const order = workOrder(task, { ...holder, history: "" });
  const accepted = await board.accept(order.objectName, order.run);
  if (accepted.ok) await renewLease(board, task.taskId, holder.runId);
  else if (accepted.code === "not_configured") await endHomeless(board, task);
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

/** Deeper than any chain's default. */
const MAX_WAY_UP = 20;

/** Whether a task that waits for this one, over any number of others, has the same assignee. */
async function waitsForItself(reader: Reader, task: TaskRow): Promise<boolean> {
  let parentTaskId = task.parentTaskId;
  for (let level = 0; parentTaskId !== null && level < MAX_WAY_UP; level += 1) {
    const parent = await readTask(reader, parentTaskId);
    if (parent?.status !== "waiting") return false;
    const sameAssignee = assigneeName(parent.assignee) === assigneeName(task.assignee);
    if (sameAssignee && task.creator !== assigneeName(task.assignee)) return true;
    parentTaskId = parent.parentTaskId;
  }
  return false;
}
