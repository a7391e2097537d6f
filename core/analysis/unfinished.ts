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

/** So many of each state are looked at, the oldest first. */
const LOOKED_AT = 5_000;
/** So many are told of. */
const MAX_TASKS = 10_000;
const HOUR_MS = 3_600_000;

interface Clock {
  readonly now: number;
  readonly siltedAfterHours: number;
}

type Row = Omit<UnfinishedTask, "silted">;

const siltedBefore = ({ now, siltedAfterHours }: Clock) =>
  new Date(now - siltedAfterHours * HOUR_MS).toISOString();

/** Delegations that were given within the period and are not over. Rejects when D1 does. */
export async function readUnfinished(
  reader: Reader,
  { period, filter }: Pick<Scope, "period" | "filter">,
  clock: Clock,
): Promise<readonly UnfinishedTask[]> {
  if (filter.channel !== null && filter.channel !== "task") return [];
  const silted = siltedBefore(clock);
  const { since, before } = period;
  const rows = await unfinished(reader, filter, { since, before, touchedBefore: "~", limit: MAX_TASKS });
  return rows.map((task) => ({ ...task, silted: task.updatedAt < silted }));
}

/**
 * Delegations on which nothing happens any more, given before the period's end: what lies longest was given long
 * ago. The longest first, at most `limit`. Rejects when D1 does.
 */
export async function readSilted(
  reader: Reader,
  { period, filter }: Pick<Scope, "period" | "filter">,
  { limit, ...clock }: Clock & { readonly limit: number },
): Promise<readonly UnfinishedTask[]> {
  const within = { since: null, before: period.before, touchedBefore: siltedBefore(clock), limit };
  return (await unfinished(reader, filter, within)).map((task) => ({ ...task, silted: true }));
}

function unfinished(
  reader: Reader,
  { a, b }: Scope["filter"],
  within: {
    readonly since: string | null;
    readonly before: string | null;
    readonly touchedBefore: string;
    readonly limit: number;
  },
): Promise<Row[]> {
  const { since, before, touchedBefore, limit } = within;
  return reader.all<Row>(UNFINISHED, since ?? "", before ?? "~", touchedBefore, a, b, limit);
}

const COLUMNS = `t."TaskId" AS "taskId", substr(t."Title", 1, 300) AS "title", t."Creator" AS "creator",
    iif(t."Assignee" LIKE '@new:%', substr(t."Assignee", 6), t."Assignee") AS "assignee", t."Status" AS "status", t."Attempts" AS "attempts",
    t."RootRunId" AS "rootRunId", t."CreatedAt" AS "createdAt", t."UpdatedAt" AS "updatedAt"`;

const UNFINISHED = `SELECT * FROM (SELECT ${COLUMNS}
  FROM json_each('["open","dispatched","running","waiting","review"]') s JOIN "Tasks" t ON t.rowid IN (
    SELECT x.rowid FROM "Tasks" x WHERE x."Status" = s."value" AND x."CreatedAt" >= ?1 AND x."CreatedAt" < ?2
    ORDER BY x."CreatedAt" LIMIT ${LOOKED_AT}))
  WHERE "updatedAt" < ?3 AND "creator" <> "assignee"
    AND (?4 IS NULL OR ?4 IN ("creator", "assignee")) AND (?5 IS NULL OR ?5 IN ("creator", "assignee"))
  ORDER BY "updatedAt", "taskId" LIMIT ?6`;
