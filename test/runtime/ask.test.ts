import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { audit, chat, delivered, get, messages } from "./support/api.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

/** `a` asks that agent and reports what it heard. */
function asking(target: string, extra: Record<string, unknown> = {}) {
  return agent("a", {
    rules: [
      { when: { user: "Question from" }, say: "a answers" },
      { when: { step: 0 }, calls: [ask(target, "please?")] },
      { say: "heard: {{result}}" },
    ],
    ...extra,
  });
}

async function rowsOf(rootRunId: string) {
  const rows = (await messages()).filter((row) => row.rootRunId === rootRunId);
  return rows.map((row) => `${row.fromAgentId}>${row.toAgentId} ${row.direction} ${row.status}`);
}

describe("L6 a question that is refused", () => {
  it("L6 refuses A→B→A in one chain at once, and A's own ask is still answered", async () => {
    await team([
      asking("b"),
      agent("b", {
        rules: [{ when: { step: 0 }, calls: [ask("a", "and you?")] }, { say: "b was told: {{result}}" }],
      }),
    ]);
    const answer = await chat("a", "go");
    expect(answer.reply).toMatch(/^heard: b was told: Denied \(answering\): /);
    await delivered();
    expect(await rowsOf(answer.rootRunId)).toEqual([
      "a>b request delivered",
      "b>a request denied",
      "a>b response denied",
      "b>a response delivered",
    ]);
    expect((await audit("?agentId=b")).map((entry) => entry.outcome)).toEqual(["denied"]);
    expect(watch.requests.filter((item) => item.objectName === "a").length, "a was never run for b").toBe(2);
  });

  it.each([
    ["c", "answering"],
    ["nobody", "answering"],
    ["b", "answering"],
    ["No|Agent\u0007", "answering"],
  ])("L6 refuses an answering agent that asks %j", async (target) => {
    await team([
      asking("b"),
      agent("b", {
        rules: [{ when: { step: 0 }, calls: [ask(target, "hm?")] }, { say: "told: {{result}}" }],
      }),
      agent("c"),
    ]);
    const answer = await chat("a", "go");
    expect(answer.reply).toContain("told: Denied (answering)");
    await delivered();
    const rows = await rowsOf(answer.rootRunId);
    expect(rows.filter((row) => row.endsWith("denied")).length).toBe(2);
    expect(rows.length).toBe(4);
  });

  it.each([
    ["a", "self", "a"],
    ["nobody", "unknown_agent", "nobody"],
    ["c", "not_colleague", "c"],
    ["No|Agent\u0007 {x}", "malformed_id", "NoAgent {x}"],
    ["", "malformed_id", "unknown"],
    ["x".repeat(300), "malformed_id", "x".repeat(63)],
  ])("L6 refuses to ask %j with the code %s and puts both rows on record", async (target, code, recorded) => {
    await team([asking(target, { colleagues: ["b"] }), agent("b"), agent("c")]);
    const answer = await chat("a", "go");
    expect(answer).toMatchObject({ status: "completed" });
    expect(answer.reply).toContain(`Denied (${code})`);
    await delivered();
    expect(await rowsOf(answer.rootRunId)).toEqual([
      `a>${recorded} request denied`,
      `${recorded}>a response denied`,
    ]);
    const entries = (await audit("?agentId=a")).filter((entry) => entry.rootRunId === answer.rootRunId);
    expect(entries.map((entry) => entry.outcome)).toEqual(["denied"]);
  });

  it("does not offer ask_agent to an answering run, nor to an agent without it", async () => {
    await team([asking("b"), agent("b"), agent("plain", { tools: {} })]);
    await chat("a", "go");
    await chat("plain", "hello");
    const offers = (name: string) =>
      watch.requests
        .filter((item) => item.objectName === name)
        .map((item) => item.text.includes('"name":"ask_agent"'));
    expect(offers("b")).toEqual([false]);
    expect(offers("plain")).toEqual([false]);
    expect(offers("a")).toEqual([true, true]);
  });
});

describe("L6 a question that takes too long", () => {
  it("L6 ends at the deadline, and a late answer is delivered to nobody", async () => {
    await team([
      asking("slow", { limits: { askSeconds: 0.5 } }),
      agent("slow", { rules: [{ when: { user: "Question" }, say: "too late", delayMs: 5_000 }] }),
    ]);
    const answer = await chat("a", "go");
    expect(answer.reply).toMatch(/^heard: Timed out: /);
    await delivered();
    expect(await rowsOf(answer.rootRunId)).toEqual(["a>slow request delivered", "slow>a response timeout"]);
    const chain = chainShape.parse(await get(`/api/chains/${answer.rootRunId}`));
    expect(chain.runs.map((run) => [run.agentId, run.status])).toEqual([
      ["a", "completed"],
      ["slow", "timeout"],
    ]);
    expect(chain.totals, "what the cut-off attempt has cost is unknown, not 0").toMatchObject({
      unpricedRuns: 1,
    });
    expect(await chat("slow", "still there?")).toMatchObject({ status: "completed" });
  });

  it("L6 counts the colleague's queue into the time", async () => {
    await team([
      asking("busy", { limits: { askSeconds: 0.4 } }),
      agent("busy", { rules: [{ say: "done", delayMs: 1_500 }] }),
    ]);
    const long = chat("busy", "work");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await chat("a", "go")).reply).toMatch(/^heard: Timed out: /);
    expect(await long).toMatchObject({ status: "completed" });
  });

  it("L6 says failed, not timeout, when it was the colleague's model that failed", async () => {
    await team([
      asking("broken", { limits: { askSeconds: 1 } }),
      agent("broken", { rules: [{ fail: { code: "overloaded", message: "no capacity" } }] }),
    ]);
    const answer = await chat("a", "go");
    expect(answer.reply).toMatch(/^heard: Failed: .*overloaded.*/s);
    await delivered();
    expect((await rowsOf(answer.rootRunId)).at(-1)).toBe("broken>a response failed");
  });

  it("L6 gives an answering run five steps in all", async () => {
    const read = (step: number) => ({
      when: { step },
      calls: [{ name: "FileRW", arguments: { action: "read", path: `n${step}.txt` } }],
    });
    await team([asking("b"), agent("b", { rules: [0, 1, 2, 3, 4, 5, 6].map(read) })]);
    const answer = await chat("a", "go");
    expect(answer.reply).toContain("Failed: the colleague's run ended with status step_limit");
    expect(watch.requests.filter((item) => item.objectName === "b").length).toBe(5);
  });
});

describe("an answer", () => {
  it("that is empty starts nothing and is told as empty", async () => {
    await team([asking("b"), agent("b", { rules: [{ say: "" }] })]);
    const answer = await chat("a", "go");
    expect(answer.reply).toContain("answer is empty");
    await delivered();
    const chain = chainShape.parse(await get(`/api/chains/${answer.rootRunId}`));
    expect(chain.runs.length).toBe(2);
    expect((await rowsOf(answer.rootRunId)).at(-1)).toBe("b>a response delivered");
  });

  it("stays in the colleague's conversation as a turn of its own", async () => {
    await team([asking("b"), agent("b")]);
    await chat("a", "go");
    await chat("b", "hello");
    const last = watch.requests.filter((item) => item.objectName === "b").at(-1);
    expect(last?.text).toContain("please?");
  });

  it("comes from several colleagues of one step together", async () => {
    await team([
      agent("a", {
        rules: [
          { when: { step: 0 }, calls: [ask("b", "1"), ask("c", "2")] },
          { say: "{{call.0.0}} + {{call.0.1}}" },
        ],
      }),
      agent("b", { rules: [{ say: "one", delayMs: 50 }] }),
      agent("c", { rules: [{ say: "two" }] }),
    ]);
    expect((await chat("a", "go")).reply).toBe("one + two");
  });

  it("is not waited for when the colleague is paused or its queue is full", async () => {
    await team([asking("b"), agent("b", { paused: true })]);
    const answer = await chat("a", "go");
    expect(answer.reply).toContain("Failed (paused)");
    await delivered();
    expect(await rowsOf(answer.rootRunId)).toEqual(["a>b request failed", "b>a response failed"]);
  });
});

const chainShape = z.looseObject({
  runs: z.array(z.looseObject({ runId: z.string(), agentId: z.string(), status: z.string().nullable() })),
});
