/** The closed sets of words of the taskboard. */

export const TASK_STATUSES = [
  "open",
  "dispatched",
  "running",
  "waiting",
  "review",
  "done",
  "blocked",
  "cancelled",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const PRIORITIES = ["low", "normal", "high", "urgent"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What a run's gate makes of a priority: higher goes first. */
export const PRIORITY_RANK: Readonly<Record<Priority, number>> = { low: -1, normal: 0, high: 1, urgent: 2 };

export const TASK_EVENT_KINDS = [
  "created",
  "dispatched",
  "started",
  "waiting",
  "offered_again",
  "commented",
  "completed",
  "accepted",
  "rejected",
  "blocked",
  "cancelled",
  "overdue",
  "silted",
  "circle",
] as const;
export type TaskEventKind = (typeof TASK_EVENT_KINDS)[number];

/** Stands for every person. */
export const HUMAN = "@human";
const NEW_WORKER = "@new:";

/** A task that nobody will work on any more. */
export function isOver(status: TaskStatus): boolean {
  return status === "done" || status === "cancelled";
}

/** Somebody works on it or will. */
export function isUnderWay(status: TaskStatus): boolean {
  return status === "open" || status === "dispatched" || status === "running" || status === "waiting";
}

/** An assignee as the record names it: `@new:` workers appear under their base agent's id. */
export function assigneeName(assignee: string): string {
  return assignee.startsWith(NEW_WORKER) ? assignee.slice(NEW_WORKER.length) : assignee;
}

/** The object that works on the task; null for a person's. A fresh worker is named after its task. */
export function workerObject(assignee: string, taskId: string): string | null {
  if (assignee === HUMAN) return null;
  return assignee.startsWith(NEW_WORKER) ? `${assigneeName(assignee)}@${taskId}` : assignee;
}
