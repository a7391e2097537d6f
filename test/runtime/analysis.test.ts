import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { analyse } from "../../core/analysis/analyse.ts";
import type { Embed } from "../../core/analysis/analyse-questions.ts";
import type { Findings } from "../../core/analysis/finding.ts";
import { readPending } from "../../core/analysis/read-rollups.ts";
import { ROLLUP_TRIGGERS } from "../../core/analysis/rollup-sql.ts";
import type { Stats } from "../../core/analysis/stats-view.ts";
import { createReader } from "../../core/record/reader.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import { loadCorpus } from "../support/analysis/load-corpus.ts";
import { taskRow } from "../support/analysis/office.ts";
import { rollupRows, walk } from "../support/analysis/upkeep.ts";
import { at, messageRow, messagesOnly, receiptRow } from "../support/record-rows.ts";
import { chat, delivered, get, request, send } from "./support/api.ts";
import { agent, ask, team } from "./support/team.ts";

const statsShape = z.custom<Stats>((value) => typeof value === "object");
const findingsShape = z.custom<Findings>((value) => typeof value === "object");
const stats = async (query = "") => statsShape.parse(await get(`/api/stats${query}`));
const findings = async (query = "") => findingsShape.parse(await get(`/api/findings${query}`));

const OCTOBER = "since=2026-10-01&until=2026-10-31";
const MINUTE = 60_000;

/** A question with its answer, `wait` milliseconds later. */
function exchange(
  name: string,
  over: Parameters<typeof messageRow>[1] & {
    readonly answer?: string;
    readonly wait?: number;
    readonly when?: number;
  } = {},
) {
  const { answer = "yes", wait = 2_000, when = 0, status = "delivered", ...row } = over;
  const ends = { from: row.fromAgentId ?? "analyst", to: row.toAgentId ?? "writer" };
  const rootRunId = row.rootRunId ?? `root-${name}`;
  return [
    messageRow(`ask:${name}:request`, { ...row, rootRunId, occurredAt: at(when) }),
    messageRow(`ask:${name}:response`, {
      ...row,
      rootRunId,
      status,
      content: answer,
      direction: "response",
      fromAgentId: ends.to,
      toAgentId: ends.from,
      occurredAt: at(when + wait),
    }),
  ];
}

const written = (rows: Parameters<typeof messagesOnly>[0]) =>
  writeRecord(env.DB, env.TEXTS, messagesOnly(rows));

beforeAll(async () => {
  await team([
    agent("a", {
      rules: [{ when: { step: 0 }, calls: [ask("b", "Where is the price list?")] }, { say: "{{result}}" }],
    }),
    agent("b"),
  ]);
});

describe("figures over the door", () => {
  it("count what agents have just said and what it cost", async () => {
    await chat("a", "go");
    await delivered();
    const figures = await stats();
    expect(figures.messages).toMatchObject({ messages: 2, delivered: 2, troubleRate: 0 });
    expect(figures.pairs.map(({ from, to, requests, responses }) => [from, to, requests, responses])).toEqual(
      [
        ["a", "b", 1, 0],
        ["b", "a", 0, 1],
      ],
    );
    expect(figures.chains).toMatchObject({ chains: 1, failedChains: 0 });
    expect(figures.depths.map(({ depth, runs }) => [depth, runs])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(figures.byTrigger.map(({ trigger, runs }) => [trigger, runs]).toSorted()).toEqual([
      ["ask", 1],
      ["chat", 1],
    ]);
    expect(figures).toMatchObject({ pending: 0, answerMs: { count: 1 } });
  });

  it("count a row that is delivered again once", async () => {
    const rows = exchange("again", { fromAgentId: "c", toAgentId: "d" });
    await written(rows);
    const once = await stats(`?${OCTOBER}&a=c`);
    await written(rows);
    await writeRecord(env.DB, env.TEXTS, { ...messagesOnly(rows), receipts: [receiptRow("again")] });
    await writeRecord(env.DB, env.TEXTS, { ...messagesOnly(rows), receipts: [receiptRow("again")] });
    expect((await stats(`?${OCTOBER}&a=c`)).messages).toEqual(once.messages);
    expect((await stats(`?${OCTOBER}&a=analyst`)).byAgent.map(({ runs }) => runs)).toEqual([1]);
  });

  it("take their hours, pair and channel from the query", async () => {
    await written([
      ...exchange("early", { fromAgentId: "e", toAgentId: "f", when: 0 }),
      ...exchange("late", { fromAgentId: "e", toAgentId: "f", when: 26 * 60 * MINUTE, wait: 8_000 }),
      ...exchange("other", { fromAgentId: "e", toAgentId: "g", status: "timeout" }),
      messageRow("t", { fromAgentId: "e", toAgentId: "f", channel: "task", taskId: "t1", occurredAt: at(0) }),
    ]);
    expect((await stats(`?${OCTOBER}&a=e&b=f`)).messages.messages).toBe(5);
    expect((await stats(`?${OCTOBER}&a=f&b=e&channel=ask`)).messages.messages).toBe(4);
    expect((await stats(`?${OCTOBER}&a=e`)).messages).toMatchObject({ messages: 7, timeout: 1 });
    const late = await stats("?since=2026-10-02T10:15:00Z&until=2026-10-02T10:20:00Z&a=e");
    expect(late.messages.messages).toBe(2);
    expect(late.period).toEqual({ since: "2026-10-02T10:00:00.000Z", before: "2026-10-02T11:00:00.000Z" });
    expect(late.answerMs.median).toBeGreaterThan(8_000 * 0.95);
    expect(late.answerMs.median).toBeLessThan(8_000 * 1.05);
    expect((await stats("?since=2031-01-01")).messages).toMatchObject({ messages: 0, troubleRate: null });
  });

  it("know no cost where no price is known", async () => {
    await writeRecord(env.DB, env.TEXTS, {
      ...messagesOnly([]),
      receipts: [
        receiptRow("free", { agentId: "priced", costMicros: 0 }),
        receiptRow("dark", { agentId: "unpriced", costMicros: null }),
        receiptRow("half", { agentId: "both", costMicros: 5_000 }),
        receiptRow("other-half", {
          agentId: "both",
          costMicros: null,
          parentRunId: "half",
          rootRunId: "half",
        }),
      ],
    });
    const { byAgent, chains } = await stats(`?${OCTOBER}`);
    const costs = new Map(
      byAgent.map(({ agentId, costUsd, unpricedRuns }) => [agentId, [costUsd, unpricedRuns]]),
    );
    expect(costs.get("priced")).toEqual([0, 0]);
    expect(costs.get("unpriced")).toEqual([null, 1]);
    expect(costs.get("both")).toEqual([0.005, 1]);
    expect(chains.unpricedChains).toBe(2);
  });

  it("say what they have read, and refuse what they do not know", async () => {
    const response = await request(`/api/stats?${OCTOBER}`);
    expect(response.headers.get("Server-Timing")).toMatch(/^d1;desc="rows_read=\d+"$/);
    for (const bad of [
      "stats?since=soon",
      "stats?channel=gossip",
      "stats?figure=all",
      "findings?code=odd",
      "findings?until=x",
    ]) {
      const refused = await request(`/api/${bad}`);
      expect([
        bad,
        refused.status,
        z.object({ error: z.object({ code: z.string() }) }).parse(await refused.json()).error.code,
      ]).toEqual([bad, 400, "bad_request"]);
    }
  });

  it("come as tables, in JSON and in CSV", async () => {
    const rows = z
      .array(z.record(z.string(), z.unknown()))
      .parse(await get(`/api/stats?${OCTOBER}&figure=channels`));
    expect(rows.map(({ channel }) => channel)).toEqual([
      "ask",
      "task",
      "task_comment",
      "task_result",
      "mail",
    ]);
    const csv = await request(`/api/stats?${OCTOBER}&figure=byAgent`, { headers: { Accept: "text/csv" } });
    expect(csv.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    const [head, ...lines] = (await csv.text()).trim().split("\r\n");
    expect(head).toContain(
      "agentId,runs,failedRuns,stepLimitRuns,inputTokens,outputTokens,costUsd,unpricedRuns,runCostUsd.count",
    );
    expect(lines.find((line) => line.startsWith("unpriced,"))).toContain("unpriced,1,0,0,100,20,,1");
    const file = await (await request(`/api/findings?${OCTOBER}&format=csv`)).text();
    expect(file === "" || file.startsWith("id,code,cause,text")).toBe(true);
  });
});

describe("findings over the door", () => {
  it("tell of a question that is asked again in other words, with what was answered", async () => {
    const wordings = [
      "Where is the price list of 2026?",
      "Can you tell me where the 2026 price list is?",
      "Price list 2026, please: where do I find it?",
      "Where is the price list of 2025?",
    ];
    await written(
      wordings.flatMap((content, n) =>
        exchange(`price-${n}`, {
          fromAgentId: "buyer",
          toAgentId: "desk",
          content,
          answer: "In /lists/prices.",
          when: n * 60 * MINUTE,
        }),
      ),
    );
    const found = (await findings(`?${OCTOBER}&a=buyer`)).findings;
    expect(found.map(({ code, cause, count, agents }) => ({ code, cause, count, agents }))).toEqual([
      { code: "answered_before", cause: "missing_knowledge", count: 3, agents: ["buyer", "desk"] },
    ]);
    expect(found[0]).toMatchObject({
      numbers: { answered: 3, sameAnswers: 2 },
      example: { question: wordings[2], answer: "In /lists/prices." },
    });
    expect(found[0]?.rootRunIds).toEqual(["root-price-0", "root-price-1", "root-price-2"]);
    expect(found[0]?.messageIds).toHaveLength(3);
  });

  it("tell of other words too where a model says that they mean the same", async () => {
    const wordings = [
      "How do we dispose of broken pallets?",
      "What is the way to get rid of damaged skids?",
      "Which skip takes splintered wood?",
    ];
    await written(
      wordings.flatMap((content, n) =>
        exchange(`waste-${n}`, {
          fromAgentId: "yard",
          toAgentId: "office",
          content,
          answer: `Day ${n}.`,
          when: n * 60 * MINUTE,
        }),
      ),
    );
    const embed: Embed = async (texts) => ({
      code: "vectors",
      model: "m",
      vectors: texts.map((text) => (wordings.includes(text) ? [1, 0.1] : [0, 1])),
    });
    await analyse({ db: env.DB, reader: createReader(env.DB), embed }, 10);
    const found = (await findings(`?${OCTOBER}&a=yard`)).findings;
    expect(found.map(({ code, cause, count }) => ({ code, cause, count }))).toEqual([
      { code: "repeated_question", cause: "unclear_responsibility", count: 3 },
    ]);
  });

  it("concern the agents and the code that were asked for", async () => {
    expect((await findings(`?${OCTOBER}&a=buyer&b=writer`)).findings).toEqual([]);
    expect((await findings(`?${OCTOBER}&a=buyer&code=ping_pong`)).findings).toEqual([]);
    expect((await findings("?since=2031-01-01")).findings).toEqual([]);
  });
});

describe("the roll-ups", () => {
  it("are kept by the triggers that the code describes", async () => {
    const { results } = await env.DB.prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'",
    ).all<{ name: string; sql: string }>();
    const plain = (sql: string | undefined) => sql?.replace(/\s+/g, " ").replace(/;$/, "");
    const kept = new Map(results.map(({ name, sql }) => [name, plain(sql)]));
    for (const [name, sql] of Object.entries(ROLLUP_TRIGGERS)) expect(kept.get(name)).toBe(plain(sql));
  });

  const rebuild = () =>
    walk(async (cursor) => (await send("POST", "/api/admin/rollups/rebuild", { cursor })).json());
  const check = async () =>
    (
      await walk((cursor) =>
        get(`/api/admin/rollups/check${cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`}`),
      )
    ).flatMap(({ differences }) => z.array(z.unknown()).parse(differences));

  it("agree with the rows, and come to the same when they are made anew", async () => {
    await stats();
    expect(await check()).toEqual([]);
    const before = await rollupRows(env.DB);
    const found = (await findings(`?${OCTOBER}&a=buyer`)).findings;
    await rebuild();
    await stats();
    await stats();
    expect(await rollupRows(env.DB)).toEqual(before);
    expect((await findings(`?${OCTOBER}&a=buyer`)).findings).toEqual(found);
    expect(await check()).toEqual([]);
  });

  it("are mended by a rebuild, which the check asks for", async () => {
    await env.DB.batch([
      env.DB.prepare(
        `UPDATE "MessageRollups" SET "Requests" = "Requests" + 7 WHERE "Period" LIKE '2026-10-02T%'`,
      ),
      env.DB.prepare(`DELETE FROM "RunRollups" WHERE "Period" = '2026-10-01'`),
    ]);
    expect((await check()).length).toBeGreaterThan(0);
    await rebuild();
    await stats();
    expect(await check()).toEqual([]);
  });

  it("stay when retention has deleted the rows, also through a rebuild", async () => {
    const counted = await stats(`?${OCTOBER}`);
    await env.DB.prepare(`DELETE FROM "AgentMessages" WHERE "OccurredAt" < ?`)
      .bind(at(30 * MINUTE))
      .run();
    expect((await stats(`?${OCTOBER}`)).messages).toEqual(counted.messages);
    await rebuild();
    expect((await stats(`?${OCTOBER}`)).messages).toEqual(counted.messages);
  });

  it("keep how tasks ended that the board has forgotten, beside one that it still knows", async () => {
    const given = {
      creator: "giver",
      assignee: "taker",
      createdAt: at(220 * MINUTE),
      updatedAt: at(230 * MINUTE),
    };
    await written(exchange("beside", { fromAgentId: "giver", toAgentId: "taker", when: 221 * MINUTE }));
    await loadCorpus(env.DB, {
      messages: [],
      receipts: [],
      tasks: [
        // The board keeps it for as long as nobody sees to it.
        taskRow({ ...given, taskId: "g0", status: "blocked", createdAt: at(-2_000 * MINUTE) }),
        taskRow({ ...given, taskId: "g1", status: "done" }),
        taskRow({ ...given, taskId: "g2", status: "done" }),
        taskRow({ ...given, taskId: "g3", status: "blocked" }),
      ],
    });
    const ends = async () => (await stats(`?${OCTOBER}&a=giver`)).delegations;
    expect(await ends()).toMatchObject({ result: 2, blocked: 1 });
    await rebuild();
    expect(await ends()).toMatchObject({ result: 2, blocked: 1 });
    await env.DB.prepare(`DELETE FROM "Tasks" WHERE "TaskId" IN ('g1', 'g2')`).run();
    await rebuild();
    expect(await ends()).toMatchObject({ result: 2, blocked: 1 });
    expect(await check()).toEqual([]);
  });

  it("are filled up by the analysis when nobody calls for a rebuild's end", async () => {
    const { chains } = await stats(`?${OCTOBER}`);
    for (let cursor: string | null = null; cursor?.includes(`"add"`) !== true; )
      ({ cursor } = z
        .object({ cursor: z.string() })
        .parse(await (await send("POST", "/api/admin/rollups/rebuild", { cursor })).json()));
    const reader = createReader(env.DB);
    expect(await readPending(reader)).toBeGreaterThanOrEqual(chains.chains);
    expect((await stats(`?${OCTOBER}`)).chains).toEqual(chains);
    expect(await readPending(reader)).toBe(0);
  });

  it.each([
    [
      `UPDATE "MessageRollups" SET "Responses" = "Responses" + 1 WHERE "Period" = '2026-10'`,
      "2026-10 by days responses",
    ],
    [
      `UPDATE "MessageRollups" SET "Blocked" = 0 WHERE "FromAgentId" = 'giver' AND "Period" >= '2026-10'`,
      "blocked",
    ],
    [`UPDATE "MessageRollups" SET "ByHour" = '{}' WHERE "Period" = '2026-10-02'`, "byHour"],
    [`UPDATE "MessageRollups" SET "Waits" = '{}' WHERE "Period" = '2026-10-02T10'`, "waits"],
    [`UPDATE "RunRollups" SET "Costs" = '{}' WHERE "Period" LIKE '2026-10%'`, "costs"],
    [
      `UPDATE "ChainRollups" SET "Sums" = json_set("Sums", '$.chains', 7) WHERE "Period" LIKE '2026-10%'`,
      "all chains",
    ],
    [
      `UPDATE "ChainRollups" SET "Sums" = json_set("Sums", '$.failed', 9) WHERE "Period" = '2026-10-01T08'`,
      "by hours failed",
    ],
  ])("are told of by the check after: %s", async (damage, told) => {
    await env.DB.prepare(damage).run();
    const keys = z.array(z.object({ key: z.string() })).parse(await check());
    expect(keys.filter(({ key }) => key.includes(told))).not.toEqual([]);
    await rebuild();
    await stats();
    expect(await check()).toEqual([]);
  });

  it("refuse a cursor that they never answered", async () => {
    expect((await send("POST", "/api/admin/rollups/rebuild", { cursor: "x'; DROP" })).status).toBe(400);
    expect((await send("POST", "/api/admin/rollups/rebuild", { cursor: "chains odd" })).status).toBe(400);
    expect((await request("/api/admin/rollups/check?cursor=nowhere")).status).toBe(400);
  });
});
