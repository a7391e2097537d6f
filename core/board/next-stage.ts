import { ownJson } from "../journal/database.ts";
import type { Board } from "./board.ts";
import { newTaskParts, type TaskParts } from "./new-task.ts";
import { causeOf } from "./orders.ts";
import type { Actor, Stage, TaskRow } from "./task.ts";

const ATTACHED_CHARS = 20_000;

/** The task that follows a finished one, made by the engine in the same chain; null after the last stage. */
export function nextStage(
  board: Board,
  input: { readonly task: TaskRow; readonly actor: Actor; readonly uid: string; readonly at: string },
): TaskParts | null {
  const { task } = input;
  const [stage, ...later] = ownJson<readonly Stage[]>(task.stages);
  if (stage === undefined) return null;
  const result = (task.result ?? "").slice(0, ATTACHED_CHARS);
  return newTaskParts(board, {
    uid: `${input.uid}:stage`,
    at: input.at,
    taskId: board.newTaskId(),
    firstRunId: null,
    creator: {
      name: task.creator,
      objectName: task.creatorObject,
      lane: task.creatorLane,
      ...causeOf(task, input.actor),
      rootRunId: task.rootRunId,
      taskId: task.parentTaskId,
    },
    task: {
      title: stage.title,
      description: `${stage.description}\n\nResult of the stage before (${task.title}, task ${task.taskId}):\n${result}`,
      assignee: stage.assignee,
      acceptance: stage.acceptance,
      priority: task.priority,
      stages: later,
      parentTaskId: task.parentTaskId ?? undefined,
    },
  });
}
