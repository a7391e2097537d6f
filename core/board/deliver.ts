/** Hands ordered runs to their objects. What fails stays ordered, and the minute scan tries again. */
import { describeError } from "../log.ts";
import { type Board, boardReader } from "./board.ts";
import type { RunOrder } from "./orders.ts";
import { forgetOrder, pendingOrders, readTask } from "./store.ts";
import { isOver } from "./vocabulary.ts";

const ORDERS_PER_SCAN = 200;

/** Never rejects. Ordered twice or by many at once, a run is taken once: its id is fixed. */
export async function deliverOrders(board: Board, orders: readonly RunOrder[]): Promise<void> {
  await Promise.all(orders.map((order) => deliverOrder(board, order)));
}

async function deliverOrder(board: Board, order: RunOrder): Promise<void> {
  try {
    const accepted = await board.accept(order.objectName, order.run);
    if (!accepted.ok) return;
    await board.db.batch([
      board.db
        .prepare(
          `UPDATE "Tasks" SET "Status" = 'dispatched', "LeaseUntil" = ?, "Version" = "Version" + 1
           WHERE "TaskId" = ? AND "RunId" = ? AND "Status" = 'open'`,
        )
        .bind(leaseEnd(board), order.run.taskId, order.run.runId),
      board.db.prepare(`DELETE FROM "TaskWakes" WHERE "RunId" = ?`).bind(order.run.runId),
    ]);
  } catch (error) {
    board.log.warn(`Run ${order.run.runId} could not be handed out yet: ${describeError(error)}`);
  }
}

/** A holder that is not heard of for so long is asked for. */
const LEASE_MS = 300_000;

export function leaseEnd(board: Board): string {
  return new Date(board.now() + LEASE_MS).toISOString();
}

/** The scan's part: orders that nobody has taken. An order for a task that is over is dropped. */
export async function deliverPending(board: Board): Promise<number> {
  const reader = boardReader(board);
  const pending = await pendingOrders(reader, ORDERS_PER_SCAN);
  for (const order of pending) {
    const task = order.taskId === "" ? null : await readTask(reader, order.taskId);
    if (task !== null && isOver(task.status) && task.runId === order.run.runId)
      await forgetOrder(board.db, order.run.runId);
    else await deliverOrder(board, order);
  }
  return reader.rowsRead;
}
