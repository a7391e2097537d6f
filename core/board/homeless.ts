/** Orders for objects that no agent is configured for any more: they end with a reason instead of being tried for ever. */

import { type EndedTaskRun, taskRunEnded } from "./after-run.ts";
import { type Board, isoNow } from "./board.ts";
import { dropOrder, isWork } from "./deliver.ts";
import type { PendingOrder } from "./store.ts";
import type { TaskRow } from "./task.ts";
import { writeBoard } from "./write-board.ts";

export interface Holder {
  readonly runId: string;
  readonly worker: string;
}

/** The end of a task's run, as the taskboard itself knows it. */
export function endOf(
  task: TaskRow,
  { runId, worker }: Holder,
): Omit<EndedTaskRun, "status" | "reason" | "reply"> {
  return {
    taskId: task.taskId,
    runId,
    parentRunId: task.creatorRunId,
    depth: task.depth + 1,
    objectName: worker,
    openApprovals: 0,
    nextRun: () => null,
  };
}

/** The task that the order was to work on is blocked; if somebody was to hear of something, a person hears instead. */
export async function dropHomeless(board: Board, order: PendingOrder, task: TaskRow | null): Promise<void> {
  if (isWork(order, task)) await endHomeless(board, task);
  else await tellPerson(board, order);
  await dropOrder(board, order);
}

export async function endHomeless(board: Board, task: TaskRow): Promise<void> {
  const { runId, worker } = task;
  if (runId === null || worker === null) return;
  const end = { status: "failed", reason: "not_configured", reply: "" };
  await taskRunEnded(board, { ...endOf(task, { runId, worker }), ...end });
}

const TOLD_CHARS = 500;

async function tellPerson(board: Board, { objectName, run }: PendingOrder): Promise<void> {
  const at = isoNow(board);
  const notice = {
    uid: `unheard:${run.runId}`,
    kind: "task_unheard",
    text: `${objectName} is not configured any more and could not be told: ${run.input.slice(0, TOLD_CHARS)}`,
    rootRunId: run.lineage.rootRunId,
    agentId: null,
    occurredAt: at,
  };
  const nothing = { changed: null, created: [], events: [], messages: [], orders: [] };
  await writeBoard(board, { ...nothing, notices: [notice], at });
}
