/** A task as the API and the models see it. */
import { ownJson } from "../journal/database.ts";
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
