import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { MESSAGES, RECEIPTS } from "../../core/retention/kept-tables.ts";
import type { Env } from "../../durable-objects/env.ts";
import { hubStub } from "../../workers/objects.ts";
import { get, messages } from "./support/api.ts";
import { capturedLog } from "./support/exposure.ts";
import { ALL_TABLES, emptyRecord, keysInArchive, keysInD1, writeOldRecord } from "./support/old-record.ts";
import { agent, team } from "./support/team.ts";
import worker from "./worker.ts";

const DAY_MS = 86_400_000;
const NIGHT = Date.UTC(2026, 5, 15, 3, 0);
const printed = capturedLog();

async function tick(time: number, on: Env = env): Promise<void> {
  const context = createExecutionContext();
  const scheduled = { cron: "* * * * *", scheduledTime: new Date(time) };
  await worker.scheduled(createScheduledController(scheduled), on);
  await waitOnExecutionContext(context);
}

/** Everything is kept for thirty days. */
function keeping(changes: Readonly<Record<string, unknown>>) {
  const kinds = ["audit", "receipts", "notices", "approvals", "ticks", "logs", "tasks"];
  return team([agent("a")], {
    retention: Object.fromEntries(kinds.map((kind) => [kind, 30])),
    ...changes,
  });
}

const here = () => Promise.all(ALL_TABLES.map(keysInD1));

beforeEach(async () => {
  await emptyRecord();
  await writeOldRecord("old", NOW_OLD);
  await writeOldRecord("young", NIGHT - 5 * DAY_MS);
});

const NOW_OLD = NIGHT - 400 * DAY_MS;

describe("the night's clean-up", () => {
  it("goes over every table at night, and over none by day", async () => {
    await keeping({ agentMessageRetentionDays: 30 });
    const before = await here();
    await tick(NIGHT + 12 * 3_600_000);
    expect(await here(), "nothing is deleted by day").toEqual(before);
    await tick(NIGHT);
    for (const [n, table] of ALL_TABLES.entries())
      expect(await keysInD1(table), table.name).toHaveLength((before[n]?.length ?? 0) / 2);
    expect((await messages("?q=says")).map(({ content }) => content.slice(0, 5))).toEqual(
      Array(6).fill("young"),
    );
    expect((await env.TEXTS.list({ prefix: "archive/" })).objects).toEqual([]);
  });

  it("keeps messages for ever by default, and for 180 days once they are archived", async () => {
    await team([agent("a")]);
    await tick(NIGHT);
    expect(await messages()).toHaveLength(12);
    await team([agent("a")], { archive: {} });
    await tick(NIGHT);
    expect(await messages()).toHaveLength(6);
  });

  it("makes every other step when one of them fails, says so, and does it in the next minute", async () => {
    await keeping({ agentMessageRetentionDays: 30 });
    const broken = new Proxy(env.DB, {
      get: (db, key) =>
        key === "prepare"
          ? (sql: string) => db.prepare(sql.includes('FROM "AuditLog"') ? "SELECT nothing" : sql)
          : (...args: unknown[]) => Reflect.apply(Reflect.get(db, key), db, args),
    });
    const withBrokenAudit = new Proxy(env, {
      get: (target, key) => (key === "DB" ? broken : Reflect.get(target, key)),
    });
    await expect(() => tick(NIGHT, withBrokenAudit)).rejects.toThrow();
    const left = Object.fromEntries(
      await Promise.all(
        ALL_TABLES.map(async (table) => [table.name, (await keysInD1(table)).length] as const),
      ),
    );
    expect(left).toMatchObject({ AuditLog: 12, AgentMessages: 6, RunReceipts: 6, Approvals: 6, Tasks: 3 });
    expect(printed.join("\n")).toContain("clean-up of AuditLog failed");
    await tick(NIGHT + 60_000);
    expect(await get("/api/audit")).toHaveLength(6);
  });

  it("takes up nothing of the record while a mirror has not copied it", async () => {
    await keeping({
      agentMessageRetentionDays: 30,
      mirror: { host: "127.0.0.1", port: 1, username: "u", password: { $secret: "NO_SUCH" }, database: "d" },
    });
    await tick(NIGHT);
    expect(await messages()).toHaveLength(12);
    expect(await get("/api/notices")).toHaveLength(6);
    expect(await get("/api/mirror"), "it rests while rows go").toMatchObject({ state: "starting" });
    await tick(NIGHT + 60_000);
    expect(await get("/api/mirror")).toMatchObject({
      target: "127.0.0.1:1/d",
      state: "failing",
      lag: { rows: 36, atLeast: false },
      lastError: "The mirror's secret NO_SUCH is not set",
    });
    await keeping({ agentMessageRetentionDays: 30 });
    await tick(NIGHT + 120_000);
    expect(await messages(), "without the mirror nothing waits any more").toHaveLength(6);
    expect(await get("/api/mirror")).toMatchObject({ target: null, state: "off", lag: { rows: 0 } });
  });
});

it("ticks beyond the newest of a job go each minute until none is left", async () => {
  await team([agent("a")]);
  const day = NIGHT - DAY_MS;
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10999)
     INSERT INTO "JobTicks" ("Id", "Uid", "AgentId", "JobId", "Kind", "Cause", "Outcome", "Ticks", "ScheduledAt", "StartedAt", "FinishedAt", "DurationMs")
     SELECT ?1 * 2048 + i, 'surplus' || i, 'a', 'j', 'toolJob', 'time', 'ok', 1, 't', 't', ?2, 0 FROM n`,
  )
    .bind(day, new Date(day).toISOString())
    .run();
  const left = () => env.DB.prepare(`SELECT count(*) AS "n" FROM "JobTicks" WHERE "JobId" = 'j'`).first("n");
  await tick(NIGHT);
  expect(await left()).toBe(6_000);
  await tick(NIGHT + 60_000);
  expect(await left()).toBe(5_000);
});

it("nothing is taken up while the record is backed up or restored", async () => {
  await keeping({ agentMessageRetentionDays: 30 });
  const before = await here();
  await get("/api/backup/Tasks");
  await tick(NIGHT);
  expect(await here()).toEqual(before);
  await hubStub(env).keepStill(0);
  await tick(NIGHT);
  expect(await messages()).toHaveLength(6);
});

describe("an archived chain", () => {
  const chainShape = z.looseObject({
    archived: z.boolean(),
    complete: z.boolean(),
    messageCount: z.number(),
    runs: z.array(z.looseObject({ runId: z.string() })),
    messages: z.array(z.looseObject({ id: z.number(), uid: z.string(), content: z.string() })),
    tasks: z.array(z.looseObject({ taskId: z.string() })),
  });
  const root = "old-1.abcdefghij0";
  const chain = async () => chainShape.parse(await get(`/api/chains/${root}`));

  it("opens as before: runs, totals, messages with their whole texts, tasks, and each run with its calls", async () => {
    await keeping({ agentMessageRetentionDays: 30, archive: {} });
    const [before, runBefore] = [await chain(), await get(`/api/runs/${root}`)];
    await tick(NIGHT);
    expect(await keysInD1(RECEIPTS)).toHaveLength(6);
    const after = await chain();
    expect([before.archived, after.archived, after.complete]).toEqual([false, true, true]);
    expect({ ...after, archived: false }).toEqual(before);
    expect([after.runs.length, after.messages.length, after.tasks.length]).toEqual([2, 2, 1]);
    expect(await get(`/api/runs/${root}`)).toEqual({ ...z.looseObject({}).parse(runBefore), archived: true });
    const [first] = after.messages;
    for (const name of [first?.id, encodeURIComponent(first?.uid ?? "")])
      expect(await get(`/api/messages/${name}`)).toMatchObject({
        content: "the whole text of old",
        truncated: false,
        archived: true,
      });
  });

  it("says that it is not complete when an object of the archive is gone or damaged", async () => {
    await keeping({ agentMessageRetentionDays: 30, retention: {}, archive: {} });
    await tick(NIGHT);
    const [first, second] = (await env.TEXTS.list({ prefix: "archive/AgentMessages/" })).objects;
    await env.TEXTS.put(first?.key ?? "", "damaged");
    await env.TEXTS.delete(second?.key ?? "");
    const { complete, messages: shown, runs } = await chain();
    expect([complete, shown.length, runs.length]).toEqual([false, 0, 2]);
    expect(await get(`/api/runs/${root}`), "a run needs no messages").toMatchObject({ complete: true });
  });

  it("still tells of a run that D1 has when its calls cannot be read", async () => {
    await keeping({ retention: { audit: 30 }, agentMessageRetentionDays: 0, archive: {} });
    await tick(NIGHT);
    for (const { key } of (await env.TEXTS.list({ prefix: "archive/AuditLog/" })).objects)
      await env.TEXTS.put(key, "damaged");
    expect(await get(`/api/runs/${root}`)).toMatchObject({
      receipt: { runId: root },
      audit: [],
      complete: false,
    });
  });

  it("has each row once, also one that was written and archived again", async () => {
    await keeping({ agentMessageRetentionDays: 30, archive: {} });
    await tick(NIGHT);
    const before = await chain();
    await env.DB.prepare(`DELETE FROM "TaskEvents"`).run();
    await env.DB.prepare(`DELETE FROM "Tasks"`).run();
    await writeOldRecord("old", NOW_OLD);
    await tick(NIGHT + 60_000);
    expect(await keysInArchive(MESSAGES)).toHaveLength(12);
    const { messages: shown, messageCount, runs } = await chain();
    expect([shown.length, messageCount, runs.length]).toEqual([2, 2, 2]);
    expect(runs).toEqual(before.runs);
  });

  it("is complete however many objects of other tables name it", async () => {
    await keeping({ agentMessageRetentionDays: 30, archive: {} });
    await env.DB.batch([
      env.DB.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
         INSERT INTO "ArchiveParts" ("TableName", "Day", "Part", "Rows", "CreatedAt") SELECT 'Approvals', '2024-01-01', i, 1, 't' FROM n`,
      ),
      env.DB.prepare(`INSERT INTO "ArchiveIndex" ("Name", "Part") SELECT ?, "Id" FROM "ArchiveParts"`).bind(
        root,
      ),
    ]);
    await tick(NIGHT);
    const { complete, messages: shown } = await chain();
    expect([complete, shown.length]).toEqual([true, 2]);
  });

  it("is one with what of it is still in D1", async () => {
    await keeping({ agentMessageRetentionDays: 0, archive: {} });
    const before = await chain();
    await tick(NIGHT);
    const after = await chain();
    expect(after.messages).toEqual(before.messages);
    expect(after.runs).toEqual(before.runs);
    expect(await keysInArchive(MESSAGES)).toEqual([]);
  });
});
