/** What the board shows where, and what a person may do with a task. Pure. */
import { HUMAN } from "../api/assignees.ts";
import type { Task } from "../api/types.ts";

type Status = Task["status"];

export const COLUMNS = ["open", "running", "review", "blocked", "done"] as const;
export type Column = (typeof COLUMNS)[number];

export const STATUSES_OF: Readonly<Record<Column, readonly Status[]>> = {
  open: ["open", "dispatched"],
  running: ["running", "waiting"],
  review: ["review"],
  blocked: ["blocked"],
  done: ["done", "cancelled"],
};

export const ACTS = ["complete", "block", "accept", "reject", "comment", "cancel"] as const;
export type Act = (typeof ACTS)[number];

/** Single letters on a focused card, the same in both languages. */
export const ACT_KEYS: Readonly<Record<Act, string>> = {
  complete: "e",
  block: "b",
  accept: "a",
  reject: "r",
  comment: "c",
  cancel: "x",
};

/** Acts whose text may be empty. */
export const TEXT_IS_OPTIONAL: ReadonlySet<Act> = new Set<Act>(["accept", "cancel"]);

type Standing = Pick<Task, "status" | "assignee" | "creator">;

/** What the API would take from a person as the task is now, the likeliest first. */
export function allowedActs(task: Standing): Act[] {
  return ACTS.filter((act) => isAllowed(task, act));
}

export function isAllowed({ status, assignee }: Standing, act: Act): boolean {
  switch (act) {
    case "comment":
      return true;
    case "complete":
    case "block":
      return assignee === HUMAN && ["open", "dispatched", "running", "waiting"].includes(status);
    case "accept":
    case "reject":
      return status === "review";
    case "cancel":
      return !isOver(status);
  }
}

export function isOver(status: Status): boolean {
  return status === "done" || status === "cancelled";
}

/** Nobody else will take care of it: a task for people, or a result that a person asked for. */
export function waitsForPerson({ status, assignee, creator }: Standing): boolean {
  return (status === "open" && assignee === HUMAN) || (status === "review" && creator === HUMAN);
}

/** @param now milliseconds */
export function isOverdue({ status, dueAt }: Pick<Task, "status" | "dueAt">, now: number): boolean {
  return dueAt !== null && !isOver(status) && Date.parse(dueAt) < now;
}

const RANKS: Readonly<Record<string, number>> = { urgent: 3, high: 2, normal: 1, low: 0 };

/** For whoever works through them: the urgent first, then those that have waited longest. */
export function byUrgency(a: Task, b: Task): number {
  const rank = (RANKS[b.priority] ?? 1) - (RANKS[a.priority] ?? 1);
  return rank === 0 ? a.createdAt.localeCompare(b.createdAt) : rank;
}

/** As the API lists them: the newest first. */
export function byAge(a: Task, b: Task): number {
  return b.createdAt.localeCompare(a.createdAt) || b.taskId.localeCompare(a.taskId);
}

export interface Filter {
  /** As a task names it, or empty for all. */
  readonly assignee: string;
  /** Words, all of which must occur. */
  readonly text: string;
}

export function matches(task: Task, { assignee, text }: Filter): boolean {
  if (assignee !== "" && task.assignee !== assignee) return false;
  const searched = [task.title, task.description, task.result ?? "", task.reason ?? "", task.taskId]
    .join("\n")
    .toLocaleLowerCase();
  return text
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}
