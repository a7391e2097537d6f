/** The statements that write the record: one text per table, made once, safe to repeat. */
import type { SQLiteTable } from "drizzle-orm/sqlite-core/table";
import { type Cell, tableShape } from "./columns.ts";
import {
  adminLog,
  agentMessages,
  approvals,
  auditLog,
  jobTicks,
  logs,
  notices,
  runReceipts,
} from "./schema.ts";

/**
 * Ids follow time: the milliseconds since 1970 times this, plus a running number. So the search index,
 * which is sorted by Id, is sorted by time, also where an outbox was delivered hours late. Stays below 2^53
 * until the year 2109.
 */
const IDS_PER_MILLISECOND = 2048;

export interface Insert<Row> {
  readonly sql: string;
  bind(row: Row): Cell[];
}

type CellRow = Readonly<Record<string, Cell>>;

export const INSERT_MESSAGE = insertWithTimeId(agentMessages, "occurredAt");
export const INSERT_AUDIT = insertWithTimeId(auditLog, "occurredAt");
export const INSERT_NOTICE = insertWithTimeId(notices, "occurredAt");
export const INSERT_TICK = insertWithTimeId(jobTicks, "finishedAt");
/** Log lines have no Uid: writing one again makes a second one. */
export const INSERT_LOG = insertWithTimeId(logs, "occurredAt");
export const INSERT_ACT = insertWithTimeId(adminLog, "occurredAt");
export const INSERT_RECEIPT = insertReceipt();
export const INSERT_APPROVAL = upsertApproval();

/** The first id of a point in time. */
export function firstIdAt(occurredAt: string): number {
  return Date.parse(occurredAt) * IDS_PER_MILLISECOND;
}

/** The first id of the millisecond after it: every row up to that point in time has a smaller one. */
export function firstIdAfter(occurredAt: string): number {
  return firstIdAt(occurredAt) + IDS_PER_MILLISECOND;
}

function insertWithTimeId<Time extends string>(
  table: SQLiteTable,
  time: Time,
): Insert<CellRow & Readonly<Record<Time, string>>> {
  const shape = tableShape(table);
  const columns = shape.columns.filter(({ key }) => key !== "id");
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const values = columns.map((_, index) => `?${index + 2}`).join(", ");
  const once = columns.some(({ key }) => key === "uid") ? ' ON CONFLICT ("Uid") DO NOTHING' : "";
  return {
    sql: `INSERT INTO ${shape.table} ("Id", ${names}) VALUES (${nextId(shape.table)}, ${values})${once}`,
    bind: (row) => [firstIdAt(row[time]), ...columns.map(({ key }) => row[key] ?? null)],
  };
}

function insertReceipt(): Insert<CellRow> {
  const { table, columns } = tableShape(runReceipts);
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const values = columns.map((_, index) => `?${index + 1}`).join(", ");
  return {
    sql: `INSERT INTO ${table} (${names}) VALUES (${values}) ON CONFLICT ("RunId") DO NOTHING`,
    bind: (row) => columns.map(({ key }) => row[key] ?? null),
  };
}

/** The request comes first and what became of it later: a request that is delivered again changes nothing. */
function upsertApproval(): Insert<CellRow> {
  const { table, columns } = tableShape(approvals);
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const values = columns.map((_, index) => `?${index + 1}`).join(", ");
  const sets = ["Decision", "Comment", "Outcome", "DecidedAt"]
    .map((name) => `"${name}" = excluded."${name}"`)
    .join(", ");
  return {
    sql: `INSERT INTO ${table} (${names}) VALUES (${values})
      ON CONFLICT ("Uid") DO UPDATE SET ${sets} WHERE excluded."Decision" IS NOT NULL`,
    bind: (row) => columns.map(({ key }) => row[key] ?? null),
  };
}

/**
 * The next free id of the millisecond whose first id is ?1. A millisecond that is full (an import with
 * coarse times) spills over to the next gap, so that no row is ever refused.
 */
function nextId(table: string): string {
  const end = `?1 + ${IDS_PER_MILLISECOND}`;
  const last = `(SELECT "Id" FROM ${table} WHERE "Id" >= ?1 AND "Id" < ${end} ORDER BY "Id" DESC LIMIT 1)`;
  const gap =
    `(SELECT x."Id" + 1 FROM ${table} x WHERE x."Id" >= ${end} - 1` +
    ` AND NOT EXISTS (SELECT 1 FROM ${table} y WHERE y."Id" = x."Id" + 1) ORDER BY x."Id" LIMIT 1)`;
  return `(SELECT CASE WHEN last IS NULL THEN ?1 WHEN last < ${end} - 1 THEN last + 1 ELSE ${gap} END FROM (SELECT ${last} AS last))`;
}
