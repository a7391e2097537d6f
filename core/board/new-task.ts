/** A new task's row, event, message row and first run. No I/O. */
import { type MessageRow, NO_ROWS, type NoticeRow } from "../record/rows.ts";
import type { Board } from "./board.ts";
import { type RunOrder, workOrder } from "./orders.ts";
import { boardRow } from "./rows.ts";
import type { TaskEventRow } from "./store.ts";
import type { Actor, NewTask, TaskRow } from "./task.ts";
import { assigneeName, HUMAN, workerObject } from "./vocabulary.ts";

export interface TaskParts {
  readonly task: TaskRow;
  readonly events: readonly TaskEventRow[];
  readonly messages: readonly MessageRow[];
  readonly orders: readonly RunOrder[];
}

export interface NewTaskInput {
  readonly uid: string;
  readonly at: string;
  readonly taskId: string;
  /** Minted before, when the chain has admitted the run already. */
  readonly firstRunId: string | null;
  readonly creator: Actor;
  readonly task: NewTask;
}

export function newTaskParts(board: Board, input: NewTaskInput): TaskParts {
  const { creator, at, taskId } = input;
  const worker = workerObject(input.task.assignee, taskId);
  const runId = worker === null ? null : (input.firstRunId ?? board.newRunId(worker));
  const task = newRow(input, worker, runId);
  const event: TaskEventRow = {
    uid: input.uid,
    taskId,
    kind: "created",
    actor: creator.name,
    text: task.title,
    runId: creator.runId,
    rootRunId: creator.rootRunId,
    occurredAt: at,
  };
  const orders = worker === null || runId === null ? [] : [workOrder(task, { worker, runId, history: "" })];
  return { task, events: [event], messages: createdRows(input), orders };
}

function newRow(input: NewTaskInput, worker: string | null, runId: string | null): TaskRow {
  const { creator, at, task } = input;
  return {
    taskId: input.taskId,
    title: task.title,
    description: task.description,
    acceptance: task.acceptance ?? null,
    creator: creator.name,
    assignee: task.assignee,
    priority: task.priority,
    status: "open",
    dueAt: task.dueAt ?? null,
    result: null,
    reason: null,
    parentTaskId: task.parentTaskId ?? creator.taskId,
    stages: JSON.stringify(task.stages),
    attempts: worker === null ? 0 : 1,
    rejections: 0,
    runId,
    rootRunId: creator.rootRunId,
    createdAt: at,
    updatedAt: at,
    worker,
    creatorObject: creator.objectName,
    creatorLane: creator.lane === "answer" ? "conversation" : creator.lane,
    creatorRunId: creator.runId,
    depth: creator.depth,
    leaseUntil: null,
    commentWakes: 0,
    told: "[]",
    longTexts: null,
    version: 1,
  };
}

/** A task to oneself crosses no boundary. */
function createdRows(input: NewTaskInput): readonly MessageRow[] {
  const { creator, task } = input;
  const to = assigneeName(task.assignee);
  if (creator.name === to) return NO_ROWS.messages;
  return [requestRow(input, { to, status: "delivered", content: taskText(task), taskId: input.taskId })];
}

export function requestRow(
  input: { readonly uid: string; readonly at: string; readonly creator: Actor },
  rest: {
    readonly to: string;
    readonly status: MessageRow["status"];
    readonly content: string;
    readonly taskId: string | null;
  },
): MessageRow {
  return boardRow(
    {
      uid: `${input.uid}:task`,
      from: input.creator.name,
      channel: "task",
      direction: "request",
      at: input.at,
      ...rest,
    },
    input.creator,
  );
}

export function taskText(task: NewTask): string {
  const acceptance = task.acceptance === undefined ? "" : `\n\nAccepted when: ${task.acceptance}`;
  return `${task.title}\n\n${task.description}${acceptance}`;
}

/** A person is told of a task for a person. */
export function humanNotice(task: TaskRow): NoticeRow[] {
  if (task.assignee !== HUMAN) return [];
  return [
    {
      uid: `task:${task.taskId}:human`,
      kind: "human_task",
      text: `${task.creator} has a task for a person: ${task.title} (${task.taskId}).`,
      rootRunId: task.rootRunId,
      agentId: task.creator === HUMAN ? null : task.creator,
      occurredAt: task.createdAt,
    },
  ];
}
