/** Backup and mirror, while others write. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { analyse } from "../../core/analysis/analyse.ts";
import { columnsOf, emptyTable, insertRows, readPage } from "../../core/backup/tables.ts";
import { type MirrorTarget, runMirror } from "../../core/mirror/run-mirror.ts";
import {
  claimMirror,
  countWritten,
  dropMirror,
  isFilled,
  readMirror,
  releaseMirror,
  saveBackfill,
} from "../../core/mirror/state.ts";
import type { Cell } from "../../core/record/columns.ts";
import { createReader } from "../../core/record/reader.ts";
import { NO_ROWS } from "../../core/record/rows.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import { messageRow, messagesOnly, receiptRow } from "../support/record-rows.ts";
import { emptyRecord } from "./support/old-record.ts";

const db = env.DB;
const run = (sql: string, ...values: Cell[]) => db.prepare(sql).bind(...values);

/** The database; `work` is done before the second statement that answers with bare rows. */
function withWriteBetween(work: () => Promise<unknown>): D1Database {
  let calls = 0;
  const watched = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get: (target, key) => {
        if (key === "bind") return (...values: unknown[]) => watched(target.bind(...values));
        if (key !== "raw") return Reflect.get(target, key).bind(target);
        return async () => {
          calls += 1;
          if (calls === 2) await work();
          return target.raw();
        };
      },
    });
  return new Proxy(db, {
    get: (target, key) =>
      key === "prepare" ? (sql: string) => watched(target.prepare(sql)) : Reflect.get(target, key),
  });
}

describe("a backup", () => {
  const TABLE = "TaskWakes";
  const INSERT = `INSERT INTO "TaskWakes" ("RunId", "TaskId", "ObjectName", "Run", "CreatedAt") VALUES (?, 't', 'o', ?, 'c')`;

  beforeEach(() => run(`DELETE FROM "TaskWakes"`).run());

  /** Every other number from 0 on. */
  async function fill(count: number, chars: number): Promise<string[]> {
    const names = Array.from({ length: count }, (_, n) => `k${String(2 * n).padStart(6, "0")}`);
    await db.batch(names.map((name) => run(INSERT, name, "x".repeat(chars))));
    return names;
  }

  async function pages(from: D1Database = db): Promise<(readonly (readonly Cell[])[])[]> {
    const table = { name: TABLE, columns: await columnsOf(db, TABLE) };
    const read: (readonly (readonly Cell[])[])[] = [];
    for (let after: readonly Cell[] | null | undefined; after !== null; ) {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(from, table, after ?? null);
      read.push(page.rows);
      after = page.after;
    }
    return read;
  }

  const names = (read: Awaited<ReturnType<typeof pages>>) => read.flat().map(([name]) => String(name));

  it.each([600, 7])(
    "of %i rows has every one that was there, once, while rows come and go",
    async (count) => {
      const before = await fill(count, 1);
      const withLate = names(await pages(withWriteBetween(() => run(INSERT, "k000001", "late").run())));
      expect(withLate.filter((name) => name !== "k000001")).toEqual(before);
      const remove = () => run(`DELETE FROM "TaskWakes" WHERE "RunId" IN ('k000001', 'k000002')`).run();
      expect(names(await pages(withWriteBetween(remove)))).toEqual(
        before.filter((name) => name !== "k000002"),
      );
    },
  );

  it("holds few large rows at a time", async () => {
    const before = await fill(5, 1_400_000);
    const read = await pages();
    expect(names(read)).toEqual(before);
    expect(Math.max(...read.map((page) => page.length))).toBe(2);
  });

  it("is written back as it was, however often, and emptied in pieces", async () => {
    await fill(600, 1);
    const [before, columns] = [(await pages()).flat(), await columnsOf(db, TABLE)];
    while (!(await emptyTable(db, TABLE)));
    expect(await pages()).toEqual([[]]);
    for (const part of [before.slice(0, 400), before.slice(300), before])
      await insertRows(db, { name: TABLE, columns }, part);
    expect((await pages()).flat()).toEqual(before);
  });

  it("of a version without the analysis leaves no gap: its state is made anew", async () => {
    await run(`DELETE FROM "AnalysisState"`).run();
    await writeRecord(db, env.TEXTS, messagesOnly([messageRow("m1")]));
    await analyse({ db, reader: createReader(db), embed: async () => null }, 5);
    const left = await run(
      `SELECT (SELECT count(*) FROM "DirtyChains") || ' ' || (SELECT "Version" > 0 FROM "AnalysisState") AS "left"`,
    ).first("left");
    expect(left).toBe("0 1");
  });
});

describe("the mirror", () => {
  let now = Date.UTC(2026, 0, 1);
  let written: { readonly target: string; readonly rows: readonly string[] }[] = [];

  beforeEach(async () => {
    await emptyRecord();
    now += 3_600_000;
    written = [];
    const receipts = [1, 2, 3].map((n) => receiptRow(`run-${n}`));
    await writeRecord(db, env.TEXTS, { ...NO_ROWS, receipts });
  });

  /** A minute's work into another side; `meanwhile` comes before each write. */
  function minute(target: string, meanwhile: () => Promise<unknown> = async () => undefined) {
    const other: MirrorTarget = {
      prepare: async () => undefined,
      write: async (table, rows) => {
        await meanwhile();
        written.push({ target, rows: rows.map((row) => String(row[table.identity])) });
        return 0;
      },
    };
    return runMirror({
      ...{ db, texts: env.TEXTS, target, maxRows: 5_000, maxMs: 25_000 },
      connected: (work) => work(other),
      describe: String,
      now: () => now,
    });
  }

  const queued = () => run(`SELECT count(*) AS "n" FROM "MirrorQueue"`).first("n");
  const rowsOf = (target: string) =>
    written.filter((each) => each.target === target).flatMap(({ rows }) => rows);

  it("is not taken for filled when its target changes while the former one is written", async () => {
    const states: unknown[] = [];
    const first = await minute("A", async () => states.push(await minute("B")));
    expect([first, states]).toEqual([{ state: "written", rows: 3 }, [{ state: "busy" }]]);
    expect(await isFilled(db, "B")).toBe(false);
    expect(await minute("B")).toEqual({ state: "written", rows: 3 });
    expect(rowsOf("B")).toEqual(["run-1", "run-2", "run-3"]);
    expect(await isFilled(db, "B")).toBe(true);
  });

  it("belongs to the latest who took it: one that was too slow changes nothing any more", async () => {
    const slow = await claimMirror(db, "A", now);
    const next = await claimMirror(db, "A", now + 200_000);
    if (slow === null || next === null) throw new Error("the mirror was not free");
    const before = await readMirror(db);
    await db.batch([
      countWritten(db, slow.claim, { written: 9, cut: 9 }),
      saveBackfill(db, slow.claim, { RunReceipts: "done" }),
    ]);
    await releaseMirror(db, slow.claim, { error: "late", now });
    expect(await readMirror(db)).toEqual(before);
    expect(await claimMirror(db, "A", now + 201_000)).toBeNull();
  });

  it("leaves in its queue what one wrote that had lost it, also to a mirror that is gone", async () => {
    await minute("A");
    await run(`UPDATE "RunReceipts" SET "Reason" = 'changed'`).run();
    expect(
      await minute("A", async () => {
        now += 200_000;
        await claimMirror(db, "A", now);
      }),
    ).toEqual({ state: "busy" });
    expect(await queued()).toBe(3);
    now += 200_000;
    expect(await minute("A")).toEqual({ state: "written", rows: 3 });
    expect(await queued()).toBe(0);
    await run(`UPDATE "RunReceipts" SET "Reason" = 'again'`).run();
    expect(await minute("A", () => dropMirror(db))).toEqual({ state: "busy" });
    expect(await readMirror(db)).toBeNull();
  });

  it("holds one text from R2 at a time", async () => {
    const uids = Array.from({ length: 20 }, (_, n) => `long${n}`);
    await writeRecord(
      db,
      env.TEXTS,
      messagesOnly(["short1", "short2", ...uids].map((uid) => messageRow(uid))),
    );
    for (const uid of uids) await env.TEXTS.put(`messages/${uid}`, "the whole text");
    await run(
      `UPDATE "AgentMessages" SET "ContentRef" = 'messages/' || "Uid" WHERE "Uid" LIKE 'long%'`,
    ).run();
    await minute("A");
    const sizes = written.filter(({ rows }) => rows[0]?.startsWith("long")).map(({ rows }) => rows.length);
    expect(sizes).toEqual(uids.map(() => 1));
    expect(written.map(({ rows }) => rows)).toContainEqual(["short1", "short2"]);
  });
});
