/** Turns a decided change into one batch: the task's new row, its event, its message rows, the runs it causes. */

import type { NoticeRow } from "../record/rows.ts";
import { type Board, isoNow } from "./board.ts";
import { deliverOrders, leaseEnd } from "./deliver.ts";
import { fitTask, wholeTask, withoutLong } from "./long-fields.ts";
import { humanNotice } from "./new-task.ts";
import { nextStage } from "./next-stage.ts";
import { type RunOrder, resultText, wakeOrder, workOrder } from "./orders.ts";
import type { Change } from "./policy.ts";
import { boardRow } from "./rows.ts";
import type { TaskEventRow } from "./store.ts";
import type { Actor, TaskRow } from "./task.ts";
import { assigneeName, HUMAN } from "./vocabulary.ts";
import { type Written, writeBoard } from "./write-board.ts";

export interface ChangeInput {
  readonly task: TaskRow;
  readonly change: Change;
  readonly actor: Actor;
  /** Makes the act happen once. */
  readonly uid: string;
  /** What was done so far, for the next run that works on it. */
  readonly history: string;
}

export interface ChangeOutcome {
  readonly written: Written;
  readonly task: TaskRow;
}

/** Writes the change and hands out the runs it causes. Rejects only when D1 does; nothing is half done then. */
export async function writeChange(board: Board, input: ChangeInput): Promise<ChangeOutcome> {
  const at = isoNow(board);
  const offered = offer(board, input, at);
  const task = await fitTask(board.texts, offered.task);
  const follow = await nextStageOf(board, { ...input, task }, at);
  const stage = follow === null ? null : await fitTask(board.texts, follow.task);
  const orders = [...offered.orders, ...creatorWake(board, { ...input, task }), ...(follow?.orders ?? [])];
  const written = await writeBoard(board, {
    changed: task,
    created: stage === null ? [] : [stage],
    events: [eventRow(input, task, at), ...(follow?.events ?? [])],
    messages: [...changeRows({ ...input, task }, at), ...(follow?.messages ?? [])],
    notices: [...changeNotices({ ...input, task }, at), ...(stage === null ? [] : humanNotice(stage))],
    orders,
    at,
  });
  if (written !== "written") return { written, task };
  await deliverOrders(board, orders);
  return { written, task };
}

async function nextStageOf(board: Board, { task, actor, uid }: ChangeInput, at: string) {
  if (task.status !== "done") return null;
  return nextStage(board, { task: await wholeTask(board.texts, task), actor, uid, at });
}

/** The task's new row, and its next run when it goes to its assignee again. */
function offer(board: Board, input: ChangeInput, at: string): { task: TaskRow; orders: RunOrder[] } {
  const { task, change } = input;
  const changed: TaskRow = {
    ...withoutLong(task, [
      ...(change.result === undefined ? [] : (["result"] as const)),
      ...(change.reason === undefined ? [] : (["reason"] as const)),
    ]),
    status: change.status ?? task.status,
    result: change.result ?? task.result,
    reason: change.reason === undefined ? task.reason : change.reason,
    rejections: change.rejections ?? task.rejections,
    runId: change.runId ?? task.runId,
    leaseUntil: change.status === "waiting" ? leaseEnd(board) : null,
    updatedAt: at,
    version: task.version + 1,
  };
  if (change.offer !== true || task.worker === null) return { task: changed, orders: [] };
  const runId = board.newRunId(task.worker);
  const next = { ...changed, runId, attempts: task.attempts + 1 };
  const history = [change.text, input.history].filter((text) => text !== "").join("\n");
  return { task: next, orders: [workOrder(next, { worker: task.worker, runId, history })] };
}

/**
 * The creator hears of a result in a run of its own, unless it is the one who acts: even then when the result
 * is a subtask's, which the run of the parent task waits for.
 */
function creatorWake(board: Board, input: ChangeInput): RunOrder[] {
  const { task, change, actor } = input;
  if (change.wakeCreator !== true && change.notice === undefined) return [];
  const knows = actor.objectName === task.creatorObject;
  const parentWaits = task.parentTaskId !== null && task.parentTaskId !== actor.taskId;
  if (task.creatorObject === null || (knows && !parentWaits)) return [];
  const runId = board.newRunId(task.creatorObject);
  const wake = {
    objectName: task.creatorObject,
    lane: task.creatorLane,
    runId,
    text: resultText(task),
    actor,
  };
  return [wakeOrder(task, { ...wake, taskId: task.parentTaskId })];
}

function eventRow(input: ChangeInput, task: TaskRow, at: string): TaskEventRow {
  return {
    uid: input.uid,
    taskId: task.taskId,
    kind: input.change.event,
    actor: input.actor.name,
    text: input.change.text,
    runId: input.actor.runId,
    rootRunId: task.rootRunId,
    occurredAt: at,
  };
}

/** Completed or blocked: a result to the creator. Accepted, rejected, cancelled: a comment to the assignee. */
function changeRows(input: ChangeInput, at: string) {
  const { task, change, actor, uid } = input;
  const assignee = assigneeName(task.assignee);
  if (task.creator === assignee) return [];
  const base = { taskId: task.taskId, status: "delivered", at } as const;
  const rows = [];
  if (change.event === "accepted" || change.event === "rejected" || change.event === "cancelled") {
    const content = change.text === "" ? change.event : change.text;
    const from = actor.name === HUMAN ? HUMAN : task.creator;
    rows.push(
      boardRow(
        {
          ...base,
          uid: `${uid}:comment`,
          from,
          // What a person does about a person's own task is for its creator.
          to: from === assignee ? task.creator : assignee,
          channel: "task_comment",
          direction: "request",
          content,
        },
        actor,
      ),
    );
  }
  if (change.event === "completed" || task.status === "blocked") {
    const content = change.event === "completed" ? change.text : (task.reason ?? "");
    rows.push(
      boardRow(
        {
          ...base,
          uid: `${uid}:result`,
          from: assignee,
          to: task.creator,
          channel: "task_result",
          direction: "response",
          content,
        },
        actor,
      ),
    );
  }
  return rows;
}

function changeNotices(input: ChangeInput, at: string): NoticeRow[] {
  const { task, change } = input;
  if (change.notice === undefined) return awaitedByPerson(input, at);
  return [
    {
      uid: `task:${task.taskId}:${change.notice}`,
      kind: "task_rejected_too_often",
      text: `Task ${task.taskId} (${task.title}) was rejected ${task.rejections} times and is blocked now.`,
      rootRunId: task.rootRunId,
      agentId: assigneeName(task.assignee),
      occurredAt: at,
    },
  ];
}

/** A person who gave a task away hears that it waits for a review, or that it got stuck. */
function awaitedByPerson({ task, change, actor }: ChangeInput, at: string): NoticeRow[] {
  if (task.creator !== HUMAN || actor.name === HUMAN) return [];
  if (change.status !== "review" && change.status !== "blocked") return [];
  const review = change.status === "review";
  return [
    {
      uid: `task:${task.taskId}:${review ? `review:${task.rejections}` : "blocked"}`,
      kind: review ? "task_review" : "task_blocked",
      text: `Task ${task.taskId} (${task.title}) ${review ? "waits for a review." : "is blocked."}`,
      rootRunId: task.rootRunId,
      agentId: assigneeName(task.assignee),
      occurredAt: at,
    },
  ];
}
