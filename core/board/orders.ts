/** The runs that the taskboard asks for: what they are told and where they belong. No I/O, no clock. */
import { capText } from "../engine/caps.ts";
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

/**
 * What an act causes in the task's chain: its parent is the acting run, and the task's own creator for a run of
 * another chain, because a child's root is its parent's root (L4).
 */
export function causeOf(task: TaskRow, actor: Actor): Pick<Actor, "runId" | "parentRunId" | "depth"> {
  if (actor.rootRunId !== task.rootRunId)
    return { runId: task.creatorRunId, parentRunId: null, depth: task.depth };
  const { runId, parentRunId, depth } = actor;
  return { runId, parentRunId, depth };
}

/** A run of somebody whom an act concerns. */
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
  return order(task, { ...input, parent: causeOf(task, input.actor) });
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

/** An order is one row of D1, as JSON: three parts of this length fit it however they are escaped. */
const PART_CHARS = 90_000;

function workText(task: TaskRow, history: string): string {
  return [
    `Task ${task.taskId} from ${task.creator}: ${task.title}`,
    capText(task.description, PART_CHARS),
    ...(task.acceptance === null ? [] : [`It is accepted when: ${capText(task.acceptance, PART_CHARS)}`]),
    ...(task.dueAt === null ? [] : [`Due: ${task.dueAt}`]),
    ...(history === "" ? [] : [`So far:\n${capText(history, PART_CHARS)}`]),
    "Work on it now. Finish with task_complete and the result, or with task_block and the reason.",
  ].join("\n\n");
}

/** What the creator hears when a task is done, in review or blocked. */
export function resultText(task: TaskRow): string {
  const head = `Task ${task.taskId} (${task.title}), given to ${assigneeName(task.assignee)}, is ${STANDS[task.status] ?? task.status}`;
  const text =
    task.status === "blocked" ? `: ${task.reason ?? "no reason"}` : `. Result:\n${task.result ?? ""}`;
  return [
    capText(`${head}${text}`, PART_CHARS),
    ...(task.status === "review" ? ["Accept or reject it with task_review."] : []),
    ...(task.parentTaskId === null ? [] : [`It is part of task ${task.parentTaskId}; go on with that one.`]),
  ].join("\n\n");
}

const STANDS: Readonly<Partial<Record<TaskRow["status"], string>>> = { review: "ready for your review" };

export function commentText(task: TaskRow, author: string, text: string): string {
  return `Comment by ${author} on task ${task.taskId} (${task.title}):\n${capText(text, PART_CHARS)}`;
}
