/** A small old record: rows of every kind that retention goes over, and looks at what is left of it. */
import { env } from "cloudflare:workers";
import { partKey, readPart } from "../../../core/archive/part-file.ts";
import { instanceSchema } from "../../../core/config/instance.ts";
import { writeRecord } from "../../../core/record/write-record.ts";
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
} from "../../../core/retention/kept-tables.ts";
import {
  approvalRow,
  auditRow,
  messageRow,
  noticeRow,
  receiptRow,
  tickRow,
} from "../../support/record-rows.ts";

export const ALL_TABLES: readonly KeptTable[] = [
  ...[MESSAGES, AUDIT, RECEIPTS, NOTICES, APPROVALS, TICKS, LOGS, TASK_EVENTS, TASKS],
];

/** Everything is kept for that many days, and archived or not. */
export function instanceThatKeeps(days: number, archive: boolean) {
  const kinds = ["audit", "receipts", "notices", "approvals", "ticks", "logs", "tasks"] as const;
  return instanceSchema.parse({
    id: "test",
    agentMessageRetentionDays: days,
    retention: Object.fromEntries(kinds.map((kind) => [kind, days])),
    ...(archive ? { archive: {} } : {}),
  });
}

/** Three chains of that name on two days from `start` on, with two rows of each kind a chain, and one text in R2. */
export async function writeOldRecord(name: string, start: number): Promise<void> {
  const chains = [0, 1, 2].map((n) => ({ id: `${name}-${n}`, at: start + n * 50_000_000 }));
  for (const { id, at } of chains) await writeChain(id, at);
  const key = `messages/${name}-long`;
  await env.TEXTS.put(key, `the whole text of ${name}`);
  await env.DB.prepare(`UPDATE "AgentMessages" SET "ContentRef" = ? WHERE "Uid" = ?`)
    .bind(key, `ask:${name}-1.abcdefghij0:0`)
    .run();
}

async function writeChain(id: string, at: number): Promise<void> {
  const time = (ms: number) => new Date(at + ms).toISOString();
  const runs = [`${id}.abcdefghij0`, `${id}.abcdefghij1`] as const;
  const of = (n: number) => ({ runId: runs[n] ?? "", rootRunId: runs[0], occurredAt: time(n) });
  const both = [0, 1];
  const parent = (n: number) => (n === 0 ? null : runs[0]);
  await writeRecord(env.DB, env.TEXTS, {
    messages: both.map((n) =>
      messageRow(`ask:${of(n).runId}:${n}`, { ...of(n), content: `${id} says ${n}` }),
    ),
    audit: both.map((n) => auditRow(`${id}:audit${n}`, { ...of(n), parentRunId: parent(n) })),
    receipts: both.map((n) =>
      receiptRow(of(n).runId, {
        ...{ rootRunId: runs[0], parentRunId: parent(n), startedAt: time(n), finishedAt: time(n + 9) },
        agentId: n === 0 ? "analyst" : "writer",
      }),
    ),
    notices: both.map((n) => noticeRow(`${id}:notice${n}`, { occurredAt: time(n) })),
    ticks: both.map((n) => tickRow(`${id}:tick${n}`, { finishedAt: time(n) })),
    approvals: both.map((n) =>
      approvalRow(`${id}:approval${n}`, { rootRunId: runs[0], decision: "rejected", decidedAt: time(n) }),
    ),
  });
  await writeTask(id, { rootRunId: runs[0], at: time(0) });
  await env.DB.prepare(
    `INSERT INTO "Logs" ("Id", "Module", "Level", "Text", "OccurredAt") VALUES (?, 'Core', 'info', ?, ?)`,
  )
    .bind(at * 2_048, `${id} was said`, time(0))
    .run();
}

async function writeTask(id: string, { rootRunId, at }: { rootRunId: string; at: string }): Promise<void> {
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO "Tasks" ("TaskId", "Title", "Description", "Creator", "Assignee", "Priority", "Status", "Stages",
         "Attempts", "Rejections", "RootRunId", "CreatedAt", "UpdatedAt", "CreatorLane", "CreatorRunId", "Depth",
         "CommentWakes", "Told", "Version", "Guard")
       VALUES (?1, 'Look', 'Look at it', 'analyst', 'writer', 'normal', 'done', '[]', 1, 0, ?2, ?3, ?3, 'main', ?2, 1, 0, '[]', 1, 1)`,
    ).bind(`${id}-task`, rootRunId, at),
    ...[0, 1].map((n) =>
      env.DB.prepare(
        `INSERT INTO "TaskEvents" ("Uid", "TaskId", "Kind", "Actor", "Text", "RunId", "RootRunId", "OccurredAt")
         VALUES (?, ?, 'created', 'analyst', 'an event', ?, ?, ?)`,
      ).bind(`${id}:event${n}`, `${id}-task`, rootRunId, rootRunId, at),
    ),
  ]);
}

/** Keys of the rows in D1. */
export async function keysInD1({ name, key }: KeptTable): Promise<string[]> {
  const { results } = await env.DB.prepare(`SELECT "${key}" AS "key" FROM "${name}"`).all<{ key: unknown }>();
  return results.map((row) => String(row.key)).sort();
}

/** Keys of the rows in the archive's objects, whether or not the index knows these. */
export async function keysInArchive({ name, key }: KeptTable): Promise<string[]> {
  const { objects } = await env.TEXTS.list({ prefix: `archive/${name}/` });
  const property = key.charAt(0).toLowerCase() + key.slice(1);
  const parts = await Promise.all(objects.map((object) => readPart(env.TEXTS, object.key)));
  return parts.flatMap((part) => (part?.rows ?? []).map((row) => String(row[property]))).sort();
}

/** What the index says that the archive holds of a table. */
export async function rowsInIndex({ name }: KeptTable): Promise<number> {
  const { results } = await env.DB.prepare(
    `SELECT "TableName" AS "tableName", "Day" AS "day", "Part" AS "part", "Rows" AS "rows" FROM "ArchiveParts"
     WHERE "TableName" = ? AND "Keys" IS NULL`,
  )
    .bind(name)
    .all<{ tableName: string; day: string; part: number; rows: number }>();
  for (const part of results)
    if ((await env.TEXTS.head(partKey(part))) === null) throw new Error(`${partKey(part)} is not there`);
  return results.reduce((sum, { rows }) => sum + rows, 0);
}

/** Places in the search index without a message. */
export async function orphansInIndex(): Promise<number> {
  const row = await env.DB.prepare(
    `SELECT count(*) AS "count" FROM "AgentMessagesFts" WHERE rowid NOT IN (SELECT "Id" FROM "AgentMessages")`,
  ).first<{ count: number }>();
  return row?.count ?? 0;
}

/** Nothing is left of what other tests wrote. */
export async function emptyRecord(): Promise<void> {
  await env.DB.batch(
    [...ALL_TABLES.map(({ name }) => name), "ArchiveParts", "ArchiveIndex", "Mirror", "MirrorQueue"].map(
      (name) => env.DB.prepare(`DELETE FROM "${name}"`),
    ),
  );
  const { objects } = await env.TEXTS.list();
  if (objects.length > 0) await env.TEXTS.delete(objects.map(({ key }) => key));
}
