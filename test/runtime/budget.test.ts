import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { agentsShape, audit, chat, delivered, eventually, get, messages, send } from "./support/api.ts";
import { chainOf, notices, noticesOf, receiptsOf } from "./support/chains.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

const LIST = { name: "FileRW", arguments: { action: "list", path: "" } };
const twoSteps = agent("a", { rules: [{ when: { step: 0 }, calls: [LIST] }, { say: "done" }] });
const asker = (...colleagues: string[]) =>
  agent("a", {
    rules: [
      { when: { step: 0 }, calls: colleagues.map((id) => ask(id, "well?")) },
      { say: "heard: {{results}}" },
    ],
  });
/** Its model answers only once the test lets it, so that questions queue up at its gate. */
const held = (agentId: string, key: string) =>
  agent(agentId, {
    model: {
      provider: "openai",
      name: `held/${key}`,
      baseUrl: inject("modelServer"),
      price: { inputPerMTok: 1, outputPerMTok: 2 },
    },
  });
const letGo = (key: string) => fetch(`${inject("modelServer")}/release/${key}`);

/** Resolves once so many runs wait at that agent's gate. */
const queuedAt = (agentId: string, queued: number) =>
  eventually(async () => {
    const agents = agentsShape.parse(await get("/api/agents"));
    return agents.some((entry) => entry.agentId === agentId && entry.queued === queued);
  });

beforeEach(resetWatch);

describe("L10: a chain over its budget", () => {
  it.each([
    ["tokens", { tokens: 1 }],
    ["cost", { costUsd: 0.000001 }],
  ])(
    "L10: of %s stops before its next model call and is frozen, and a person is told",
    async (code, limits) => {
      await team([twoSteps], { perChain: limits });
      const answer = await chat("a", "go");
      expect(answer).toMatchObject({ status: "budget", receipt: { reason: code, steps: 1, toolCalls: 1 } });
      expect(watch.requests).toHaveLength(1);
      await delivered();
      expect(await chainOf(answer.rootRunId)).toMatchObject({ frozen: true });
      expect(await noticesOf(answer.rootRunId)).toMatchObject([{ kind: "chain_frozen" }]);
    },
  );

  it("L10: makes no call for a question either, when the asking run is what put it over", async () => {
    await team([asker("b"), agent("b")], { perChain: { tokens: 1 } });
    const { rootRunId, status } = await chat("a", "go");
    expect(status).toBe("budget");
    expect(watch.requests.map(({ objectName }) => objectName)).toEqual(["a"]);
    await delivered();
    expect(await receiptsOf(rootRunId)).toMatchObject([
      { AgentId: "a", Status: "budget", Reason: "frozen" },
      { AgentId: "b", Status: "budget", Reason: "tokens", Steps: 0 },
    ]);
    expect(await noticesOf(rootRunId)).toHaveLength(1);
  });

  it.each([
    ["runs", { runs: 1 }],
    ["depth", { depth: 1 }],
  ])("L10: of %s, since lowered, stops before its next model call", async (code, limits) => {
    const agents = [asker("b"), held("b", `lowered-${code}`)];
    await team(agents);
    const busy = chat("b", "work");
    await eventually(async () => watch.requests.length === 1);
    const asking = chat("a", "go");
    await queuedAt("b", 1);
    await team(agents, { perChain: limits });
    await letGo(`lowered-${code}`);
    expect(await busy).toMatchObject({ status: "completed" });
    const { rootRunId, status } = await asking;
    expect(status).toBe("budget");
    expect(watch.requests.map(({ objectName }) => objectName)).toEqual(["b", "a"]);
    await delivered();
    expect(await receiptsOf(rootRunId)).toMatchObject([
      { AgentId: "a", Status: "budget", Reason: "frozen" },
      { AgentId: "b", Status: "budget", Reason: code, Steps: 0 },
    ]);
    const rows = (await messages("?a=a&b=b")).filter((row) => row.rootRunId === rootRunId);
    expect(rows.map((row) => row.status)).toEqual(["delivered", "failed"]);
  });
});

describe("L10: a frozen chain", () => {
  /** `a` waits for two busy colleagues; the chain goes over its tokens when the first of them is free. */
  async function frozenChain(name: string) {
    const agents = [asker("b", "c"), held("b", `${name}-b`), held("c", `${name}-c`)];
    await team(agents);
    const busy = [chat("b", "work"), chat("c", "work")];
    await eventually(async () => watch.requests.length === 2);
    const [last] = await messages("?a=a&b=b&limit=1");
    const asking = chat("a", "go");
    await Promise.all([queuedAt("b", 1), queuedAt("c", 1)]);
    await team(agents, { perChain: { tokens: 1 } });
    await letGo(`${name}-b`);
    await busy[0];
    const newest = () => messages("?a=a&b=b&limit=1");
    await eventually(async () => (await newest())[0]?.uid !== last?.uid);
    const rootRunId = (await newest())[0]?.rootRunId ?? "";
    await eventually(async () => (await noticesOf(rootRunId)).length > 0);
    await team(agents);
    const finish = async () => {
      await letGo(`${name}-c`);
      await Promise.all(busy);
      const answer = await asking;
      await delivered();
      return answer;
    };
    return { rootRunId, finish };
  }

  it("L10: stays frozen though its limits were raised, and a person is told once", async () => {
    const { rootRunId, finish } = await frozenChain("stays");
    expect(await finish()).toMatchObject({ rootRunId, status: "budget", receipt: { reason: "frozen" } });
    expect(await chainOf(rootRunId)).toMatchObject({ frozen: true });
    expect(await receiptsOf(rootRunId)).toMatchObject([
      { AgentId: "a", Reason: "frozen", Steps: 1 },
      { AgentId: "b", Reason: "tokens", Steps: 0 },
      { AgentId: "c", Reason: "frozen", Steps: 0 },
    ]);
    expect(await noticesOf(rootRunId)).toHaveLength(1);
  });

  it("L10: goes on once a person has released it", async () => {
    const { rootRunId, finish } = await frozenChain("released");
    expect(await chainOf(rootRunId)).toMatchObject({ frozen: true });
    expect((await send("POST", `/api/chains/${rootRunId}/release`)).status).toBe(200);
    expect(await chainOf(rootRunId)).toMatchObject({ frozen: false });
    const answer = await finish();
    expect(answer).toMatchObject({ rootRunId, status: "completed" });
    expect(answer.reply).toContain("All is well.");
    expect(await chainOf(rootRunId)).toMatchObject({ frozen: false, totals: { runs: 3 } });
    expect(await noticesOf(rootRunId)).toHaveLength(1);
  });
});

describe("L10: an ask that does not fit into the chain", () => {
  it.each([
    ["depth", { depth: 1 }],
    ["runs", { runs: 1 }],
  ])("L10: is refused for %s, on record as denied, and the asker goes on", async (code, limits) => {
    await team([asker("b"), agent("b")], { perChain: limits });
    const { reply, rootRunId, status } = await chat("a", "go");
    expect([status, reply]).toEqual(["completed", expect.stringContaining(`Denied (${code})`)]);
    await delivered();
    const rows = (await messages("?a=a&b=b")).filter((row) => row.rootRunId === rootRunId);
    expect(rows.map((row) => [row.direction, row.status])).toEqual([
      ["request", "denied"],
      ["response", "denied"],
    ]);
    const entries = (await audit("?agentId=a")).filter((entry) => entry.rootRunId === rootRunId);
    expect(entries).toMatchObject([{ tool: "ask_agent", outcome: "denied" }]);
    expect(await chainOf(rootRunId)).toMatchObject({ frozen: false, totals: { runs: 1, depth: 1 } });
    expect(watch.requests.map(({ objectName }) => objectName)).toEqual(["a", "a"]);
  });

  it("L10: takes no place of one that does", async () => {
    await team([asker("b", "c", "d"), agent("b"), agent("c"), agent("d")], { perChain: { runs: 3 } });
    const { reply, rootRunId } = await chat("a", "go");
    expect([...reply.matchAll(/heard: well|heard: Question/g)]).toHaveLength(2);
    expect([...reply.matchAll(/Denied \(runs\)/g)]).toHaveLength(1);
    expect(await chainOf(rootRunId)).toMatchObject({ frozen: false });
  });
});

describe("L10: a chain whose object was restarted", () => {
  const member = (runId: string, depth: number) =>
    ({ runId, agentId: "b", parentRunId: null, depth, trigger: "ask" }) as const;
  const limits = { runs: 2, depth: 2, tokens: 100, costUsd: 1 };
  const nothing = { runId: "a.0000000000", tokens: 0, costMicros: 0 };

  it("L10: knows whom it has admitted, and still counts them", async () => {
    const id = env.CHAINS.idFromName(nothing.runId);
    expect(await env.CHAINS.get(id).permit(member(nothing.runId, 1), nothing, limits)).toEqual({ ok: true });
    expect(await env.CHAINS.get(id).admit(member("b.0000000001", 2), limits, nothing)).toEqual({ ok: true });
    await restart(id);
    expect(await env.CHAINS.get(id).admit(member("b.0000000001", 2), limits, nothing)).toEqual({ ok: true });
    const third = await env.CHAINS.get(id).admit(member("b.0000000002", 2), limits, nothing);
    expect(third).toMatchObject({ ok: false, code: "runs" });
  });

  it("L10: counts what an answer cost, once, as soon as its asker tells it", async () => {
    const chain = env.CHAINS.get(env.CHAINS.idFromName("a.0000000009"));
    const asker = member("a.0000000009", 1);
    const answer = { runId: "b.0000000009", tokens: 60, costMicros: 0 };
    await chain.admit(member(answer.runId, 2), limits, { ...nothing, member: asker });
    const told = (tokens: number) =>
      chain.permit(asker, { tokens, costMicros: 0, answers: [answer] }, limits);
    expect(await told(39)).toEqual({ ok: true });
    expect(await told(39)).toEqual({ ok: true });
    expect(await told(40)).toMatchObject({ ok: false, code: "tokens" });
  });

  async function restart(id: DurableObjectId): Promise<void> {
    const stub = env.CHAINS.get(id);
    await runInDurableObject(stub, (_, state) => state.abort("restarted by the test")).catch(() => undefined);
  }
});

describe("L10: what a chain cost", () => {
  it("L10: is the sum of its receipts in D1", async () => {
    await team([asker("b", "c"), agent("b"), agent("c")]);
    const { rootRunId } = await chat("a", "go");
    await delivered();
    const receipts = await receiptsOf(rootRunId);
    const micros = receipts.reduce((sum, receipt) => sum + Number(receipt.CostMicros), 0);
    expect(receipts.map((receipt) => Number(receipt.CostMicros) > 0)).toEqual([true, true, true]);
    expect(await chainOf(rootRunId)).toMatchObject({
      totals: { runs: 3, costUsd: micros / 1e6, unpricedRuns: 0 },
    });
  });

  it.each([
    ["the price", { model: { provider: "scripted" } }],
    ["the usage", { rules: [{ say: "free?", usage: null }] }],
  ])("L10: is unknown, not 0, where %s is", async (_what, spec) => {
    await team([asker("b"), agent("b", spec)]);
    const alone = await chat("b", "hello");
    expect(alone.receipt.costUsd).toBeNull();
    const { rootRunId } = await chat("a", "go");
    await delivered();
    expect(await receiptsOf(alone.rootRunId)).toMatchObject([{ CostMicros: null }]);
    expect(await chainOf(alone.rootRunId)).toMatchObject({ totals: { costUsd: null, unpricedRuns: 1 } });
    const [own, asked] = await receiptsOf(rootRunId);
    expect(asked).toMatchObject({ AgentId: "b", CostMicros: null });
    expect(await chainOf(rootRunId)).toMatchObject({
      totals: { costUsd: Number(own?.CostMicros) / 1e6, unpricedRuns: 1 },
    });
  });
});

// Last, because the instance spends more on this day than its default ceiling.
describe("L10: the day's ceiling", () => {
  it("L10: stops every chain, freezes none, and a person is told once", async () => {
    const dear = { provider: "scripted", price: { inputPerMTok: 1_000_000, outputPerMTok: 1_000_000 } };
    const agents = [agent("a", { model: dear }), agent("b", { model: dear })];
    await team(agents, { perDay: { costUsd: 1 }, perChain: { costUsd: 1_000 } });
    expect(await chat("a", "a message of some length")).toMatchObject({ status: "completed" });
    await delivered();
    resetWatch();
    for (const agentId of ["a", "b"]) {
      const answer = await chat(agentId, "one more");
      expect(answer).toMatchObject({ status: "budget", receipt: { reason: "day", steps: 0, costUsd: 0 } });
      expect(await chainOf(answer.rootRunId)).toMatchObject({ frozen: false });
    }
    expect(watch.requests).toEqual([]);
    await delivered();
    expect((await notices()).filter(({ kind }) => kind === "day_budget")).toHaveLength(1);
    await team(agents, { perDay: { costUsd: 1_000_000 }, perChain: { costUsd: 1_000 } });
    expect(await chat("a", "now?")).toMatchObject({ status: "completed" });
  });
});
