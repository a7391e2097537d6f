import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { chainOf } from "../../core/record/chain-of.ts";
import { getMessage } from "../../core/record/get-message.ts";
import { type AuditFilter, listAudit } from "../../core/record/list-audit.ts";
import { listNotices } from "../../core/record/list-notices.ts";
import { listPairs } from "../../core/record/list-pairs.ts";
import { auditOf, childrenOf, getReceipt } from "../../core/record/read-run.ts";
import { createReader } from "../../core/record/reader.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import { at, auditRow, messageRow, messagesOnly, noticeRow, receiptRow } from "../support/record-rows.ts";

const reader = () => createReader(env.DB);

beforeAll(async () => {
  await writeRecord(env.DB, env.TEXTS, {
    messages: [
      messageRow("m1", { rootRunId: "root", occurredAt: at(1), content: "first" }),
      messageRow("m2", {
        rootRunId: "root",
        occurredAt: at(2),
        content: "x".repeat(30_000),
        status: "timeout",
      }),
      messageRow("m3", {
        fromAgentId: "writer",
        toAgentId: "@human",
        channel: "task",
        taskId: "t1",
        occurredAt: at(3),
        content: "y".repeat(300),
      }),
    ],
    audit: Array.from({ length: 30 }, (_, n) =>
      auditRow(`a${n}`, {
        agentId: n % 2 ? "analyst" : "writer",
        runId: n < 3 ? "root" : "other",
        tool: n % 3 ? "FileRW" : "ask_agent",
        outcome: n === 7 ? "denied" : "ok",
        error: n === 7 ? "Not among your COLLEAGUES 100%" : null,
        occurredAt: at(n * 1_000),
      }),
    ),
    receipts: [
      receiptRow("root", { finishedAt: at(9_000), costMicros: 2_000 }),
      receiptRow("child-b", { parentRunId: "root", rootRunId: "root", costMicros: null, startedAt: at(300) }),
      receiptRow("child-a", { parentRunId: "root", rootRunId: "root", costMicros: 500, startedAt: at(200) }),
      receiptRow("grandchild", {
        parentRunId: "child-a",
        rootRunId: "root",
        costMicros: 0,
        inputTokens: null,
      }),
      receiptRow("unpriced", { costMicros: null }),
    ],
    notices: [noticeRow("n1"), noticeRow("n2", { occurredAt: at(5) })],
    ticks: [],
    approvals: [],
  });
});

describe("one message", () => {
  it("is found by its uid and by its id, with exactly the columns of the contract", async () => {
    const message = await getMessage(reader(), env.TEXTS, "m3");
    expect(Object.keys(message ?? {}).toSorted()).toEqual(
      "channel content direction fromAgentId id occurredAt pairKey parentRunId rootRunId runId status taskId toAgentId truncated uid".split(
        " ",
      ),
    );
    expect(await getMessage(reader(), env.TEXTS, String(message?.id))).toEqual(message);
  });

  it("is null when nobody has it", async () => {
    expect(await getMessage(reader(), env.TEXTS, "nobody")).toBeNull();
    expect(await getMessage(reader(), env.TEXTS, "1")).toBeNull();
  });
});

describe("pairs", () => {
  it("are listed with their figures, the latest first", async () => {
    const result = await listPairs(reader(), {});
    expect(result).toEqual({
      ok: true,
      pairs: [
        {
          pairKey: "@human|writer",
          agentA: "@human",
          agentB: "writer",
          messages: 1,
          failed: 0,
          firstAt: at(3),
          lastAt: at(3),
          lastText: "y".repeat(200),
          channels: { ask: 0, task: 1, task_comment: 0, task_result: 0, mail: 0 },
        },
        {
          pairKey: "analyst|writer",
          agentA: "analyst",
          agentB: "writer",
          messages: 2,
          failed: 1,
          firstAt: at(1),
          lastAt: at(2),
          lastText: "x".repeat(200),
          channels: { ask: 2, task: 0, task_comment: 0, task_result: 0, mail: 0 },
        },
      ],
    });
  });

  it("are counted within a period, both ends included", async () => {
    const result = await listPairs(reader(), { since: at(1), until: at(1) });
    expect(result.ok && result.pairs.map((p) => [p.pairKey, p.messages, p.lastText])).toEqual([
      ["analyst|writer", 1, "first"],
    ]);
    expect(await listPairs(reader(), { since: "soon" })).toMatchObject({
      ok: false,
      problem: { code: "bad_time" },
    });
  });
});

describe("a run", () => {
  it("has its receipt with the cost in dollars", async () => {
    const receipt = await getReceipt(reader(), "root");
    expect(receipt).toMatchObject({ runId: "root", costUsd: 0.002, trigger: "chat", cachedInputTokens: 40 });
    expect(receipt).not.toHaveProperty("costMicros");
    expect((await getReceipt(reader(), "unpriced"))?.costUsd).toBeNull();
    expect(await getReceipt(reader(), "nobody")).toBeNull();
  });

  it("has its children by start and its tool calls in order", async () => {
    expect((await childrenOf(reader(), "root")).map((run) => run.runId)).toEqual(["child-a", "child-b"]);
    expect((await auditOf(reader(), "root")).map((entry) => entry.uid)).toEqual(["a0", "a1", "a2"]);
  });
});

describe("a chain", () => {
  it("has its runs, its messages with long texts cut, and their totals", async () => {
    const chain = await chainOf(reader(), "root");
    expect(chain.runs).toHaveLength(4);
    expect(chain.messages.map((m) => [m.uid, m.content.length, m.truncated])).toEqual([
      ["m1", 5, false],
      ["m2", 20_000, true],
    ]);
    expect(chain.totals).toEqual({
      runs: 4,
      depth: 3,
      inputTokens: 300,
      outputTokens: 80,
      costUsd: 0.0025,
      unpricedRuns: 1,
      durationMs: 9_000,
    });
  });

  it("has no cost when none of its runs has a price", async () => {
    expect((await chainOf(reader(), "unpriced")).totals).toMatchObject({ costUsd: null, unpricedRuns: 1 });
    expect((await chainOf(reader(), "nobody")).totals).toMatchObject({ runs: 0, depth: 0, costUsd: null });
  });

  it("counts every message, also where the list ends", async () => {
    const messages = Array.from({ length: 505 }, (_, n) => messageRow(`wide-${n}`, { rootRunId: "wide" }));
    await writeRecord(env.DB, env.TEXTS, messagesOnly(messages));
    const chain = await chainOf(reader(), "wide");
    expect([chain.messages.length, chain.messageCount]).toEqual([500, 505]);
    expect((await chainOf(reader(), "root")).messageCount).toBe(2);
  });

  it("counts every run in its totals, also where the list ends", async () => {
    const runs = Array.from({ length: 1_005 }, (_, n) =>
      receiptRow(`big-${n}`, { rootRunId: "big", costMicros: 1_000 }),
    );
    await writeRecord(env.DB, env.TEXTS, {
      messages: [],
      audit: [],
      notices: [],
      receipts: runs,
      ticks: [],
      approvals: [],
    });
    const chain = await chainOf(reader(), "big");
    expect(chain.runs).toHaveLength(1_000);
    expect(chain.totals).toMatchObject({
      runs: 1_005,
      costUsd: 1.005,
      inputTokens: 100_500,
      durationMs: 1_000,
    });
  });
});

describe("audit entries", () => {
  async function entries(filter: AuditFilter) {
    const result = await listAudit(reader(), filter);
    if (!result.ok) throw new Error(result.problem.code);
    return { uids: result.entries.map((entry) => entry.uid), older: result.older };
  }

  it("come newest first, page by page", async () => {
    const first = await entries({ agentId: "analyst", limit: 10 });
    expect(first.uids).toEqual(Array.from({ length: 10 }, (_, n) => `a${29 - 2 * n}`));
    const second = await entries({ agentId: "analyst", limit: 10, before: first.older });
    expect(second).toEqual({ uids: ["a9", "a7", "a5", "a3", "a1"], older: null });
  });

  const filters: [AuditFilter, string[]][] = [
    [{ outcome: "denied" }, ["a7"]],
    [{ tool: "ask_agent", until: at(9_000) }, ["a9", "a6", "a3", "a0"]],
    [{ since: at(27_000), until: at(28_000) }, ["a28", "a27"]],
    [{ q: "colleagues 100%" }, ["a7"]],
    [{ q: "A1.TXT" }, ["a1"]],
    [{ q: "\0" }, Array.from({ length: 30 }, (_, n) => `a${29 - n}`)],
    [{ q: `${"long ".repeat(2_000)}` }, []],
  ];

  it.each(filters)("are found by %j", async (filter, uids) => {
    expect(await entries(filter)).toEqual({ uids, older: null });
  });

  it("answer a faulty cursor or time with its code", async () => {
    expect(await listAudit(reader(), { before: "x" })).toMatchObject({
      ok: false,
      problem: { code: "bad_cursor" },
    });
    expect(await listAudit(reader(), { until: "x" })).toMatchObject({
      ok: false,
      problem: { code: "bad_time" },
    });
  });

  it("look at 10,000 entries for a rare one, and can go on from there", async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10999)
       INSERT INTO AuditLog (Uid, RunId, RootRunId, AgentId, Tool, Arguments, Outcome, OccurredAt)
       SELECT 'bulk' || i, 'r', 'r', 'bulk', 'FileRW', '{}', 'ok', ? FROM n`,
    )
      .bind(at(40_000))
      .run();
    const first = await entries({ q: "colleagues" });
    expect(first.uids).toEqual([]);
    expect(await entries({ q: "colleagues", before: first.older })).toEqual({ uids: ["a7"], older: null });
    const counting = reader();
    await listAudit(counting, { limit: 50 });
    expect(counting.rowsRead).toBeLessThanOrEqual(2 * 50 + 20);
  });
});

describe("notices", () => {
  it("come newest first", async () => {
    expect((await listNotices(reader())).map((notice) => notice.uid)).toEqual(["n2", "n1"]);
  });
});

describe("the reader", () => {
  it("counts the rows that all its statements read", async () => {
    const counting = reader();
    await getReceipt(counting, "root");
    const afterOne = counting.rowsRead;
    await getReceipt(counting, "root");
    expect(afterOne).toBeGreaterThan(0);
    expect(counting.rowsRead).toBe(2 * afterOne);
  });
});
