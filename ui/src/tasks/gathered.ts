/** The tasks that the page knows of, kept up to date by what it hears. Pure. */
import type { LiveEvent } from "../api/live.ts";
import type { Task } from "../api/types.ts";

export type Tasks = ReadonlyMap<string, Task>;

/** Of two states of a task the later stays. */
export function merge(known: Tasks, heard: readonly Task[]): Tasks {
  const merged = new Map(known);
  for (const task of heard) {
    const before = merged.get(task.taskId);
    if (before === undefined || before.updatedAt < task.updatedAt) merged.set(task.taskId, task);
  }
  return merged;
}

/** The tasks after the event; the same map when it changes nothing. */
export function hear(known: Tasks, { type, data }: LiveEvent): Tasks {
  if (type === "task") {
    const task = taskOf(data);
    return task === null ? known : merge(known, [task]);
  }
  return type === "run" ? hearRun(known, data) : known;
}

/** The start of a run is no act on the board; only the run itself tells of it. */
function hearRun(known: Tasks, data: unknown): Tasks {
  const state = textOf(data, "state");
  const runId = textOf(data, "runId");
  if (state !== "queued" && state !== "started") return known;
  for (const task of known.values())
    if (task.runId === runId && (task.status === "open" || task.status === "dispatched"))
      return new Map(known).set(task.taskId, {
        ...task,
        status: state === "started" ? "running" : "dispatched",
      });
  return known;
}

/** The task that a live event carries, or null. */
export function taskOf(data: unknown): Task | null {
  const task = fieldOf(data, "task");
  return isTask(task) ? task : null;
}

const TEXTS = ["taskId", "title", "status", "assignee", "creator", "priority", "createdAt", "updatedAt"];

/** The API and this page are one deployment's: what has the texts of a task is one. */
function isTask(value: unknown): value is Task {
  return TEXTS.every((name) => typeof fieldOf(value, name) === "string");
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function textOf(value: unknown, name: string): string {
  const field = fieldOf(value, name);
  return typeof field === "string" ? field : "";
}
