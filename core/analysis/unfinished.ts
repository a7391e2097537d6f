/** Tasks that are not over, read from the board itself: there are few of them, however large the record is. */
import type { Reader } from "../record/reader.ts";
import type { Scope } from "./scope.ts";

export interface UnfinishedTask {
  readonly taskId: string;
  readonly title: string;
  readonly creator: string;
  /** The agent's id, also of a fresh worker's. */
  readonly assignee: string;
  readonly status: "open" | "dispatched" | "running" | "waiting" | "review";
  readonly attempts: number;
  readonly rootRunId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Nothing has happened for longer than `siltedAfterHours`. */
  readonly silted: boolean;
}

const MAX_TASKS = 2_000;
const HOUR_MS = 3_600_000;

/** Delegations that were given within the period and are not over, at most 2,000 of each state. Rejects when D1 does. */
export async function readUnfinished(
  reader: Reader,
  { period, filter }: Pick<Scope, "period" | "filter">,
  clock: { readonly now: number; readonly siltedAfterHours: number },
): Promise<readonly UnfinishedTask[]> {
  if (filter.channel !== null && filter.channel !== "task") return [];
  const rows = await reader.all<Omit<UnfinishedTask, "silted">>(
    UNFINISHED,
    period.since ?? "",
    period.before ?? "~",
    MAX_TASKS,
  );
  const silted = new Date(clock.now - clock.siltedAfterHours * HOUR_MS).toISOString();
  const concerns = (agent: string | null, task: Omit<UnfinishedTask, "silted">) =>
    agent === null || task.creator === agent || task.assignee === agent;
  return rows
    .filter((task) => task.creator !== task.assignee && concerns(filter.a, task) && concerns(filter.b, task))
    .map((task) => ({ ...task, silted: task.updatedAt < silted }));
}

const UNFINISHED = `SELECT t."TaskId" AS "taskId", substr(t."Title", 1, 300) AS "title", t."Creator" AS "creator",
    iif(t."Assignee" LIKE '@new:%', substr(t."Assignee", 6), t."Assignee") AS "assignee", t."Status" AS "status", t."Attempts" AS "attempts",
    t."RootRunId" AS "rootRunId", t."CreatedAt" AS "createdAt", t."UpdatedAt" AS "updatedAt"
  FROM json_each('["open","dispatched","running","waiting","review"]') s JOIN "Tasks" t ON t.rowid IN (
    SELECT x.rowid FROM "Tasks" x WHERE x."Status" = s."value" AND x."CreatedAt" >= ?1 AND x."CreatedAt" < ?2 ORDER BY x."CreatedAt" LIMIT ?3)`;
