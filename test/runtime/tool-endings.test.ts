import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { JUNK_NAMES } from "../support/probe-tool.ts";
import { audit, chat, delivered, eventually, get, send } from "./support/api.ts";
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
