/** The tasks of the board: loaded by status, so that a thousand finished ones hide no open one, then kept live. */

import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { HUMAN } from "../api/assignees.ts";
import { type Answer, api, call } from "../api/client.ts";
import { type LiveEvent, onLive } from "../api/live.ts";
import type { Task } from "../api/types.ts";
import { type Loaded, useLoad } from "../api/use-load.ts";
import { hear, merge, type Tasks } from "./gathered.ts";
import { COLUMNS, type Column, isOver, STATUSES_OF } from "./rules.ts";

type Status = Task["status"];

/** Where the next older page of a status begins; absent when there is none. */
type Cursors = Readonly<Partial<Record<Status, string>>>;

const tasks = signal<Tasks>(new Map());
const cursors = signal<Cursors>({});
/** Live events since the newest load began: its answer may be older than they are. */
let heard: LiveEvent[] = [];

export interface Board {
  readonly tasks: Signal<Tasks>;
  readonly cursors: Signal<Cursors>;
  readonly loaded: Signal<Loaded<null>>;
  reload(): void;
}

const UNFINISHED_LIMIT = 100;
const FINISHED_LIMIT = 40;
const INBOX = [
  { status: "open", assignee: HUMAN },
  { status: "review", assignee: "" },
] as const;

/** @param assignee as a task names it, or empty for all */
export function useBoard(assignee: string): Board {
  const { loaded, reload } = useLoad((stop) => loadBoard(assignee, stop), [assignee]);
  useEffect(
    () =>
      onLive((event) => {
        heard.push(event);
        tasks.value = hear(tasks.peek(), event);
      }),
    [],
  );
  return { tasks, cursors, loaded, reload };
}

/** What an act was answered with, before the live stream tells of it. */
export function takeTask(task: Task): void {
  tasks.value = merge(tasks.peek(), [task]);
}

async function loadBoard(assignee: string, stop: AbortSignal): Promise<Answer<null>> {
  heard = [];
  const statuses = COLUMNS.flatMap((column) => STATUSES_OF[column]);
  const [pages, inbox] = await Promise.all([
    Promise.all(statuses.map((status) => loadPage({ status, assignee }))),
    // What waits for a person is shown whoever the board is filtered by.
    Promise.all(assignee === "" ? [] : INBOX.map(loadPage)),
  ]);
  const answers = [...pages, ...inbox].map((page) => page.answer);
  for (const answer of answers) if (!answer.ok) return answer;
  const found = answers.flatMap((answer) => (answer.ok ? answer.data : []));
  if (!stop.aborted) {
    tasks.value = heard.reduce(hear, merge(new Map(), found));
    cursors.value = Object.fromEntries(pages.flatMap(({ status, cursor }) => pairOf(status, cursor)));
  }
  return { ok: true, data: null, response: { headers: new Headers() } };
}

/** Adds the next older tasks of a column. Answers the problem, if there is one. */
export async function loadOlder(column: Column, assignee: string) {
  for (const status of STATUSES_OF[column]) {
    const from = cursors.peek()[status];
    if (from === undefined) continue;
    const { answer, cursor } = await loadPage({ status, assignee, from });
    if (!answer.ok) return answer.problem;
    const { [status]: _, ...others } = cursors.peek();
    tasks.value = merge(tasks.peek(), answer.data);
    cursors.value = { ...others, ...Object.fromEntries(pairOf(status, cursor)) };
  }
  return null;
}

async function loadPage({ status, assignee, from }: { status: Status; assignee: string; from?: string }) {
  const limit = String(isOver(status) ? FINISHED_LIMIT : UNFINISHED_LIMIT);
  const query = {
    status,
    limit,
    ...(assignee === "" ? {} : { assignee }),
    ...(from === undefined ? {} : { cursor: from }),
  };
  const answer = await call(api.tasks.$get({ query }));
  return { status, answer, cursor: answer.ok ? answer.response.headers.get("x-older") : null };
}

function pairOf(status: Status, cursor: string | null): [Status, string][] {
  return cursor === null ? [] : [[status, cursor]];
}
