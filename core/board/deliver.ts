/** Hands ordered runs to their objects. What fails stays ordered, and the minute scan tries again. */
import type { AcceptResult } from "../engine/world.ts";
import { describeError } from "../log.ts";
import { type Board, boardReader } from "./board.ts";
import type { RunOrder } from "./orders.ts";
import { forgetOrder, type PendingOrder, pendingOrders, readTask } from "./store.ts";
import type { TaskRow } from "./task.ts";
import { isUnderWay } from "./vocabulary.ts";

const ORDERS_PER_SCAN = { limit: 200, perObject: 50 };

/** Never rejects. Ordered twice or by many at once, a run is taken once: its id is fixed. */
export async function deliverOrders(board: Board, orders: readonly RunOrder[]): Promise<void> {
  await Promise.all(orders.map((order) => deliverOrder(board, order)));
}

/** Null when the object could not be reached, or D1 could not be told. */
async function deliverOrder(board: Board, order: RunOrder): Promise<AcceptResult | null> {
  try {
    const accepted = await board.accept(order.objectName, order.run);
    if (accepted.ok) await noteTaken(board, order);
    return accepted;
  } catch (error) {
    board.log.warn(`Run ${order.run.runId} could not be handed out yet: ${describeError(error)}`);
    return null;
  }
}

async function noteTaken(board: Board, { run }: RunOrder): Promise<void> {
  await board.db.batch([
    board.db
      .prepare(
        `UPDATE "Tasks" SET "Status" = 'dispatched', "LeaseUntil" = ?, "Version" = "Version" + 1
         WHERE "TaskId" = ? AND "RunId" = ? AND "Status" = 'open'`,
      )
      .bind(leaseEnd(board), run.taskId, run.runId),
    board.db.prepare(`DELETE FROM "TaskWakes" WHERE "RunId" = ?`).bind(run.runId),
  ]);
}

/** A holder that is not heard of for so long is asked for. */
const LEASE_MS = 300_000;

export function leaseEnd(board: Board): string {
  return new Date(board.now() + LEASE_MS).toISOString();
}

/** The run will never come to be, so its chain forgets it too. */
export async function dropOrder(board: Board, { run }: RunOrder): Promise<void> {
  await board.leaveChain(run.lineage.rootRunId, run.runId);
  await forgetOrder(board.db, run.runId);
}

export interface PendingDelivery {
  readonly rowsRead: number;
  /** Orders for objects that no agent is configured for any more, with the task that each is about. */
  readonly homeless: readonly { readonly order: PendingOrder; readonly task: TaskRow | null }[];
}

/** The scan's part: orders that nobody has taken. One to work on a task that nobody needs any more is dropped. */
export async function deliverPending(board: Board): Promise<PendingDelivery> {
  const reader = boardReader(board);
  const homeless = [];
  const full = new Set<string>();
  for (const order of await pendingOrders(reader, ORDERS_PER_SCAN)) {
    if (full.has(order.objectName)) continue;
    const task = order.taskId === "" ? null : await readTask(reader, order.taskId);
    if (isWork(order, task) && !isUnderWay(task.status)) {
      await dropOrder(board, order);
      continue;
    }
    const accepted = await deliverOrder(board, order);
    if (accepted === null || accepted.ok) continue;
    if (accepted.code === "not_configured") homeless.push({ order, task });
    else full.add(order.objectName);
  }
  return { rowsRead: reader.rowsRead, homeless };
}

/** Whether the order is to work on the task, and not to hear of one of its subtasks. */
export function isWork(order: RunOrder, task: TaskRow | null): task is TaskRow {
  return task?.runId === order.run.runId && order.run.lineage.parentRunId === task.creatorRunId;
}
