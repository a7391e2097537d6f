import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { answerOf, chat, delivered, eventually, get, messages, send } from "./support/api.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const chainShape = z.looseObject({
  frozen: z.boolean(),
  runs: z.array(
    z.looseObject({
      runId: z.string(),
      agentId: z.string(),
      status: z.string().nullable(),
      parentRunId: z.string().nullable(),
    }),
  ),
  messages: z.array(z.looseObject({ status: z.string() })),
  totals: z.object({
    runs: z.number(),
    depth: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    costUsd: z.number().nullable(),
    unpricedRuns: z.number(),
    durationMs: z.number(),
  }),
});

const chainOf = async (rootRunId: string) => chainShape.parse(await get(`/api/chains/${rootRunId}`));

function teamWithSlowColleague() {
  return team([
    agent("a", {
      rules: [{ when: { step: 0 }, calls: [ask("b", "long question")] }, { say: "heard: {{result}}" }],
    }),
    agent("b", { rules: [{ say: "never", delayMs: 30_000 }] }),
  ]);
}

/** Starts an isolated run and waits until its colleague is at work. */
async function startAsking(): Promise<string> {
  const response = await send("POST", "/api/agents/a/runs", { message: "go", wait: false });
  expect(response.status).toBe(202);
  const { runId } = z.object({ runId: z.string(), rootRunId: z.string() }).parse(await response.json());
  await eventually(async () => watch.trace.includes("b in"));
  return runId;
}

describe("a chain", () => {
  it("forgets a run that was admitted and never taken by its agent", async () => {
    await teamWithSlowColleague();
    watch.asksLost = true;
    const response = await send("POST", "/api/agents/a/runs", { message: "go", wait: false });
    const { runId } = z.object({ runId: z.string() }).parse(await response.json());
    await eventually(async () => (await chainOf(runId)).runs.length === 2);
    expect((await send("POST", `/api/runs/${runId}/cancel`)).status).toBe(200);
    await eventually(async () => (await chainOf(runId)).runs[0]?.status === "cancelled");
    await delivered();
    expect((await chainOf(runId)).runs.map((run) => run.agentId)).toEqual(["a"]);
  });

  it("shows its runs, its messages and its totals, also while it is under way", async () => {
    await teamWithSlowColleague();
    const runId = await startAsking();
    const under = await chainOf(runId);
    expect(under.runs.map((run) => [run.agentId, run.status])).toEqual([
      ["a", null],
      ["b", null],
    ]);
    expect(under.totals).toMatchObject({ runs: 2, depth: 2 });
    await send("POST", `/api/chains/${runId}/cancel`);
    await delivered();
    const over = await chainOf(runId);
    expect(over.runs.map((run) => run.status)).toEqual(["cancelled", "cancelled"]);
    expect(over.messages.map((message) => message.status)).toEqual(["delivered", "failed"]);
  });

  it("is stopped with every member by one cancel, and each gets its one receipt", async () => {
    await teamWithSlowColleague();
    const runId = await startAsking();
    const other = await send("POST", "/api/agents/b/runs", { message: "unrelated", wait: false });
    const unrelated = z.looseObject({ runId: z.string() }).parse(await other.json());
    expect((await send("POST", `/api/chains/${runId}/cancel`)).status).toBe(200);
    await eventually(async () => (await chainOf(runId)).runs.every((run) => run.status === "cancelled"));
    const { children } = z
      .looseObject({ children: z.array(z.looseObject({ receipt: z.looseObject({ status: z.string() }) })) })
      .parse(await get(`/api/runs/${runId}`));
    expect(children.map((child) => child.receipt.status)).toEqual(["cancelled"]);
    const statuses = z
      .array(z.looseObject({ agentId: z.string(), state: z.string() }))
      .parse(await get("/api/agents"));
    expect(statuses.find((entry) => entry.agentId === "b")?.state, "the unrelated run goes on").toBe(
      "running",
    );
    await send("POST", `/api/runs/${unrelated.runId}/cancel`);
    await delivered();
  });

  it("ends what a cancelled run has asked, also when the power goes as it says so", async () => {
    await teamWithSlowColleague();
    const runId = await startAsking();
    watch.moments = 0;
    watch.cut = { objectName: "a", at: 1 };
    await send("POST", `/api/runs/${runId}/cancel`);
    await eventually(async () => watch.cuts === 1);
    await eventually(async () => {
      const { runs } = await chainOf(runId);
      return runs.length === 2 && runs.every((run) => run.status === "cancelled");
    });
    await delivered();
  });

  it("is shown as cancelled by a person, with all of its runs, also when it was over", async () => {
    await team([
      agent("a", { rules: [{ when: { step: 0 }, calls: [ask("b", "well?")] }, { say: "ok" }] }),
      agent("b"),
    ]);
    const { rootRunId } = await chat("a", "go");
    expect((await send("POST", `/api/chains/${rootRunId}/cancel`)).status).toBe(200);
    await eventually(async () => (await chainOf(rootRunId)).runs.length === 2);
    expect(await chainOf(rootRunId)).toMatchObject({ cancelled: true });
    await delivered();
  });

  it("that hears no end of a run it has cancelled gives up in time, and a person is told", async () => {
    await team([agent("mute")]);
    const { runId } = await chat("mute", "hello");
    const other = "mute.00000silent0000000000";
    const chain = env.CHAINS.get(env.CHAINS.idFromName(other));
    const limits = { runs: 10, depth: 3, tokens: 1_000, costUsd: 1 };
    // Its run is over, and its end was told to another chain.
    const member = { runId, agentId: "mute", parentRunId: null, depth: 1, trigger: "chat" } as const;
    await chain.admit(member, limits, null);
    await chain.cancel();
    let rung = 0;
    while (await runDurableObjectAlarm(chain)) rung += 1;
    expect(rung).toBe(30);
    const notices = z.array(z.looseObject({ uid: z.string() })).parse(await get("/api/notices"));
    expect(notices.filter(({ uid }) => uid === `chain_silent:${other}`)).toMatchObject([
      { kind: "chain_silent", rootRunId: other, text: expect.stringContaining(runId) },
    ]);
    await chain.cancel();
    expect(await runDurableObjectAlarm(chain)).toBe(true);
  });

  it("is unknown when nobody started it", async () => {
    expect((await send("GET", "/api/chains/nothing.at0all0000000")).status).toBe(404);
    expect((await send("POST", "/api/chains/nothing.at0all0000000/cancel")).status).toBe(404);
  });

  it("costs what its receipts cost", async () => {
    await team([
      agent("a", { rules: [{ when: { step: 0 }, calls: [ask("b", "1"), ask("c", "2")] }, { say: "done" }] }),
      agent("b"),
      agent("c"),
    ]);
    const answer = await chat("a", "go");
    await delivered();
    const { runs, totals } = await chainOf(answer.rootRunId);
    const costs = runs.map((run) => z.number().parse(run.costUsd));
    expect(costs.length).toBe(3);
    expect(totals.costUsd).toBeCloseTo(
      costs.reduce((sum, cost) => sum + cost, 0),
      9,
    );
    expect(totals.unpricedRuns).toBe(0);
  });
});

describe("an accepted run", () => {
  it("is visible at once, with its receipt null until it has ended", async () => {
    await team([agent("slow", { rules: [{ say: "done", delayMs: 300 }] })]);
    const accepted = await send("POST", "/api/agents/slow/runs", { message: "go", wait: false });
    const { runId } = z.looseObject({ runId: z.string() }).parse(await accepted.json());
    expect(await get(`/api/runs/${runId}`)).toMatchObject({ run: { runId, agentId: "slow" }, receipt: null });
    await delivered();
    expect(await get(`/api/runs/${runId}`)).toMatchObject({ receipt: { status: "completed" } });
  });

  it("can be waited for, isolated from the conversation", async () => {
    await team([agent("w")]);
    const answer = await answerOf(await send("POST", "/api/agents/w/runs", { message: "hello" }));
    expect(answer).toMatchObject({ status: "completed", receipt: { trigger: "run" } });
    expect(await messages()).toBeInstanceOf(Array);
  });
});
