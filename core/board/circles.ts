/** Finds work that waits for itself: nothing hangs, but it shall be seen. No I/O, no clock. */
import type { TaskRow } from "./task.ts";
import { assigneeName, isOver } from "./vocabulary.ts";

type Waiting = Pick<TaskRow, "taskId" | "parentTaskId" | "assignee" | "status">;

/** The unfinished tasks of every way from a task up to one of the same assignee. */
export function circlesOf(tasks: readonly Waiting[]): string[] {
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  return [...new Set(tasks.flatMap((task) => wayToSelf(task, byId)))];
}

function wayToSelf(task: Waiting, byId: ReadonlyMap<string, Waiting>): string[] {
  const way = [task.taskId];
  let parent = byId.get(task.parentTaskId ?? "");
  while (parent !== undefined && !way.includes(parent.taskId)) {
    if (isOver(parent.status) || isOver(task.status)) return [];
    way.push(parent.taskId);
    if (assigneeName(parent.assignee) === assigneeName(task.assignee)) return way;
    parent = byId.get(parent.parentTaskId ?? "");
  }
  return [];
}
