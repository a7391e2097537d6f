/** The runs that the taskboard asks for: what they are told and where they belong. No I/O, no clock. */
import type { NewRun } from "../journal/runs.ts";
import type { Actor, TaskRow } from "./task.ts";
import { assigneeName, PRIORITY_RANK } from "./vocabulary.ts";

export interface RunOrder {
  readonly objectName: string;
  readonly run: NewRun;
}

/** The run that works on the task; its parent is the run that created the task, whoever dispatches it. */
export function workOrder(
  task: TaskRow,
  input: { readonly worker: string; readonly runId: string; readonly history: string },
): RunOrder {
  return order(task, {
    objectName: input.worker,
    runId: input.runId,
    text: workText(task, input.history),
    lane: "conversation",
    parent: { runId: task.creatorRunId, depth: task.depth },
    taskId: task.taskId,
  });
}

/** A run of somebody whom an act concerns; its parent is the acting run. */
export function wakeOrder(
  task: TaskRow,
  input: {
    readonly objectName: string;
    readonly lane: NewRun["lane"];
    readonly runId: string;
    readonly text: string;
    readonly actor: Actor;
    readonly taskId: string | null;
  },
): RunOrder {
  return order(task, { ...input, parent: { runId: input.actor.runId, depth: input.actor.depth } });
}

function order(
  task: TaskRow,
  input: {
    readonly objectName: string;
    readonly runId: string;
    readonly text: string;
    readonly lane: NewRun["lane"];
    readonly parent: { readonly runId: string; readonly depth: number };
    readonly taskId: string | null;
  },
): RunOrder {
  return {
    objectName: input.objectName,
    run: {
      runId: input.runId,
      trigger: "task",
      lane: input.lane,
      priority: PRIORITY_RANK[task.priority],
      lineage: {
        runId: input.runId,
        parentRunId: input.parent.runId,
        rootRunId: task.rootRunId,
        depth: input.parent.depth + 1,
        path: [],
      },
      input: input.text,
      maxSteps: null,
      deadlineAt: null,
      taskId: input.taskId,
    },
  };
}

function workText(task: TaskRow, history: string): string {
  return [
    `Task ${task.taskId} from ${task.creator}: ${task.title}`,
    task.description,
    ...(task.acceptance === null ? [] : [`It is accepted when: ${task.acceptance}`]),
    ...(task.dueAt === null ? [] : [`Due: ${task.dueAt}`]),
    ...(history === "" ? [] : [`So far:\n${history}`]),
    "Work on it now. Finish with task_complete and the result, or with task_block and the reason.",
  ].join("\n\n");
}

/** What the creator hears when a task is done, in review or blocked. */
export function resultText(task: TaskRow): string {
  const who = assigneeName(task.assignee);
  const head = `Task ${task.taskId} (${task.title}), given to ${who}`;
  if (task.status === "blocked") return `${head}, is blocked: ${task.reason ?? "no reason"}`;
  const next = task.status === "review" ? "\n\nAccept or reject it with task_review." : "";
  return `${head}, is ${task.status === "review" ? "ready for your review" : "done"}. Result:\n${task.result ?? ""}${next}`;
}

export function commentText(task: TaskRow, author: string, text: string): string {
  return `Comment by ${author} on task ${task.taskId} (${task.title}):\n${text}`;
}
