/** A task as the API and the models see it. */
import { ownJson } from "../journal/database.ts";
import { LIST_TEXT_CHARS } from "../limits.ts";
import { cutToUnits } from "../record/stored-text.ts";
import type { Stage, TaskRow } from "./task.ts";

export type TaskView = ReturnType<typeof taskView>;

export function taskView(task: TaskRow) {
  return {
    taskId: task.taskId,
    title: task.title,
    description: task.description,
    acceptance: task.acceptance,
    creator: task.creator,
    assignee: task.assignee,
    priority: task.priority,
    status: task.status,
    dueAt: task.dueAt,
    result: task.result,
    reason: task.reason,
    parentTaskId: task.parentTaskId,
    stages: ownJson<readonly Stage[]>(task.stages),
    attempts: task.attempts,
    rejections: task.rejections,
    runId: task.runId,
    rootRunId: task.rootRunId,
    createdAt: task.createdAt,
    updatedAt: task.updatedAt,
  };
}

/** A task as lists and the live feed show it: long texts are cut. */
export function listedTask(task: TaskRow) {
  const { description, acceptance, result, reason, stages } = task;
  const truncated =
    task.longTexts !== null ||
    [description, acceptance, result, reason, stages].some((text) => (text?.length ?? 0) > LIST_TEXT_CHARS);
  return {
    ...taskView(task),
    description: cut(description),
    acceptance: acceptance === null ? null : cut(acceptance),
    result: result === null ? null : cut(result),
    reason: reason === null ? null : cut(reason),
    ...(stages.length > LIST_TEXT_CHARS ? { stages: [] } : {}),
    truncated,
  };
}

function cut(text: string): string {
  return cutToUnits(text, LIST_TEXT_CHARS);
}
