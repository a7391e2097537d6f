import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { analyse } from "../../core/analysis/analyse.ts";
import { analyseQuestions } from "../../core/analysis/analyse-questions.ts";
import { createAnalystRecord } from "../../core/analysis/analyst-record.ts";
import { FINDING_CODES } from "../../core/analysis/finding.ts";
import { readFindings } from "../../core/analysis/findings.ts";
import { readStats } from "../../core/analysis/stats.ts";
import { instanceSchema } from "../../core/config/instance.ts";
import { chainOf } from "../../core/record/chain-of.ts";
import { listMessages } from "../../core/record/list-messages.ts";
import { listPairs } from "../../core/record/list-pairs.ts";
import { createReader, type Reader } from "../../core/record/reader.ts";
import { NotASelectError, selectOnly } from "../../core/record/select-only.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import { embedder, withoutWaiting } from "../../workers/embedder.ts";
import { makeCorpus } from "../support/analysis/corpus.ts";
import { loadCorpus } from "../support/analysis/load-corpus.ts";
import { taskRow } from "../support/analysis/office.ts";
import { HELD_OUT_TOPICS } from "../support/analysis/topics-held-out.ts";
import { fillPair } from "../support/record-fill.ts";
import { at, messageRow, messagesOnly, receiptRow } from "../support/record-rows.ts";

const HALF = 20_000;
const clock = { now: Date.parse("2026-11-01T00:00:00Z"), siltedAfterHours: 48 };
const PERIOD = { since: "2026-10-01", until: "2026-10-31" };

/** An office with every trouble that does not need the talk of many. */
const office = makeCorpus({
  seed: 9,
  messages: 1,
  start: Date.parse("2026-08-20T00:00:00Z"),
  topics: HELD_OUT_TOPICS,
});
const TROUBLED = { since: "2026-08-20", until: "2026-10-31" };

async function found(input: Parameters<typeof readFindings>[1]) {
  const result = await readFindings(createReader(env.DB), input, clock);
  if (!result.ok) throw new Error(result.problem.code);
  return result.findings.findings;
}

const QUESTIONS: readonly (readonly [string, (reader: Reader) => Promise<unknown>])[] = [
  ["list_pairs", (reader) => listPairs(reader, {})],
  ["list_pairs of a period", (reader) => listPairs(reader, PERIOD)],
  ["stats", (reader) => readStats(reader, PERIOD, clock)],
  ["stats of a pair", (reader) => readStats(reader, { ...PERIOD, a: "anna", b: "bert" }, clock)],
  ["findings", (reader) => readFindings(reader, TROUBLED, clock)],
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
    await loadCorpus(env.DB, office);
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
    expect(after).toBeLessThan(name === "findings" ? 12_000 : 2_500);
  });

  it("of findings are those of all kinds", async () => {
    const codes = new Set((await found(TROUBLED)).map(({ code }) => code));
    expect(FINDING_CODES.filter((code) => !codes.has(code))).toEqual([
      "repeated_question",
      "failing_channel",
      "failing_hour",
    ]);
  });

  it("of list_pairs to the millisecond are the messages of the two hours at its ends besides", async () => {
    const [since, until] = ["2026-10-01T08:10:00.000Z", "2026-10-01T12:05:00.000Z"];
    const row = await env.DB.prepare(
      `SELECT count(*) AS n FROM "AgentMessages" WHERE "OccurredAt" >= ?1 AND "OccurredAt" < substr(?1, 1, 11) || '09' OR "OccurredAt" >= substr(?2, 1, 13) AND "OccurredAt" <= ?2`,
    )
      .bind(since, until)
      .first<{ n: number }>();
    const read = await rowsRead((reader) => listPairs(reader, { since, until }));
    expect(row?.n).toBeGreaterThan(6_000);
    expect(read).toBeLessThan(3 * (row?.n ?? 0) + 200);
  });
});

describe("findings", () => {
  it("tell of a task that was given long before the period and lies since", async () => {
    const updatedAt = "2026-10-22T00:00:00.000Z";
    const row = { creator: "boss", assignee: "idler", createdAt: "2026-10-20T00:00:00.000Z", updatedAt };
    await loadCorpus(env.DB, {
      messages: [],
      receipts: [],
      tasks: [taskRow({ ...row, taskId: "lies", status: "running" })],
    });
    const week = { since: "2026-10-25", until: "2026-10-31", code: "silted_task" as const };
    expect((await found({ ...week, a: "idler" })).map(({ taskId, count }) => [taskId, count])).toEqual([
      ["lies", 240],
    ]);
    expect((await found({ ...week, a: "idler", b: "writer" })).map(({ taskId }) => taskId)).toEqual([]);
    expect(await found({ until: "2026-10-19", a: "idler", code: "silted_task" })).toEqual([]);
  });

  it("about chains concern all who ran in them", async () => {
    const deep = { ...TROUBLED, code: "deep_chain_fails" } as const;
    const [first] = await found({ ...deep, a: "buyer", b: "support" });
    expect(first).toMatchObject({
      count: 7,
      agents: ["planner", "clerk", "writer", "buyer", "support", "desk"],
    });
    expect(await found({ ...deep, a: "payroll" })).toEqual([]);
    expect((await found({ ...TROUBLED, code: "dear_chain", a: "legal" })).length).toBeGreaterThan(0);
  });

  it("hold an exchange once that more than one look has seen a part of", async () => {
    const turns = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => {
        const turn = from + index;
        const [fromAgentId, toAgentId] = turn % 2 === 0 ? ["left", "right"] : ["right", "left"];
        const name = `turn-${turn}`;
        const chain = { rootRunId: name, runId: name, channel: "task_comment" } as const;
        return messageRow(name, { ...chain, fromAgentId, toAgentId, occurredAt: at(turn * 9 * 60_000) });
      });
    for (const [from, to] of [
      [0, 30],
      [30, 60],
    ] as const) {
      await writeRecord(env.DB, env.TEXTS, messagesOnly(turns(from, to)));
      await catchUp();
    }
    const exchanges = await found({ ...TROUBLED, code: "ping_pong", a: "left" });
    expect(exchanges.map(({ count, firstAt, lastAt }) => [count, firstAt, lastAt])).toEqual([
      [60, at(0), at(59 * 9 * 60_000)],
    ]);
  });
});

describe("a step over questions", () => {
  const PAIRS = 40;
  const counts = async (sql: string) => (await env.DB.prepare(sql).first<number>("n")) ?? 0;
  const waiting = () => counts(`SELECT count(*) AS n FROM "NewAnswers"`);

  async function askAll(time: number, content: string) {
    const rows = Array.from({ length: PAIRS }, (_, n) => {
      const ends = { fromAgentId: `asker${n}`, toAgentId: "asked" };
      const name = `step-${time}-${n}`;
      const chain = { rootRunId: `root-${name}`, content };
      return [
        messageRow(`ask:${name}:request`, { ...chain, ...ends, occurredAt: at(time) }),
        messageRow(`ask:${name}:response`, {
          ...chain,
          direction: "response",
          fromAgentId: ends.toAgentId,
          toAgentId: ends.fromAgentId,
          occurredAt: at(time + 1),
        }),
      ];
    });
    await writeRecord(env.DB, env.TEXTS, messagesOnly(rows.flat()));
  }

  it("reads all pairs together, and each question comes to the group of its own pair", async () => {
    await catchUp();
    for (const time of [50_000, 60_000]) {
      await askAll(time, "Which crane lifts the turbine?");
      const reader = createReader(env.DB);
      let statements = 0;
      const counted: Reader = {
        ...reader,
        all: (sql, ...values) => {
          statements += 1;
          return reader.all(sql, ...values);
        },
      };
      await analyseQuestions(env.DB, counted, async () => null);
      expect(statements).toBe(2);
    }
    expect(
      await counts(
        `SELECT count(*) AS n FROM "QuestionGroups" WHERE "ToAgentId" = 'asked' AND "Asked" = 2 AND "FromAgentId" LIKE 'asker%'`,
      ),
    ).toBe(PAIRS);
  });

  it("leaves questions where they are while the model does not answer, and does not press it", async () => {
    await askAll(70_000, "Which crane lifts the rotor?");
    const instance = instanceSchema.parse({
      id: "test",
      analysis: { embedding: { provider: "workers-ai", name: "@cf/small" } },
    });
    let calls = 0;
    let isAway = true;
    const AI = {
      run: async (_model: string, { text }: { text: string[] }) => {
        calls += 1;
        if (isAway) throw new Error("away");
        return { data: text.map(() => [1, 0]) };
      },
    };
    const stepAt = (minute: number) =>
      analyseQuestions(
        env.DB,
        createReader(env.DB),
        embedder(Object.assign({ ...env }, { AI }), instance, minute * 60_000),
      );
    await stepAt(0);
    await stepAt(0);
    await analyseQuestions(env.DB, createReader(env.DB), withoutWaiting(instance));
    expect([calls, await waiting()]).toEqual([1, PAIRS]);
    isAway = false;
    await stepAt(2);
    expect([calls, await waiting()]).toEqual([2, 0]);
    expect(
      await counts(
        `SELECT count(*) AS n FROM "QuestionGroups" WHERE "Vector" LIKE 'workers-ai:@cf/small %' AND "ToAgentId" = 'asked'`,
      ),
    ).toBe(PAIRS);
  });
});

it("what retention has left of a chain's messages does not replace what is known of it", async () => {
  const chain = { runId: "kept-1", rootRunId: "kept-1" };
  const uids = ["kept-a", "kept-b", "kept-c"];
  const known = () =>
    env.DB.prepare(`SELECT "Messages" AS "n" FROM "ChainFacts" WHERE "RootRunId" = 'kept-1'`).first("n");
  await writeRecord(env.DB, env.TEXTS, {
    ...messagesOnly(uids.map((uid) => messageRow(uid, chain))),
    receipts: [receiptRow("kept-1")],
  });
  await catchUp();
  expect(await known()).toBe(3);
  await env.DB.prepare(`DELETE FROM "AgentMessages" WHERE "Uid" IN ('kept-a', 'kept-b')`).run();
  await writeRecord(env.DB, env.TEXTS, {
    ...messagesOnly([]),
    receipts: [receiptRow("kept-2", { rootRunId: "kept-1" })],
  });
  await catchUp();
  expect(await known()).toBe(3);
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
