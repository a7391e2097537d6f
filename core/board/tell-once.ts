import { ownJson } from "../journal/database.ts";
import { type Board, isoNow } from "./board.ts";
import type { TaskRow } from "./task.ts";
import { writeBoard } from "./write-board.ts";

type Trouble = "overdue" | "silted" | "circle";

/** A person is told once of each trouble of a task. Rejects when D1 does. */
export async function tellOnce(board: Board, task: TaskRow, what: Trouble): Promise<void> {
  const told = ownJson<readonly string[]>(task.told);
  if (told.includes(what)) return;
  const at = isoNow(board);
  const { taskId, rootRunId } = task;
  const text = troubleText(task, what);
  const uid = `${what}:${taskId}`;
  const event = { uid, taskId, kind: what, actor: "engine", text, runId: task.creatorRunId, rootRunId };
  await writeBoard(board, {
    changed: { ...task, told: JSON.stringify([...told, what]), version: task.version + 1 },
    created: [],
    events: [{ ...event, occurredAt: at }],
    messages: [],
    notices: [
      { uid: `task:${taskId}:${what}`, kind: `task_${what}`, text, rootRunId, agentId: null, occurredAt: at },
    ],
    orders: [],
    at,
  });
}

function troubleText(task: TaskRow, what: Trouble): string {
  const name = `task ${task.taskId} (${task.title})`;
  switch (what) {
    case "overdue":
      return `The ${name} is overdue since ${task.dueAt ?? ""}; it is ${task.status}.`;
    case "silted":
      return `Nothing has happened on ${name} since ${task.updatedAt}; it is ${task.status}.`;
    case "circle":
      return `The ${name} waits, through its subtasks, for something that ${task.assignee} was given before.`;
  }
}
