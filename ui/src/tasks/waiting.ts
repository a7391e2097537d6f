/** What waits for a person, wherever one is on the page: for the mark in the navigation. */

import { effect, signal, untracked } from "@preact/signals";
import { HUMAN } from "../api/assignees.ts";
import { api, call } from "../api/client.ts";
import { onLive } from "../api/live.ts";
import type { Task } from "../api/types.ts";
import { speak } from "../language/language.ts";
import { announce } from "../parts/announce.tsx";
import { comebacks } from "../session/session.ts";
import { taskOf } from "./gathered.ts";
import { waitsForPerson } from "./rules.ts";

const texts = speak(
  { arrived: (title: string) => `Waits for you: ${title}` },
  { arrived: (title: string) => `Wartet auf dich: ${title}` },
);

/** More are not counted, only said to be more. */
export const MOST_WAITING = 99;

/** Ids of tasks. */
export const waiting = signal<ReadonlySet<string>>(new Set());

/** Keeps `waiting` true until called off. */
export function followWaiting(): () => void {
  const stopHearing = onLive(({ type, data }) => {
    const task = type === "task" ? taskOf(data) : null;
    if (task !== null) hearTask(task);
  });
  const stopLoading = effect(() => {
    if (comebacks.value >= 0) void untracked(load);
  });
  return () => {
    stopHearing();
    stopLoading();
  };
}

async function load(): Promise<void> {
  const limit = String(MOST_WAITING + 1);
  const pages = await Promise.all([
    call(api.tasks.$get({ query: { assignee: HUMAN, status: "open", limit } })),
    call(api.tasks.$get({ query: { status: "review", limit } })),
  ]);
  const found = pages.flatMap((page) => (page.ok ? page.data : []));
  if (pages.every((page) => page.ok))
    waiting.value = new Set(found.filter(waitsForPerson).map((task) => task.taskId));
}

function hearTask(task: Task): void {
  const before = waiting.peek();
  const waits = waitsForPerson(task);
  if (before.has(task.taskId) === waits) return;
  const after = new Set(before);
  if (waits) after.add(task.taskId);
  else after.delete(task.taskId);
  waiting.value = after;
  if (waits) announce(texts.arrived(task.title));
}
