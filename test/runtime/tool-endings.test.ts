import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { discoverFunctions } from "../../core/engine/discovered.ts";
import type { World } from "../../core/engine/world.ts";
import { type Odd, oddAnswer } from "../support/mcp-odd.ts";
import { JUNK_NAMES } from "../support/probe-tool.ts";
import { audit, chat, delivered, eventually, get, send } from "./support/api.ts";
import { decide, waitingCall } from "./support/approvals.ts";
import { type ProbeCall, probe, probing } from "./support/probe.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const SHORT = { limits: { toolSeconds: 0.2 } };
const outcomes = (calls: readonly { readonly outcome: string | null }[]) =>
  calls.map(({ outcome }) => outcome);

/** The gate is free only if a run gets through it, and a colleague's question too. */
async function expectFreeGate(agentId: string): Promise<void> {
  expect(await chat(agentId, "hello")).toMatchObject({
    status: "completed",
    reply: `${agentId} heard: hello`,
  });
  const asking = agent("asker", {
    rules: [{ when: { step: 0 }, calls: [ask(agentId, "are you there?")] }, { say: "{{result}}" }],
  });
  await send("PUT", "/api/agents/asker", asking);
  expect((await chat("asker", "go")).reply).toContain(`${agentId} heard:`);
  const shape = z.array(z.looseObject({ agentId: z.string(), state: z.string(), queued: z.number() }));
  const agents = shape.parse(await get("/api/agents"));
  expect(agents.find((entry) => entry.agentId === agentId)).toMatchObject({ state: "idle", queued: 0 });
}

async function auditOf(runId: string): Promise<string[]> {
  await delivered();
  const entries = (await audit()).filter((entry) => entry.runId === runId);
  return entries.map((entry) => entry.outcome);
}

describe("L1 a tool call that never ends", () => {
  it.each(["hang", "stop_event", "throw_in_listener"])(
    "L1 %s: times out, is audited so, and leaves the gate free",
    async (action) => {
      await team([]);
      const { answer, calls } = await probe("p", [{ action }], SHORT);
      expect(outcomes(calls)).toEqual(["timeout"]);
      expect(answer).toMatchObject({ status: "completed", reply: "done" });
      expect(await auditOf(answer.runId)).toEqual(["timeout"]);
      await expectFreeGate("p");
    },
  );

  it.each(["hang", "stop_event", "throw_in_listener"])(
    "L1 %s: ends with its run when that is cancelled, and what waits behind it starts",
    async (action) => {
      await team([probing("q", [{ action }])]);
      const started = await send("POST", "/api/agents/q/runs", { message: "probe", wait: false });
      const { runId } = z.object({ runId: z.string() }).parse(await started.json());
      await eventually(async () => (await openCalls(runId)) === 1);
      const behind = chat("q", "next");
      expect((await send("POST", `/api/runs/${runId}/cancel`)).status).toBe(200);
      expect(await behind).toMatchObject({ status: "completed", reply: "q heard: next" });
      expect(await get(`/api/runs/${runId}`)).toMatchObject({ receipt: { status: "cancelled" } });
      expect(await auditOf(runId)).toEqual(["interrupted"]);
      await expectFreeGate("q");
    },
  );

  it("L1 ends with its run when the run's time is up", async () => {
    await team([]);
    const { answer, calls } = await probe("r", [{ action: "hang" }], { limits: { runSeconds: 0.3 } });
    expect(answer).toMatchObject({ status: "timeout", receipt: { reason: "run_time" } });
    expect(outcomes(calls)).toEqual(["interrupted"]);
    await expectFreeGate("r");
  });
});

async function openCalls(runId: string): Promise<number> {
  const shape = z.object({
    run: z.object({ steps: z.array(z.object({ calls: z.array(z.object({ outcome: z.null() })) })) }),
  });
  const { run } = shape.parse(await get(`/api/runs/${runId}`));
  return run.steps.flatMap((step) => step.calls).length;
}

describe("a tool call that goes wrong", () => {
  const kinds = ["an error", "nothing", "bare", "ring"];
  const wrong: [string, ProbeCall][] = [
    ...kinds.map((value): [string, ProbeCall] => [`throws (${value})`, { action: "throw", value }]),
    ...JUNK_NAMES.map((value): [string, ProbeCall] => [`gives junk (${value})`, { action: "junk", value }]),
    ["fails at checking its arguments", { action: "refine" }],
  ];

  it.each(wrong)("that %s is a failure that the model reads, and the run goes on", async (_name, call) => {
    await team([]);
    const { answer, calls } = await probe("w", [call]);
    expect(outcomes(calls)).toEqual(["failed"]);
    expect(calls[0]?.result).toMatch(/^Failed: ./);
    expect(answer).toMatchObject({ status: "completed", reply: "done", receipt: { error: null } });
    expect(await auditOf(answer.runId)).toEqual(["failed"]);
    await expectFreeGate("w");
  });
});

describe("L2 calls that run in parallel", () => {
  it("L2 get one result each, in their order, when one throws, one hangs and one works", async () => {
    await team([]);
    const { answer, calls } = await probe(
      "together",
      [
        { action: "throw", value: "broken" },
        { action: "hang" },
        { action: "work", value: "well" },
        { action: "junk" },
      ],
      SHORT,
    );
    expect(calls.map(({ outcome, result }) => `${outcome}: ${result?.slice(0, 14)}`)).toEqual([
      "failed: Failed: broken",
      "timeout: Timed out: the",
      "ok: worked: well",
      "failed: Failed: The to",
    ]);
    expect(answer.status).toBe("completed");
    expect(resultsSentToModel()).toEqual(["call_0_0", "call_0_1", "call_0_2", "call_0_3"]);
    expect((await auditOf(answer.runId)).toSorted()).toEqual(["failed", "failed", "ok", "timeout"]);
    await expectFreeGate("together");
  });
});

/** The call ids of the results in the run's last request, in order. */
function resultsSentToModel(): string[] {
  const request = watch.requests.filter(({ objectName }) => objectName === "together").at(-1);
  const shape = z.object({
    messages: z.array(z.looseObject({ role: z.string(), callId: z.string().optional() })),
  });
  const { messages } = shape.parse(JSON.parse(request?.text ?? "{}"));
  return messages.filter(({ role }) => role === "tool").map(({ callId }) => callId ?? "none");
}

/** Lets what the agent sends out be answered by the test. */
function answering(agentId: string, odd: Odd): void {
  const world = watch.worlds.get(agentId);
  if (world === undefined) throw new Error(`${agentId} is not up`);
  const fetch: World["fetch"] = (input, init) => oddAnswer(odd, new Request(input, init));
  Object.assign(world, { fetch });
}

/** An agent with one tool of a remote server, which it calls when it is told to go. */
function caller(agentId: string, spec: Readonly<Record<string, unknown>> = {}) {
  const { tools = ["odd"], approve = [], args = {}, ...rest } = spec;
  const servers = [{ name: "odd", url: "https://odd.test/mcp", tools }];
  const rules = [
    { when: { user: "/^go/", step: 0 }, calls: [{ name: "Mcp_odd_odd", arguments: args }] },
    { when: { user: "/^go/" }, say: "{{result}}" },
  ];
  return agent(agentId, { rules, tools: { Mcp: { servers, approve } }, ...rest });
}

const never = new Promise<Response>(() => undefined);

describe("a tool of a remote server", () => {
  it("L2 that does not answer is timed out by the engine: the model and the audit learn that it may have acted", async () => {
    await team([caller("slow", SHORT)]);
    answering("slow", { answer: ({ method }) => (method === "tools/call" ? never : undefined) });
    const answer = await chat("slow", "go");
    expect(answer.reply).toContain("It may have taken effect.");
    expect(await auditOf(answer.runId)).toEqual(["timeout"]);
  });

  it("is called with what a person has allowed, also when its parameters were found out meanwhile", async () => {
    const spec = { args: { arguments: { product: "tea" } }, approve: ["Mcp_odd_odd"] };
    await team([caller("found", spec)]);
    answering("found", { answer: () => new Response(null, { status: 500 }) });
    await chat("found", "go");
    const { approvalId } = await waitingCall("found");
    // Another list of tools is another list to ask for.
    await send("PUT", "/api/agents/found", caller("found", { ...spec, tools: ["odd", "even"] }));
    const sent: unknown[] = [];
    const properties = { product: { type: "string" } };
    answering("found", {
      schema: { type: "object", properties },
      answer: ({ method, params }) => {
        if (method === "tools/call") sent.push(params?.arguments);
        return undefined;
      },
    });
    expect(await chat("found", "hello")).toMatchObject({ status: "completed" });
    const shown = watch.requests.filter(({ objectName }) => objectName === "found").at(-1);
    expect(shown?.text).toContain('"product"');
    await decide(approvalId, "approve");
    await eventually(async () => sent.length > 0);
    expect(sent).toEqual([{ product: "tea" }]);
  });
});

describe("L1 a look at what servers have to offer", () => {
  it("L1 that takes long holds no answer up, neither by the gate nor by a look of its own", async () => {
    const asking = agent("curious", {
      rules: [{ when: { step: 0 }, calls: [ask("patient", "are you there?")] }, { say: "{{result}}" }],
    });
    await team([caller("patient"), asking]);
    let looks = 0;
    let release = (_: Response) => {};
    const held = new Promise<Response>((resolve) => {
      release = resolve;
    });
    answering("patient", {
      answer: () => {
        looks += 1;
        return held;
      },
    });
    const looking = chat("patient", "hello");
    await eventually(async () => looks > 0);
    expect((await chat("curious", "go")).reply).toContain("patient heard:");
    expect(looks).toBe(1);
    release(new Response(null, { status: 500 }));
    expect(await looking).toMatchObject({ status: "completed", reply: "patient heard: hello" });
  });

  it("L1 goes on beside the run where something is known from before, and is not begun twice", async () => {
    await team([caller("used")]);
    answering("used", {});
    await chat("used", "hello");
    await send("PUT", "/api/agents/used", caller("used", { tools: ["odd", "even"] }));
    let looks = 0;
    answering("used", {
      answer: () => {
        looks += 1;
        return never;
      },
    });
    const world = watch.worlds.get("used");
    const documents = world?.documents() ?? null;
    if (world === undefined || documents === null) throw new Error("not up");
    await runInDurableObject(env.AGENTS.get(env.AGENTS.idFromName("used")), async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      try {
        const look = () =>
          discoverFunctions({ world, documents, runId: "r", signal: new AbortController().signal });
        const both = Promise.all([look(), look()]);
        await vi.advanceTimersByTimeAsync(3_000);
        await both;
        await vi.advanceTimersByTimeAsync(17_000);
      } finally {
        vi.useRealTimers();
      }
    });
    expect(looks).toBe(1);
  });
});
