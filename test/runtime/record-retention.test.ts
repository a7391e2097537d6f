import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { partKey, putPart, readPart } from "../../core/archive/part-file.ts";
import type { InstanceConfig } from "../../core/config/instance.ts";
import { exportChain, isOnRecord } from "../../core/export/export-chain.ts";
import { listMessages } from "../../core/record/list-messages.ts";
import { createReader } from "../../core/record/reader.ts";
import { NO_ROWS } from "../../core/record/rows.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import { MESSAGES, TASK_EVENTS, TASKS } from "../../core/retention/kept-tables.ts";
import { oldMessages, oldReceipts } from "../../core/retention/old-rows.ts";
import { retentionSteps } from "../../core/retention/steps.ts";
import { powerCut } from "../support/power-cut.ts";
import { at, messageRow, messagesOnly, noticeRow, receiptRow } from "../support/record-rows.ts";
import { countedReads } from "./support/counted-reads.ts";
import {
  ALL_TABLES,
  emptyRecord,
  instanceThatKeeps,
  keysInArchive,
  keysInD1,
  orphansInIndex,
  rowsInIndex,
  writeOldRecord,
} from "./support/old-record.ts";

const OLD = Date.UTC(2025, 0, 10, 20);
const NOW = Date.UTC(2025, 5, 1, 3);
/** More moments than one pass has. */
const MAX_MOMENTS = 60;

beforeEach(emptyRecord);

async function pass(
  instance: InstanceConfig,
  { db, texts }: { db: D1Database; texts: R2Bucket } = { db: env.DB, texts: env.TEXTS },
  names: readonly string[] = ALL_TABLES.map(({ name }) => name),
): Promise<void> {
  for (const step of retentionSteps(instance, NOW, { surplus: false, tell: () => undefined }))
    if (names.includes(step.name)) await step.run({ db, texts, now: () => NOW });
}

/** Answers their keys; nothing else is there. */
async function messagesOfTwoDays(): Promise<string[]> {
  const { objects } = await env.TEXTS.list();
  if (objects.length > 0) await env.TEXTS.delete(objects.map(({ key }) => key));
  await env.DB.batch(
    [MESSAGES.name, "ArchiveParts", "ArchiveIndex"].map((name) => env.DB.prepare(`DELETE FROM "${name}"`)),
  );
  const times = [0, 1, 86_400_000].map((ms) => new Date(OLD + ms).toISOString());
  const rows = times.map((occurredAt, n) => messageRow(`m${n}`, { occurredAt }));
  await writeRecord(env.DB, env.TEXTS, messagesOnly(rows));
  return keysInD1(MESSAGES);
}

const rows = z.array(z.looseObject({}));
const fileShape = z.looseObject({
  complete: z.boolean(),
  mayLack: z.array(z.string()),
  receipts: rows,
  taskEvents: rows,
  approvals: rows,
  notices: rows,
});

const found = async (q: string) => {
  const result = await listMessages(createReader(env.DB), { q });
  return result.ok ? result.page.messages.length : -1;
};

describe("without an archive", () => {
  it("old rows of every kind go, with their texts and their place in the search index, and young ones stay", async () => {
    await writeOldRecord("old", OLD);
    await writeOldRecord("young", NOW - 2 * 86_400_000);
    const before = await Promise.all(ALL_TABLES.map(keysInD1));
    await pass(instanceThatKeeps(30, false));
    const after = await Promise.all(ALL_TABLES.map(keysInD1));
    expect(after.map((keys) => keys.length)).toEqual(before.map((keys) => keys.length / 2));
    expect((await env.TEXTS.list()).objects.map(({ key }) => key)).toEqual(["messages/young-long"]);
    expect([await found("old-1 says"), await found("young-1 says"), await orphansInIndex()]).toEqual([
      0, 2, 0,
    ]);
  });

  it("0 keeps everything", async () => {
    await writeOldRecord("old", OLD);
    const before = await Promise.all(ALL_TABLES.map(keysInD1));
    await pass(instanceThatKeeps(0, false));
    expect(await Promise.all(ALL_TABLES.map(keysInD1))).toEqual(before);
  });

  it("what is unfinished stays however old it is: open tasks with their chain, waiting approvals, notices that may still be sent", async () => {
    await writeOldRecord("old", OLD);
    await env.DB.batch([
      env.DB.prepare(`UPDATE "Tasks" SET "Status" = 'blocked' WHERE "TaskId" = 'old-0-task'`),
      env.DB.prepare(`UPDATE "Tasks" SET "RootRunId" = 'old-0.abcdefghij0' WHERE "TaskId" = 'old-1-task'`),
      env.DB.prepare(
        `UPDATE "Approvals" SET "DecidedAt" = NULL, "Decision" = NULL WHERE "Uid" = 'old-0:approval0'`,
      ),
    ]);
    const occurredAt = new Date(NOW - 30.5 * 86_400_000).toISOString();
    await writeRecord(env.DB, env.TEXTS, { ...NO_ROWS, notices: [noticeRow("fresh", { occurredAt })] });
    await pass(instanceThatKeeps(30, false));
    expect(await keysInD1(TASKS)).toEqual(["old-0-task", "old-1-task"]);
    expect(await keysInD1(TASK_EVENTS)).toHaveLength(4);
    const counts = await Promise.all(
      ["Approvals", "Notices"].map((name) =>
        env.DB.prepare(`SELECT count(*) AS n FROM "${name}"`).first("n"),
      ),
    );
    expect(counts).toEqual([1, 1]);
  });

  it("reads near what it deletes, whatever the table's size", async () => {
    const young = Array.from({ length: 500 }, (_, n) =>
      messageRow(`later${n}`, { occurredAt: at(1_000 + n) }),
    );
    const receipts = Array.from({ length: 500 }, (_, n) =>
      receiptRow(`run${n}`, { agentId: `agent${n % 5}`, startedAt: at(1_000 + n) }),
    );
    const old = messageRow("old", { occurredAt: at(0) });
    await writeRecord(env.DB, env.TEXTS, {
      ...messagesOnly([old, ...young]),
      receipts: [...receipts, receiptRow("old", { startedAt: at(0) })],
    });
    const { db, rowsRead } = countedReads(env.DB);
    expect(await oldMessages(db, at(10), 100)).toHaveLength(1);
    expect(await oldReceipts(db, at(10), 100)).toHaveLength(1);
    expect(rowsRead()).toBeLessThanOrEqual(60);
  });
});

describe("with an archive", () => {
  const archive = instanceThatKeeps(30, true);

  it("every old row moves there once, its text in R2 stays, and totals agree", async () => {
    await writeOldRecord("old", OLD);
    await writeOldRecord("young", NOW - 2 * 86_400_000);
    const before = await Promise.all(ALL_TABLES.map(keysInD1));
    await pass(archive);
    await pass(archive);
    for (const [n, table] of ALL_TABLES.entries()) {
      const [here, there] = [await keysInD1(table), await keysInArchive(table)];
      expect([...here, ...there].sort(), table.name).toEqual(before[n]);
      expect(there.length, table.name).toBe((before[n]?.length ?? 0) / 2);
      expect(await rowsInIndex(table), table.name).toBe(there.length);
    }
    expect(await (await env.TEXTS.get("messages/old-long"))?.text()).toBe("the whole text of old");
    expect([await found("old-1 says"), await orphansInIndex()]).toEqual([0, 0]);
    const days = (await env.TEXTS.list({ prefix: "archive/AgentMessages/" })).objects.map(({ key }) => key);
    expect(days).toEqual(
      ["2025-01-10", "2025-01-11"].map((day) => `archive/AgentMessages/${day}/00001.jsonl.gz`),
    );
  });

  describe("a chain as a file", () => {
    const rootRunId = "gone-0.abcdefghij0";
    const now = OLD + 10 * 86_400_000;
    const file = async (instance: InstanceConfig) => {
      const stores = { reader: createReader(env.DB), texts: env.TEXTS };
      let text = "";
      for await (const piece of exportChain({ ...stores, rootRunId, runs: [], instance, now })) text += piece;
      return fileShape.parse(JSON.parse(text));
    };

    it("holds task events, approvals and notices too, whether they lie in D1 or in the archive", async () => {
      await writeOldRecord("gone", OLD);
      const notice = noticeRow("gone-0:told", { occurredAt: new Date(OLD).toISOString(), rootRunId });
      await writeRecord(env.DB, env.TEXTS, { ...NO_ROWS, notices: [notice] });
      await env.DB.exec(
        `UPDATE "Approvals" SET "Uid" = 'gone-0.abcdefghij0:' || "Uid" WHERE "Uid" LIKE 'gone-0:%'`,
      );
      await env.DB.exec(`UPDATE "Notices" SET "Delivery" = 'delivered'`);
      const before = await file(archive);
      await pass(archive);
      await pass(archive);
      expect(await keysInD1(TASK_EVENTS)).toEqual([]);
      expect(await file(archive)).toEqual(before);
      expect(before).toMatchObject({ complete: true, mayLack: [] });
      const counts = [before.receipts, before.taskEvents, before.approvals, before.notices];
      expect(counts.map(({ length }) => length)).toEqual([2, 2, 2, 1]);
    });

    it("is known by its own id and not by that of a run in it", async () => {
      await writeOldRecord("gone", OLD);
      await pass(archive);
      await pass(archive);
      const known = (id: string) => isOnRecord({ reader: createReader(env.DB), texts: env.TEXTS }, id);
      expect([await known(rootRunId), await known("gone-0.abcdefghij1")]).toEqual([true, false]);
    });

    it("is not complete when rows have moved while it was read, or were deleted for good", async () => {
      await writeOldRecord("gone", OLD);
      const stores = { reader: createReader(env.DB), texts: env.TEXTS };
      const pieces = exportChain({ ...stores, rootRunId, runs: [], instance: archive, now });
      let text = (await pieces.next()).value ?? "";
      await pass(archive);
      await pass(archive);
      for await (const piece of pieces) text += piece;
      expect(fileShape.parse(JSON.parse(text)).complete).toBe(false);
      const deletes = instanceThatKeeps(5, false);
      expect(await file(deletes)).toMatchObject({
        complete: false,
        mayLack: expect.arrayContaining(["approvals"]),
      });
    });
  });

  it("a row that comes late, with the time of archived ones, goes into a part of its own", async () => {
    await writeOldRecord("old", OLD);
    await pass(archive);
    await writeRecord(
      env.DB,
      env.TEXTS,
      messagesOnly([messageRow("late", { occurredAt: new Date(OLD).toISOString() })]),
    );
    await pass(archive);
    expect(await keysInD1(MESSAGES)).toEqual([]);
    expect(await keysInArchive(MESSAGES)).toHaveLength(7);
    expect((await env.TEXTS.list({ prefix: "archive/AgentMessages/2025-01-10" })).objects).toHaveLength(2);
  });

  it.each([false, true])(
    "L3: with the power cut at any moment and back again, no row is lost, archived twice or deleted before (after the effect: %s)",
    async (after) => {
      let cuts = 0;
      for (let count = 1; count <= MAX_MOMENTS; count += 1) {
        const before = await messagesOfTwoDays();
        const power = powerCut(env.DB, env.TEXTS, { count, after });
        await pass(archive, power, [MESSAGES.name]).catch(() => undefined);
        if (!power.happened()) break;
        cuts += 1;
        const known = new Set([...(await keysInD1(MESSAGES)), ...(await keysInArchive(MESSAGES))]);
        expect([...known].sort(), `cut at ${count}`).toEqual(before);
        expect(await orphansInIndex(), `cut at ${count}`).toBe(0);
        await pass(archive, undefined, [MESSAGES.name]);
        expect(await keysInD1(MESSAGES), `cut at ${count}`).toEqual([]);
        expect(await keysInArchive(MESSAGES), `cut at ${count}`).toEqual(before);
        expect(await rowsInIndex(MESSAGES), `cut at ${count}`).toBe(before.length);
        expect(await orphansInIndex(), `cut at ${count}`).toBe(0);
      }
      expect(cuts).toBeGreaterThan(12);
    },
  );

  it("two passes at the same moment archive each row once", async () => {
    await writeOldRecord("old", OLD);
    const before = await keysInD1(MESSAGES);
    const once = () => pass(archive, undefined, [MESSAGES.name]);
    await Promise.all([once(), once(), once()]);
    await once();
    expect(await keysInD1(MESSAGES)).toEqual([]);
    expect(await keysInArchive(MESSAGES)).toEqual(before);
    expect(await rowsInIndex(MESSAGES)).toBe(before.length);
  });

  it("a damaged object is told of and nothing is deleted for it", async () => {
    await writeOldRecord("old", OLD);
    const lying = new Proxy(env.TEXTS, {
      get: (bucket, key) =>
        key === "put"
          ? (name: string, _: unknown, options: R2PutOptions) => bucket.put(name, "something else", options)
          : (...args: unknown[]) => Reflect.apply(Reflect.get(bucket, key), bucket, args),
    });
    await expect(() => pass(archive, { db: env.DB, texts: lying }, [MESSAGES.name])).rejects.toThrow();
    expect(await keysInD1(MESSAGES)).toHaveLength(6);
    await pass(archive, undefined, [MESSAGES.name]);
    expect(await keysInArchive(MESSAGES)).toHaveLength(6);
  });

  describe("that was interrupted between its object and its end", () => {
    /** The object is there, the rows too, and the part is open. */
    async function interrupted(): Promise<string[]> {
      const count = await closingCall();
      const before = await messagesOfTwoDays();
      const power = powerCut(env.DB, env.TEXTS, { count, after: false });
      await pass(archive, power, [MESSAGES.name]).catch(() => undefined);
      expect([await keysInD1(MESSAGES), await keysInArchive(MESSAGES)]).toEqual([before, before.slice(0, 2)]);
      return before;
    }

    /** The number of the call of a pass with which the first rows go, see `powerCut`. */
    async function closingCall(): Promise<number> {
      for (let count = 1; count <= MAX_MOMENTS; count += 1) {
        await messagesOfTwoDays();
        const power = powerCut(env.DB, env.TEXTS, { count, after: true });
        await pass(archive, power, [MESSAGES.name]).catch(() => undefined);
        if ((await keysInD1(MESSAGES)).length < 3) return count;
      }
      throw new Error("no row went");
    }

    const openParts = () =>
      env.DB.prepare(`SELECT count(*) AS n FROM "ArchiveParts" WHERE "Keys" IS NOT NULL`).first("n");
    const change = `UPDATE "AgentMessages" SET "Content" = 'changed' WHERE "Uid" = 'm0'`;
    const withMirror = () =>
      env.DB.prepare(
        `INSERT INTO "Mirror" ("Id", "Target", "Backfill", "Written", "Cut") VALUES (1, 't', '{}', 0, 0)`,
      ).run();
    const only = () => pass(archive, undefined, [MESSAGES.name]);
    const contents = async () => {
      const { objects } = await env.TEXTS.list({ prefix: "archive/AgentMessages/" });
      const parts = await Promise.all(objects.map(({ key }) => readPart(env.TEXTS, key)));
      return parts.flatMap((part) => (part?.rows ?? []).map((row) => row.content));
    };

    it("ends also when nothing is to be archived or deleted any more", async () => {
      const before = await interrupted();
      await pass(instanceThatKeeps(0, false));
      expect(await openParts()).toBe(0);
      expect([...(await keysInD1(MESSAGES)), ...(await keysInArchive(MESSAGES))].sort()).toEqual(before);
    });

    it.each([1, 2])(
      "loses no row of which only the object knows, as after a restore (rows: %i)",
      async (rows) => {
        const before = await interrupted();
        await env.DB.prepare(
          `DELETE FROM "AgentMessages" WHERE "Id" IN (SELECT "Id" FROM "AgentMessages" ORDER BY "Id" LIMIT ?)`,
        )
          .bind(rows)
          .run();
        await only();
        expect([await keysInD1(MESSAGES), await keysInArchive(MESSAGES)]).toEqual([[], before]);
        expect(await rowsInIndex(MESSAGES)).toBe(3);
      },
    );

    it("waits for the mirror to copy a row that was changed since", async () => {
      await interrupted();
      await withMirror();
      await env.DB.prepare(change).run();
      await only();
      expect(await keysInD1(MESSAGES)).toHaveLength(3);
      await env.DB.prepare(`DELETE FROM "MirrorQueue"`).run();
      await only();
      expect(await keysInD1(MESSAGES)).toEqual([]);
      expect(await contents()).toContain("changed");
    });

    it("deletes no row that is changed while its object is written and that the mirror has to copy", async () => {
      await messagesOfTwoDays();
      await withMirror();
      const changing = new Proxy(env.TEXTS, {
        get:
          (bucket, key) =>
          async (...args: unknown[]) => {
            if (key === "put") await env.DB.prepare(change).run();
            return Reflect.apply(Reflect.get(bucket, key), bucket, args);
          },
      });
      await pass(archive, { db: env.DB, texts: changing }, [MESSAGES.name]);
      expect(await keysInD1(MESSAGES)).toHaveLength(3);
    });
  });

  it("writes over no object that is there from before D1 was set back", async () => {
    const before = await messagesOfTwoDays();
    const key = partKey({ tableName: MESSAGES.name, day: "2025-01-10", part: 1 });
    await putPart(env.TEXTS, key, { rows: [{ id: "from before" }] });
    await pass(archive, undefined, [MESSAGES.name]);
    expect((await readPart(env.TEXTS, key))?.rows).toEqual([{ id: "from before" }]);
    expect(await keysInArchive(MESSAGES)).toEqual([...before, "from before"]);
    expect(await rowsInIndex(MESSAGES)).toBe(3);
  });
});
