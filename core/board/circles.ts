/** Finds work that comes back to who gave it away: nothing hangs, but it shall be seen. No I/O, no clock. */
import type { TaskRow } from "./task.ts";
import { assigneeName, HUMAN } from "./vocabulary.ts";

type Given = Pick<TaskRow, "taskId" | "parentTaskId" | "assignee" | "creator">;

/** The tasks of every way from a task up to one that its assignee was given, or gave, before. */
export function circlesOf(tasks: readonly Given[]): string[] {
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  return [...new Set(tasks.flatMap((task) => wayToSelf(task, byId)))];
}

function wayToSelf(task: Given, byId: ReadonlyMap<string, Given>): string[] {
  const self = assigneeName(task.assignee);
  // Who splits up its own work waits for nobody else.
  if (self === HUMAN || task.creator === self) return [];
  const way = [task.taskId];
  let parent = byId.get(task.parentTaskId ?? "");
  while (parent !== undefined && !way.includes(parent.taskId)) {
    way.push(parent.taskId);
    if (assigneeName(parent.assignee) === self || parent.creator === self) return way;
    parent = byId.get(parent.parentTaskId ?? "");
  }
  return [];
}
