import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { analyse } from "../../core/analysis/analyse.ts";
import { createAnalystRecord } from "../../core/analysis/analyst-record.ts";
import { readFindings } from "../../core/analysis/findings.ts";
import { readStats } from "../../core/analysis/stats.ts";
import { chainOf } from "../../core/record/chain-of.ts";
import { listMessages } from "../../core/record/list-messages.ts";
import { listPairs } from "../../core/record/list-pairs.ts";
import { createReader, type Reader } from "../../core/record/reader.ts";
import { NotASelectError, selectOnly } from "../../core/record/select-only.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import { fillPair } from "../support/record-fill.ts";
import { at, messageRow, messagesOnly, receiptRow } from "../support/record-rows.ts";

const HALF = 20_000;
const clock = { now: Date.parse("2026-11-01T00:00:00Z"), siltedAfterHours: 48 };
const PERIOD = { since: "2026-10-01", until: "2026-10-31" };

const QUESTIONS: readonly (readonly [string, (reader: Reader) => Promise<unknown>])[] = [
  ["list_pairs", (reader) => listPairs(reader, {})],
  ["list_pairs of a period", (reader) => listPairs(reader, PERIOD)],
  ["stats", (reader) => readStats(reader, PERIOD, clock)],
  ["stats of a pair", (reader) => readStats(reader, { ...PERIOD, a: "anna", b: "bert" }, clock)],
  ["findings", (reader) => readFindings(reader, PERIOD, clock)],
  ["the first page", (reader) => listMessages(reader, { a: "anna", b: "bert", limit: 50 })],
  ["search", (reader) => listMessages(reader, { q: "rückfragen", limit: 50 })],
  ["chain", (reader) => chainOf(reader, "root-7")],
];

async function rowsRead(ask: (reader: Reader) => Promise<unknown>): Promise<number> {
  const reader = createReader(env.DB);
  await ask(reader);
  return reader.rowsRead;
}

const catchUp = () => analyse({ db: env.DB, reader: createReader(env.DB), embed: async () => null }, 1_000);

describe("rows read", () => {
  const first = new Map<string, number>();

  beforeAll(async () => {
    await fillPair(env.DB, "anna|bert", HALF);
    await catchUp();
    for (const [name, ask] of QUESTIONS) first.set(name, await rowsRead(ask));
    // As many again, in the same hours, with the same pair.
    await env.DB.prepare(
      `UPDATE "AgentMessages" SET "Uid" = 'x' || "Uid", "RootRunId" = 'x' || "RootRunId"`,
    ).run();
    await fillPair(env.DB, "anna|bert", HALF);
    await catchUp();
  }, 300_000);

  it.each(QUESTIONS)("of %s stay the same when the record is twice as large", async (name, ask) => {
    const before = first.get(name) ?? 0;
    const after = await rowsRead(ask);
    expect(before).toBeGreaterThan(0);
    expect({ name, after, bounded: after <= before + 60 }).toEqual({ name, after, bounded: true });
    expect(after).toBeLessThan(2_500);
  });
});

describe("rows written", () => {
  const exchange = (n: number) => [
    messageRow(`ask:w${n}:request`, {
      fromAgentId: "w",
      toAgentId: "v",
      rootRunId: `w${n}`,
      occurredAt: at(n),
    }),
    messageRow(`ask:w${n}:response`, {
      fromAgentId: "v",
      toAgentId: "w",
      direction: "response",
      rootRunId: `w${n}`,
      occurredAt: at(n + 5),
    }),
  ];

  it("of an ask are three roll-ups a message, a mark for its chain and one for its answer", async () => {
    await writeRecord(env.DB, env.TEXTS, messagesOnly(exchange(1)));
    const counted = await writeRecord(env.DB, env.TEXTS, messagesOnly(exchange(2)));
    await env.DB.batch(
      ["AgentMessages_Rollup", "AgentMessages_NewAnswer"].map((name) =>
        env.DB.prepare(`DROP TRIGGER "${name}"`),
      ),
    );
    const plain = await writeRecord(env.DB, env.TEXTS, messagesOnly(exchange(3)));
    expect(counted.rowsWritten - plain.rowsWritten).toBe(2 * 3 + 1 + 1);
  });

  it("of a receipt are three roll-ups and a mark", async () => {
    const receipts = (n: number) => ({
      ...messagesOnly([]),
      receipts: [receiptRow(`w-run-${n}`, { agentId: "w" })],
    });
    await writeRecord(env.DB, env.TEXTS, receipts(1));
    const counted = await writeRecord(env.DB, env.TEXTS, receipts(2));
    await env.DB.prepare(`DROP TRIGGER "RunReceipts_Rollup"`).run();
    const plain = await writeRecord(env.DB, env.TEXTS, receipts(3));
    expect(counted.rowsWritten - plain.rowsWritten).toBe(3 + 1);
  });
});

describe("the handle that the analyst's tool reads by", () => {
  const ATTACKS = [
    `DELETE FROM "AgentMessages"`,
    `WITH x AS (SELECT 1) DELETE FROM "AgentMessages"`,
    `WITH x(i) AS (SELECT 1) INSERT INTO "Logs" SELECT * FROM x`,
    `SELECT 1; DELETE FROM "AgentMessages"`,
    `SELECT 1;;DROP TABLE "AgentMessages"`,
    `/* SELECT */ UPDATE "AgentMessages" SET "Content" = ''`,
    `-- SELECT\nDELETE FROM "AgentMessages"`,
    `select 1 /* ; */ ; delete from "AgentMessages"`,
    `SELECT ';' ; DELETE FROM "AgentMessages"`,
    `SELECT '''; DELETE FROM x'; DELETE FROM "AgentMessages"`,
    `PRAGMA writable_schema = 1`,
    `SELECT * FROM pragma_table_info('AgentMessages')`,
    `REPLACE INTO "AnalysisState" VALUES (1, 2, 3, NULL)`,
    `EXPLAIN SELECT 1`,
    `ATTACH 'x' AS y`,
    `VACUUM`,
    `SELECT load_extension('x')`,
    `INSERT INTO "AgentMessagesFts"("AgentMessagesFts") VALUES ('delete-all')`,
    ``,
    `(SELECT 1)`,
  ];

  it.each(ATTACKS)("prepares nothing of: %s", async (sql) => {
    expect(() => selectOnly(env.DB).prepare(sql)).toThrow(NotASelectError);
  });

  it("passes every statement of the analyst's questions, words that write in texts and names too", async () => {
    const record = createAnalystRecord(env.DB, async () => clock);
    expect(await record.pairs({})).toMatchObject({ ok: true });
    expect(await record.stats({})).toMatchObject({ ok: true });
    expect(await record.findings({})).toMatchObject({ ok: true });
    expect(await record.messages({ q: "delete; drop", a: "anna" })).toMatchObject({ ok: true });
    expect(await record.chain("root-1")).toHaveProperty("totals");
    expect(() =>
      selectOnly(env.DB).prepare(`SELECT 'it''s; DELETE' AS "drop", replace('a', 'a', 'b') -- update`),
    ).not.toThrow();
  });
});
