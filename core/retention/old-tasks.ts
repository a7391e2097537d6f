/**
 * Tasks that may go, and their events before them. A chain's tasks go when all of them are finished for so long: who
 * looks at one of them finds the others. So old ones may have to stay, and are walked past a window at a time.
 */
import { TASK_EVENTS, TASKS } from "./kept-tables.ts";
import { type OldRow, picked, runSelect } from "./old-rows.ts";

/** Finished tasks that are looked at in one statement. */
const WINDOW = 2_000;
/** Windows of each state that are walked past in search of one that may go. */
const WINDOWS = 5;
const FINISHED = ["done", "cancelled"] as const;

/** `?1` the time before which they were finished, `?2` the state, `?3` and `?4` after which to begin. */
const OF_WINDOW = `FROM "Tasks" WHERE "Status" = ?2 AND "CreatedAt" < ?1 AND ("CreatedAt", "TaskId") > (?3, ?4)
  ORDER BY "CreatedAt", "TaskId"`;
/** Each chain of the window is looked at once, however many of its tasks are in it. */
const FREE = `WITH seen AS MATERIALIZED (SELECT "TaskId", "RootRunId", "CreatedAt" ${OF_WINDOW} LIMIT ${WINDOW}),
  free AS MATERIALIZED (SELECT c."RootRunId" FROM (SELECT DISTINCT "RootRunId" FROM seen) c
    WHERE NOT EXISTS (SELECT 1 FROM "Tasks" o WHERE o."RootRunId" = c."RootRunId"
      AND (o."Status" NOT IN ('done', 'cancelled') OR o."UpdatedAt" >= ?1)))`;
const MAY_GO = `seen."RootRunId" IN free AND seen."TaskId" NOT IN (SELECT "TaskId" FROM "TaskWakes")`;

const EVENTS = `${FREE} SELECT t."Id" AS "key", seen."CreatedAt" AS "at", ${TASK_EVENTS.size} AS "size"
  FROM seen CROSS JOIN "TaskEvents" t ON t."TaskId" = seen."TaskId" WHERE ${MAY_GO} LIMIT ?5`;
/** Only those without events. */
const WITHOUT_EVENTS = `${FREE} SELECT ${picked(TASKS, "CreatedAt")}
  FROM seen CROSS JOIN "Tasks" t ON t."TaskId" = seen."TaskId"
  WHERE ${MAY_GO} AND NOT EXISTS (SELECT 1 FROM "TaskEvents" e WHERE e."TaskId" = t."TaskId") LIMIT ?5`;

export interface OldTaskRows {
  readonly rows: OldRow[];
  /** Everything that was looked at has to stay, and there is more behind it. */
  readonly held: boolean;
}

export type SelectOfTasks = (db: D1Database, before: string, limit: number) => Promise<OldTaskRows>;

/** Goes before the tasks themselves. Rejects when D1 does. */
export const oldTaskEvents: SelectOfTasks = (db, before, limit) => walk(db, EVENTS, { before, limit });

/** Rejects when D1 does. */
export const oldTasks: SelectOfTasks = (db, before, limit) => walk(db, WITHOUT_EVENTS, { before, limit });

interface Range {
  readonly before: string;
  readonly limit: number;
}

async function walk(db: D1Database, sql: string, { before, limit }: Range): Promise<OldTaskRows> {
  let held = false;
  for (const status of FINISHED) {
    let after: readonly [string, string] | null = ["", ""];
    for (let window = 0; window < WINDOWS && after !== null; window += 1) {
      const place: readonly string[] = [before, status, ...after];
      const rows = await runSelect(db, sql, ...place, limit);
      if (rows.length > 0) return { rows, held: false };
      after = await endOfWindow(db, place);
    }
    held ||= after !== null;
  }
  return { rows: [], held };
}

/** Null when nothing is behind it. */
async function endOfWindow(
  db: D1Database,
  place: readonly string[],
): Promise<readonly [string, string] | null> {
  const last = await db
    .prepare(
      `SELECT "CreatedAt" AS "createdAt", "TaskId" AS "taskId" ${OF_WINDOW} LIMIT 1 OFFSET ${WINDOW - 1}`,
    )
    .bind(...place)
    .first<{ createdAt: string; taskId: string }>();
  return last === null ? null : [last.createdAt, last.taskId];
}
