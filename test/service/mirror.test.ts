import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { MAX_ROW_TEXT_BYTES } from "../../core/limits.ts";
import { mirrorView } from "../../core/mirror/mirror-view.ts";
import { type MirrorRun, runMirror } from "../../core/mirror/run-mirror.ts";
import { dropMirror, isFilled } from "../../core/mirror/state.ts";
import { MIRRORED, type MirrorRow, type MirrorTable } from "../../core/mirror/tables.ts";
import { createReader } from "../../core/record/reader.ts";
import { NO_ROWS } from "../../core/record/rows.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import { withMirrorTarget } from "../../workers/mirror-target.ts";
import { powerCut } from "../support/power-cut.ts";
import { at, auditRow, messageRow, receiptRow } from "../support/record-rows.ts";
import { type Admin, adminOf, hasMariaDb, mariaDb } from "./database-support.ts";
import { type RecordStores, startRecordStores } from "./servers/record-stores.ts";
import { startTcpProxy, type TcpProxy } from "./servers/tcp-proxy.ts";

const TARGET = "the test's";
/** Later than any lease. */
const MINUTE = 600_000;
const MAX_MOMENTS = 60;

describe.runIf(hasMariaDb())("L3: the mirror in MariaDB", () => {
  let stores: RecordStores;
  let admin: Admin;
  let clock = Date.UTC(2026, 10, 1);
  const proxies: TcpProxy[] = [];

  beforeAll(async () => {
    stores = await startRecordStores();
    admin = await adminOf(mariaDb());
  });
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.stop();
  });
  afterAll(async () => {
    await admin.run(MIRRORED.map(({ name }) => `DROP TABLE IF EXISTS \`${name}\`;`).join(""));
    await admin.close();
    await stores.stop();
  });

  interface Trouble {
    readonly port?: number;
    readonly on?: Pick<RecordStores, "db" | "texts">;
    readonly maxRows?: number;
    /** Milliseconds since the one before. */
    readonly later?: number;
  }

  /** A minute's work, some minutes later. */
  function minute(trouble: Trouble = {}): Promise<MirrorRun> {
    const { port = mariaDb().port, on = stores, maxRows = 5_000, later = MINUTE } = trouble;
    const { user, password, database } = mariaDb();
    clock += later;
    const place = { host: "127.0.0.1", port, user, password, database, tls: false };
    return runMirror({
      ...{ db: on.db, texts: on.texts, target: TARGET, maxRows, maxMs: MINUTE },
      connected: (work) => withMirrorTarget(place, work),
      describe: String,
      now: () => clock,
    });
  }

  const view = () => mirrorView(createReader(stores.db), { db: stores.db, target: TARGET, now: clock });

  let written = 0;
  async function write(rows: number): Promise<void> {
    const from = written;
    written += rows;
    const all = Array.from({ length: rows }, (_, n) => from + n);
    await writeRecord(stores.db, stores.texts, {
      ...NO_ROWS,
      // Times go back: what comes late has a smaller Id than what is mirrored already.
      messages: all.map((n) =>
        messageRow(`m${n}`, { occurredAt: at(-n), content: ODD[n % ODD.length] ?? "" }),
      ),
      audit: all.map((n) =>
        auditRow(`a${n}`, { occurredAt: at(-n), error: n % 2 === 0 ? null : "it's \\broken\n" }),
      ),
      receipts: all.map((n) =>
        receiptRow(`run-${n}`, { costMicros: n % 3 === 0 ? null : n, startedAt: at(-n) }),
      ),
    });
  }

  /** Every row of both sides, texts whole. */
  async function expectEqual(): Promise<void> {
    for (const table of MIRRORED) {
      const [here, there] = [await inD1(table), await inMariaDb(table)];
      expect(there.length, table.name).toBe(here.length);
      expect(there, table.name).toEqual(here);
    }
  }

  async function inD1({ name, identity }: MirrorTable): Promise<MirrorRow[]> {
    const { results } = await stores.db.prepare(`SELECT * FROM "${name}"`).all<MirrorRow>();
    const whole = results.map(async (row) => {
      const text = typeof row.ContentRef === "string" ? await stores.texts.get(row.ContentRef) : null;
      return text === null ? row : { ...row, Content: await text.text() };
    });
    return sorted(await Promise.all(whole), identity);
  }

  async function inMariaDb({ name, identity }: MirrorTable): Promise<MirrorRow[]> {
    const rows = await admin.rows(`SELECT * FROM \`${name}\``);
    return sorted(rows.map(plain), identity);
  }

  it("gets what was there before, in bounded pieces, makes its tables itself, and tells how far it is", async () => {
    await write(300);
    const long = "Ärger ".repeat(MAX_ROW_TEXT_BYTES / 6);
    await writeRecord(stores.db, stores.texts, {
      ...NO_ROWS,
      messages: [messageRow("long", { content: long })],
    });
    expect(await view()).toMatchObject({ state: "starting" });
    expect(await minute({ maxRows: 100 })).toMatchObject({ state: "written", rows: 250 });
    expect(await view()).toMatchObject({
      state: "filling",
      written: 250,
      lag: { rows: 651, atLeast: false },
    });
    expect(await isFilled(stores.db, TARGET)).toBe(false);
    await minute();
    expect(await isFilled(stores.db, TARGET)).toBe(true);
    expect(await view()).toMatchObject({
      state: "even",
      lag: { rows: 0, seconds: 0 },
      cut: 0,
      lastError: null,
    });
    await expectEqual();
    expect((await inMariaDb(first())).find((row) => row.Uid === "long")?.Content).toBe(long);
    expect(await minute(), "an idle minute makes no connection").toEqual({ state: "idle" });
  });

  it("gets what comes late, what is changed, and keeps what retention deletes", async () => {
    await write(20);
    await stores.db.prepare(`UPDATE "RunReceipts" SET "Reason" = 'changed' WHERE "RunId" = 'run-3'`).run();
    await stores.db.prepare(`UPDATE "AgentMessages" SET "Content" = 'changed' WHERE "Uid" = 'm7'`).run();
    expect(await view()).toMatchObject({ state: "behind", lag: { rows: 62 } });
    await minute();
    await expectEqual();
    await stores.db.prepare(`DELETE FROM "AgentMessages" WHERE "Uid" = 'm9'`).run();
    await minute();
    expect((await inMariaDb(first())).map((row) => row.Uid)).toContain("m9");
    await admin.run("DELETE FROM AgentMessages WHERE Uid = 'm9'");
  });

  it.each(["INSERT INTO `AgentMessages`", "INSERT INTO `AuditLog`", "CREATE TABLE", "max_allowed_packet"])(
    "goes on after its server went away at %s",
    async (breakAt) => {
      await write(5);
      const proxy = await startTcpProxy(mariaDb().port, { breakAt });
      proxies.push(proxy);
      expect(await minute({ port: proxy.port })).toMatchObject({ state: "failed" });
      expect(await view()).toMatchObject({ state: "failing", lastError: expect.stringMatching(/./) });
      expect(await minute({ port: 1 })).toMatchObject({ state: "failed" });
      expect(await minute()).toMatchObject({ state: "written" });
      expect(await view()).toMatchObject({ state: "even", lastError: null, failingSince: null });
      await expectEqual();
    },
  );

  it.each([false, true])(
    "goes on after D1 and R2 went away at any moment (after the effect: %s)",
    async (after) => {
      let cuts = 0;
      // Every other moment, so that both together have them all.
      for (let count = after ? 2 : 1; count <= MAX_MOMENTS; count += 2) {
        await write(2);
        await stores.db
          .prepare(`UPDATE "AuditLog" SET "Error" = ? WHERE "Uid" = 'a1'`)
          .bind(`no. ${count}`)
          .run();
        const power = powerCut(stores.db, stores.texts, { count, after });
        await minute({ on: power }).catch(() => undefined);
        if (!power.happened()) break;
        cuts += 1;
        await minute();
        expect(await view(), `cut at ${count}`).toMatchObject({ state: "even" });
      }
      expect(cuts).toBeGreaterThan(6);
      await expectEqual();
    },
  );

  it("loses no change that is made while the row is on its way", async () => {
    await write(1);
    const place = { host: "127.0.0.1", ...mariaDb(), tls: false };
    const change = stores.db.prepare(`UPDATE "RunReceipts" SET "Error" = 'meanwhile' WHERE "RunId" = ?`);
    clock += MINUTE;
    await runMirror({
      ...{ db: stores.db, texts: stores.texts, target: TARGET, maxRows: 1, maxMs: MINUTE },
      connected: (work) =>
        withMirrorTarget(place, (target) =>
          work({
            ...target,
            write: async (table, rows) => {
              await change.bind(`run-${written - 1}`).run();
              return target.write(table, rows);
            },
          }),
        ),
      describe: String,
      now: () => clock,
    });
    expect(await view()).toMatchObject({ state: "behind", lag: { rows: 1 } });
    await minute();
    await expectEqual();
  });

  it("cuts a text that the server would not take, counts it, and stands still for nothing", async () => {
    const [before] = await admin.rows("SELECT @@GLOBAL.max_allowed_packet AS bytes");
    await admin.run("SET GLOBAL max_allowed_packet = 1048576");
    const large = messageRow("large", { content: "ü".repeat(600_000) });
    await writeRecord(stores.db, stores.texts, { ...NO_ROWS, messages: [large] });
    expect(await minute()).toMatchObject({ state: "written" });
    await admin.run(`SET GLOBAL max_allowed_packet = ${String(before?.bytes)}`);
    expect(await view()).toMatchObject({ state: "even", cut: 1 });
    const text = (await inMariaDb(first())).find((row) => row.Uid === "large")?.Content;
    expect(String(text).length).toBeGreaterThan(400_000);
    expect(large.content.startsWith(String(text))).toBe(true);
    await stores.db.prepare(`UPDATE "AgentMessages" SET "Status" = 'failed' WHERE "Uid" = 'large'`).run();
    await minute();
    await expectEqual();
  });

  it("lets only one at a time do the work", async () => {
    await write(1);
    const runs = await Promise.all([minute(), minute({ later: 0 }), minute({ later: 0 })]);
    expect(runs.map(({ state }) => state).sort()).toEqual(["busy", "busy", "written"]);
    await expectEqual();
  });

  it("queues nothing any more when it is taken out of the config", async () => {
    expect(await dropMirror(stores.db)).toBe(true);
    await write(3);
    expect(await stores.db.prepare(`SELECT count(*) AS n FROM "MirrorQueue"`).first("n")).toBe(0);
    await minute();
    await expectEqual();
  });
});

const ODD = [
  "plain",
  'it\'s "quoted" \\ `so`',
  "emoji \u{1F600} and Ärger",
  "line\r\nline\u2028",
  " spaces ",
  "",
];

const first = () => MIRRORED[0] ?? raise();
function raise(): never {
  throw new Error("There are no tables");
}

/** The driver of the test gives large numbers as text. */
function plain(row: Readonly<Record<string, unknown>>): MirrorRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value === null || typeof value === "number" ? value : isNumber(name) ? Number(value) : String(value),
    ]),
  );
}

const NUMBERS = new Set(
  MIRRORED.flatMap(({ columns }) => columns.filter(({ isText }) => !isText).map(({ name }) => name)),
);
const isNumber = (name: string) => NUMBERS.has(name);

function sorted(rows: readonly MirrorRow[], identity: string): MirrorRow[] {
  const name = (row: MirrorRow) => String(row[identity]);
  return rows.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
}
