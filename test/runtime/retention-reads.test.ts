/** What stands in the way of retention costs it no more than a window, and never stops it for good. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { oldMessages, oldNotices, oldReceipts } from "../../core/retention/old-rows.ts";
import { oldTaskEvents, oldTasks } from "../../core/retention/old-tasks.ts";
import { retentionSteps } from "../../core/retention/steps.ts";
import { surplusTicks } from "../../core/retention/surplus-ticks.ts";
import { powerCut } from "../support/power-cut.ts";
import { fillPair } from "../support/record-fill.ts";
import { countedReads } from "./support/counted-reads.ts";
import {
  ALL_TABLES,
  emptyRecord,
  instanceThatKeeps,
  keysInD1,
  writeOldRecord,
} from "./support/old-record.ts";

const LATER = "2027-01-01T00:00:00.000Z";
const run = (sql: string, ...values: (string | number)[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();
const NUMBERS = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)`;

beforeEach(emptyRecord);

/** Each a day after the one before, in the chain `root`. */
const fillTasks = (count: number, { root, status, from }: { root: string; status: string; from: string }) =>
  run(
    `${NUMBERS} INSERT INTO "Tasks" ("TaskId", "Title", "Description", "Creator", "Assignee", "Priority", "Status", "Stages",
       "Attempts", "Rejections", "RootRunId", "CreatedAt", "UpdatedAt", "CreatorLane", "CreatorRunId", "Depth",
       "CommentWakes", "Told", "Version", "Guard")
     SELECT ?2 || ?3 || i, 'x', 'x', 'a', 'a', 'normal', ?3, '[]', 1, 0, ?2, date(?4, i || ' days'),
       date(?4, i || ' days'), 'main', 'r', 1, 0, '[]', 1, 1 FROM n`,
    count,
    root,
    status,
    from,
  );

describe("rows read", () => {
  it("are those of a window while the mirror has copied nothing", async () => {
    await fillPair(env.DB, "anna|bert", 600);
    await run(
      `${NUMBERS} INSERT INTO "RunReceipts" ("RunId", "RootRunId", "AgentId", "Trigger", "Model", "Status", "Steps", "ToolCalls",
         "QueuedMs", "DurationMs", "StartedAt", "FinishedAt", "Resumes")
       SELECT 'r' || i, 'r' || i, 'a', 'chat', 'm', 'completed', 1, 0, 0, 1, '2024-01-01', '2024-01-01', 0 FROM n`,
      600,
    );
    for (const [table, key] of [
      ["AgentMessages", "Id"],
      ["RunReceipts", "RunId"],
    ])
      await run(
        `INSERT INTO "MirrorQueue" ("TableName", "RowKey", "Changes", "QueuedAt") SELECT '${table}', "${key}", 1, 't' FROM "${table}"`,
      );
    const { db, rowsRead } = countedReads(env.DB);
    expect([await oldMessages(db, LATER, 20), await oldReceipts(db, LATER, 20)]).toEqual([[], []]);
    expect(rowsRead()).toBeLessThan(300);
  });

  it("are those of a window while many notices may still be sent", async () => {
    await run(
      `${NUMBERS} INSERT INTO "Notices" ("Id", "Uid", "Kind", "Text", "OccurredAt")
       SELECT (unixepoch('2026-12-31T12:00:00Z') * 1000 + i) * 2048, 'n' || i, 'k', 't', '2026-12-31T12:00:00.000Z' FROM n`,
      500,
    );
    const { db, rowsRead } = countedReads(env.DB);
    expect(await oldNotices(db, LATER, 20)).toEqual([]);
    expect(rowsRead()).toBeLessThan(100);
    expect(await oldNotices(db, "2027-01-01T12:00:01.000Z", 20)).toHaveLength(20);
  });

  it("are a few a job where every job is looked at", async () => {
    await run(
      `${NUMBERS} INSERT INTO "JobTicks" ("Uid", "AgentId", "JobId", "Kind", "Cause", "Outcome", "Ticks", "ScheduledAt", "StartedAt", "FinishedAt", "DurationMs")
       SELECT 'u' || i, 'a', 'j' || (i % 20), 'toolJob', 'time', 'ok', 1, 't', 't', 't', 0 FROM n`,
      2_000,
    );
    const { db, rowsRead } = countedReads(env.DB);
    const looked = new Proxy(db, {
      get: (target, key) => (key === "batch" ? async () => [] : Reflect.get(target, key)),
    });
    await surplusTicks(looked, 5_000, 10);
    expect(rowsRead()).toBeLessThan(150);
    expect(await surplusTicks(env.DB, 99, 1_000)).toHaveLength(20);
  });

  it("are those of a window of tasks, however many of a chain are in it; those behind it that may go are found", async () => {
    await fillTasks(2_100, { root: "held", status: "done", from: "2000-01-01" });
    await fillTasks(1, { root: "held", status: "blocked", from: "2000-01-01" });
    await fillTasks(2_100, { root: "free", status: "done", from: "2010-01-01" });
    const { db, rowsRead } = countedReads(env.DB);
    const found = await oldTasks(db, LATER, 10);
    expect(found.rows.map(({ key }) => key)).toEqual(Array.from({ length: 10 }, (_, n) => `freedone${n}`));
    expect((await oldTaskEvents(db, LATER, 10)).rows).toEqual([]);
    expect(rowsRead()).toBeLessThan(60_000);
  });
});

it.each([false, true])(
  "with the power cut at any moment a pass that deletes only leaves no text in R2 and no event without its row (after the effect: %s)",
  async (after) => {
    const names = ["AgentMessages", "TaskEvents", "Tasks"];
    const now = Date.UTC(2025, 5, 1, 3);
    const pass = async (db: D1Database, texts: R2Bucket) => {
      for (const step of retentionSteps(instanceThatKeeps(30, false), now, {
        surplus: false,
        tell: () => undefined,
      }))
        if (names.includes(step.name)) await step.run({ db, texts, now: () => now });
    };
    let cuts = 0;
    for (let count = after ? 2 : 1; count < 60; count += 2) {
      await emptyRecord();
      await writeOldRecord("old", Date.UTC(2025, 0, 10, 20));
      const power = powerCut(env.DB, env.TEXTS, { count, after });
      await pass(power.db, power.texts).catch(() => undefined);
      if (!power.happened()) break;
      cuts += 1;
      const orphans = await env.DB.prepare(
        `SELECT count(*) AS n FROM "TaskEvents" WHERE "TaskId" NOT IN (SELECT "TaskId" FROM "Tasks")`,
      ).first("n");
      const kept = await env.DB.prepare(
        `SELECT count(*) AS n FROM "AgentMessages" WHERE "ContentRef" IS NOT NULL`,
      ).first("n");
      expect([orphans, (await env.TEXTS.list()).objects.length <= Number(kept)], `cut at ${count}`).toEqual([
        0,
        true,
      ]);
      await pass(env.DB, env.TEXTS);
      for (const table of ALL_TABLES.filter(({ name }) => names.includes(name)))
        expect(await keysInD1(table), `cut at ${count}`).toEqual([]);
      expect((await env.TEXTS.list()).objects, `cut at ${count}`).toEqual([]);
    }
    expect(cuts).toBeGreaterThan(5);
  },
);
