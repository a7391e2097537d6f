/** Which rows are too old. Each statement reads near what it finds, whatever the table's size. */
import { NOTICE_LIFE_MS } from "../channels/retry.ts";
import { firstIdAt } from "../record/insert-statement.ts";
import { APPROVALS, AUDIT, type KeptTable, LOGS, MESSAGES, NOTICES, RECEIPTS, TICKS } from "./kept-tables.ts";

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

export const picked = ({ key, size }: KeptTable, at: string) =>
  `t."${key}" AS "key", t."${at}" AS "at", ${size} AS "size"`;

export async function runSelect(
  db: D1Database,
  sql: string,
  ...params: (string | number)[]
): Promise<OldRow[]> {
  const { results } = await db
    .prepare(sql)
    .bind(...params)
    .all<OldRow>();
  return results;
}

/** Ids follow time, so the oldest stand in front. */
function byId(table: KeptTable, at: string): Select {
  const sql = `SELECT ${picked(table, at)} FROM "${table.name}" t WHERE t."Id" < ? ORDER BY t."Id" LIMIT ?`;
  return (db, before, limit) => runSelect(db, sql, firstIdAt(before), limit);
}

/** Looks at `limit` of the oldest and no further: however many of them have to stay, no more are read. */
const inWindow = (table: KeptTable, { at, condition }: { readonly at: string; readonly condition: string }) =>
  `SELECT ${picked(table, at)} FROM
    (SELECT * FROM "${table.name}" WHERE "Id" < ?1 ORDER BY "Id" LIMIT ?2) t WHERE ${condition}`;

function mirroredById(table: KeptTable, at: string): Select {
  const sql = inWindow(table, { at, condition: mirrored(table) });
  return (db, before, limit) => runSelect(db, sql, firstIdAt(before), limit);
}

export const oldMessages = mirroredById(MESSAGES, "OccurredAt");
export const oldAudit = mirroredById(AUDIT, "OccurredAt");
/** One may be on its way to a channel for a day; without a channel none ever is. */
const NOTICES_UNTIL = inWindow(NOTICES, {
  at: "OccurredAt",
  condition: `(t."Delivery" IS NOT NULL OR t."Id" < ?3)`,
});
export const oldNotices: Select = (db, before, limit) => {
  const id = firstIdAt(before);
  const given = firstIdAt(new Date(Date.parse(before) - NOTICE_LIFE_MS).toISOString());
  return runSelect(db, NOTICES_UNTIL, id, limit, given);
};
export const oldTicks = byId(TICKS, "FinishedAt");
export const oldLogs = byId(LOGS, "OccurredAt");

export const oldApprovals: Select = (db, before, limit) =>
  runSelect(
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
  SELECT ${picked(RECEIPTS, "StartedAt")} FROM
    (SELECT r.* FROM agents CROSS JOIN "RunReceipts" r ON r."AgentId" = agent AND r."StartedAt" < ? LIMIT ?) t
  WHERE ${mirrored(RECEIPTS)}`;

/** Of the oldest day only. */
export const oldReceipts: Select = async (db, before, limit) => {
  const at = await db.prepare(OLDEST_RECEIPT).first<string | null>("at");
  if (at === null || at >= before) return [];
  const dayEnd = `${at.slice(0, 10)}T24`;
  const found = await runSelect(db, RECEIPTS_UNTIL, dayEnd < before ? dayEnd : before, limit);
  // What the mirror has still to copy may be the whole of that day.
  return found.length > 0 ? found : runSelect(db, RECEIPTS_UNTIL, before, limit);
};
