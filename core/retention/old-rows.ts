/** Which rows are too old. Each statement reads near what it finds, whatever the table's size. */
import { firstIdAt } from "../record/insert-statement.ts";
import {
  APPROVALS,
  AUDIT,
  type KeptTable,
  LOGS,
  MESSAGES,
  NOTICES,
  RECEIPTS,
  TASK_EVENTS,
  TASKS,
  TICKS,
} from "./kept-tables.ts";

export interface OldRow {
  readonly key: string | number;
  /** ISO 8601 UTC; its day is the one under which the row is archived. */
  readonly at: string;
  /** Characters of its texts. */
  readonly size: number;
}

/** At most `limit` of the oldest rows before a time (ISO 8601 UTC with milliseconds). Rejects when D1 does. */
export type Select = (db: D1Database, before: string, limit: number) => Promise<OldRow[]>;

/** What the mirror has not copied yet stays, however old it is. */
const mirrored = ({ name, key }: KeptTable) =>
  `NOT EXISTS (SELECT 1 FROM "MirrorQueue" q WHERE q."TableName" = '${name}' AND q."RowKey" = CAST(t."${key}" AS TEXT))`;

const picked = ({ key, size }: KeptTable, at: string) =>
  `t."${key}" AS "key", t."${at}" AS "at", ${size} AS "size"`;

async function run(db: D1Database, sql: string, ...params: (string | number)[]): Promise<OldRow[]> {
  const { results } = await db
    .prepare(sql)
    .bind(...params)
    .all<OldRow>();
  return results;
}

/** Ids follow time, so the oldest stand in front. */
function byId(table: KeptTable, at: string, condition = "1"): Select {
  const sql = `SELECT ${picked(table, at)} FROM "${table.name}" t
    WHERE t."Id" < ? AND ${condition} ORDER BY t."Id" LIMIT ?`;
  return (db, before, limit) => run(db, sql, firstIdAt(before), limit);
}

export const oldMessages = byId(MESSAGES, "OccurredAt", mirrored(MESSAGES));
export const oldAudit = byId(AUDIT, "OccurredAt", mirrored(AUDIT));
/** Those on their way to a channel stay. */
export const oldNotices = byId(NOTICES, "OccurredAt", `t."Delivery" IS NOT NULL`);
export const oldTicks = byId(TICKS, "FinishedAt");
export const oldLogs = byId(LOGS, "OccurredAt");

export const oldApprovals: Select = (db, before, limit) =>
  run(
    db,
    `SELECT ${picked(APPROVALS, "DecidedAt")} FROM "Approvals" t WHERE t."DecidedAt" < ? ORDER BY t."DecidedAt" LIMIT ?`,
    before,
    limit,
  );

/** Receipts have no index by time alone: from agent to agent, one row each, and then along each agent's own. */
const AGENTS = `WITH RECURSIVE agents (agent) AS (
  SELECT min("AgentId") FROM "RunReceipts"
  UNION ALL
  SELECT (SELECT min("AgentId") FROM "RunReceipts" WHERE "AgentId" > agent) FROM agents WHERE agent IS NOT NULL)`;

const OLDEST_RECEIPT = `${AGENTS}
  SELECT min((SELECT min("StartedAt") FROM "RunReceipts" r WHERE r."AgentId" = agent)) AS "at" FROM agents`;

const RECEIPTS_UNTIL = `${AGENTS}
  SELECT ${picked(RECEIPTS, "StartedAt")} FROM agents CROSS JOIN "RunReceipts" t ON t."AgentId" = agent AND t."StartedAt" < ?
  WHERE ${mirrored(RECEIPTS)} LIMIT ?`;

/** Of the oldest day only. */
export const oldReceipts: Select = async (db, before, limit) => {
  const at = await db.prepare(OLDEST_RECEIPT).first<string | null>("at");
  if (at === null || at >= before) return [];
  const dayEnd = `${at.slice(0, 10)}T24`;
  const found = await run(db, RECEIPTS_UNTIL, dayEnd < before ? dayEnd : before, limit);
  // What the mirror has still to copy may be the whole of that day.
  return found.length > 0 ? found : run(db, RECEIPTS_UNTIL, before, limit);
};

/** Of so many of the oldest tasks those that may go are taken. */
const TASK_WINDOW = 2_000;

/** A chain's tasks go when all of them are finished for so long: who looks at one of them finds the others. */
const OLD_TASKS = `SELECT ${picked(TASKS, "CreatedAt")} FROM
    (SELECT * FROM "Tasks" WHERE "CreatedAt" < ?1 ORDER BY "CreatedAt" LIMIT ${TASK_WINDOW}) t
  WHERE t."Status" IN ('done', 'cancelled') AND t."UpdatedAt" < ?1
    AND NOT EXISTS (SELECT 1 FROM "Tasks" o WHERE o."RootRunId" = t."RootRunId"
      AND (o."Status" NOT IN ('done', 'cancelled') OR o."UpdatedAt" >= ?1))
    AND t."TaskId" NOT IN (SELECT "TaskId" FROM "TaskWakes")`;

/** Goes before the tasks themselves. Of that many tasks at a time. */
export const oldTaskEvents: Select = (db, before, limit) =>
  run(
    db,
    `SELECT t."Id" AS "key", o."at" AS "at", ${TASK_EVENTS.size} AS "size"
     FROM (${OLD_TASKS}) o JOIN "TaskEvents" t ON t."TaskId" = o."key" LIMIT ?2`,
    before,
    limit,
  );

/** Only those without events. */
export const oldTasks: Select = (db, before, limit) =>
  run(
    db,
    `${OLD_TASKS} AND NOT EXISTS (SELECT 1 FROM "TaskEvents" e WHERE e."TaskId" = t."TaskId") LIMIT ?2`,
    before,
    limit,
  );
