/** Keeps the board in step with runs: started, ended, or lost (L9). */

import { historyOf } from "./act.ts";
import { type Board, boardReader } from "./board.ts";
import { leaseEnd } from "./deliver.ts";
import { afterRun } from "./policy.ts";
import { countOpenChildren, readTask, wakeOnOrder } from "./store.ts";
import type { TaskRow } from "./task.ts";
import { assigneeName } from "./vocabulary.ts";
import { writeChange } from "./write-change.ts";

export interface EndedTaskRun {
  readonly taskId: string;
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly depth: number;
  readonly objectName: string;
  readonly status: string;
  readonly reason: string | null;
  readonly reply: string;
  /** Calls for the task that wait for a person's approval. */
  readonly openApprovals: number;
  /** Another run of the same object that works on the task and is not over. */
  readonly nextRun: () => string | null;
}

/** The task's run is executing: its lease runs from now on. Only the run that holds the task is heard. */
export async function taskRunStarted(board: Board, taskId: string, runId: string): Promise<void> {
  await board.db
    .prepare(
      `UPDATE "Tasks" SET "Status" = 'running', "LeaseUntil" = ?, "Version" = "Version" + 1
       WHERE "TaskId" = ? AND "RunId" = ? AND "Status" IN ('open', 'dispatched', 'running')`,
    )
    .bind(leaseEnd(board), taskId, runId)
    .run();
}

/** While a task waits, each later run for it of the same object holds it: one that an approval woke is such a run. */
function isHolder(task: TaskRow, { runId, objectName }: EndedTaskRun): boolean {
  if (task.runId === runId) return true;
  const later = task.runId !== null && runId > task.runId;
  return task.status === "waiting" && task.worker === objectName && later;
}

const TRIES = 5;
const REPLY_CHARS = 4_000;

/** Decides what becomes of the task of a run that has ended; safe to repeat. Rejects when D1 does or others keep changing the task. */
export async function taskRunEnded(board: Board, ended: EndedTaskRun): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const reader = boardReader(board);
    const task = await readTask(reader, ended.taskId);
    // A run that has lost the task to a later one decides nothing any more.
    if (task === null || !isHolder(task, ended)) return;
    const openChildren = (await countOpenChildren(reader, task.taskId)) + ended.openApprovals;
    const ordered = await wakeOnOrder(reader, { taskId: task.taskId, except: ended.runId });
    // In this order: a run is taken before its order is deleted.
    const change = afterRun(task, { ...ended, openChildren, nextRunId: ordered ?? ended.nextRun() });
    if (change === null) return;
    const actor = {
      name: assigneeName(task.assignee),
      objectName: ended.objectName,
      lane: "conversation" as const,
      runId: ended.runId,
      parentRunId: ended.parentRunId,
      rootRunId: task.rootRunId,
      depth: ended.depth,
      taskId: task.taskId,
    };
    const done = ended.reply === "" ? "" : `\nLast words of the run: ${ended.reply.slice(0, REPLY_CHARS)}`;
    const history = (await historyOf(board, task, change.offer === true)) + done;
    const uid = `ended:${ended.runId}:${change.event}`;
    const outcome = await writeChange(board, { task, change, actor, uid, history });
    if (outcome.written !== "changed_meanwhile") return;
  }
  throw new Error(`task ${ended.taskId} is being changed by others`);
}
