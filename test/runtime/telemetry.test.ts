/** Runs as OpenTelemetry spans, as a tracing backend receives them over HTTP. */

import { beforeEach, describe, expect, inject, it } from "vitest";
import { putUntold, untoldRuns } from "../../core/telemetry/queue.ts";
import { workersSpan } from "../../durable-objects/telemetry-port.ts";
import type { ReceivedSpan } from "../support/otlp-shape.ts";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { type Answer, chat, delivered, eventually, get } from "./support/api.ts";
import { inObject } from "./support/clocked-exporter.ts";
import { named, only, received, spans, spansOfRuns } from "./support/received-spans.ts";
import { finishes, gives } from "./support/tasks.ts";
import { agent, ask, team } from "./support/team.ts";
import { watch } from "./support/watched-world.ts";

const server = inject("modelServer");

function telemetry(key: string, rest: Record<string, unknown> = {}) {
  return { telemetry: { endpoint: `${server}/collector/${key}`, ...rest } };
}

const asking = agent("asker", {
  rules: [
    { when: { user: "go", step: 0 }, calls: [ask("helper", "What is it?")] },
    {
      when: { user: "go", step: 1 },
      calls: [{ name: "FileRW", arguments: { action: "write", path: "a.txt", content: "x" } }],
    },
    { when: { user: "go" }, say: "It is done." },
  ],
});

describe("a chain of two agents", () => {
  let answer: Answer;
  let all: ReceivedSpan[];
  beforeEach(async () => {
    await team([asking, agent("helper")], telemetry("chain"));
    answer ??= await chat("asker", "go");
    all = await spansOfRuns("chain", 2);
  });

  it("is one trace, in which every parent exists and only the first run has none", () => {
    expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1);
    const ids = new Set(all.map(({ spanId }) => spanId));
    expect(ids.size).toBe(all.length);
    const orphans = all.filter(({ parentSpanId }) => parentSpanId === null || !ids.has(parentSpanId));
    expect(orphans.map(({ name }) => name)).toEqual(["invoke_agent asker"]);
  });

  it("hangs the answering run below the call that asked", () => {
    const call = only(all, "execute_tool ask_agent");
    expect(only(all, "invoke_agent helper").parentSpanId).toBe(call.spanId);
    expect(call.parentSpanId).toBe(only(all, "invoke_agent asker").spanId);
  });

  it("has the names of the conventions, with usage, finish reasons and cost", () => {
    expect(only(all, "invoke_agent asker").attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.id": "asker",
      "gen_ai.agent.name": "ASKER",
      "gen_ai.conversation.id": "asker/1",
      "gen_ai.request.model": "scripted",
      "parley.run_id": answer.runId,
      "parley.root_run_id": answer.rootRunId,
      "parley.trigger": "chat",
      "parley.status": "completed",
      "parley.run_cost_micros": expect.any(Number),
    });
    expect(only(all, "invoke_agent helper").attributes).toMatchObject({
      "parley.trigger": "ask",
      "parley.parent_run_id": answer.runId,
    });
    const chats = all.filter(({ name }) => name === "chat scripted");
    expect(chats.map(({ attributes }) => attributes["gen_ai.response.finish_reasons"]).sort()).toEqual([
      ["stop"],
      ["stop"],
      ["tool_calls"],
      ["tool_calls"],
    ]);
    for (const { attributes } of chats)
      expect(attributes).toMatchObject({
        "gen_ai.operation.name": "chat",
        "gen_ai.usage.input_tokens": expect.any(Number),
        "gen_ai.usage.output_tokens": expect.any(Number),
        "parley.cost_micros": expect.any(Number),
      });
    expect(only(all, "execute_tool FileRW").attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "FileRW",
      "gen_ai.tool.call.id": expect.any(String),
      "parley.outcome": "ok",
    });
  });

  it("shows nothing of what was said, called and answered unless that is asked for", async () => {
    const text = JSON.stringify(await received("chain"));
    for (const said of ["What is it?", "It is done.", "helper heard", '\\"action\\"'])
      expect(text).not.toContain(said);
  });

  it("sent again is the same spans", async () => {
    const { runId } = answer;
    await tellAgain("asker", runId);
    const again = (await spans("chain")).slice(all.length);
    expect(again).toEqual(all.filter((span) => isOf(span, "asker")));
    expect(again.length).toBeGreaterThan(4);
  });
});

function isOf({ attributes }: ReceivedSpan, agentId: string): boolean {
  return attributes["gen_ai.agent.id"] === agentId;
}

function tellAgain(objectName: string, runId: string): Promise<void> {
  return inObject(objectName, ({ exporter, world }) => {
    world.db.transaction(() => putUntold(world.db, runId, world.now()));
    return exporter.kick();
  });
}

describe("the runtime's own tracing", () => {
  it("gets a run, its model calls and its tool calls under the same names", async () => {
    await team([asking, agent("helper")]);
    watch.spans = [];
    const { runId } = await chat("asker", "go");
    expect(watch.spans.map(({ name }) => name)).toEqual([
      "chat scripted",
      "chat scripted",
      "invoke_agent helper",
      "execute_tool ask_agent",
      "chat scripted",
      "execute_tool FileRW",
      "chat scripted",
      "invoke_agent asker",
    ]);
    const [run] = watch.spans.slice(-1);
    expect(run?.attributes).toMatchObject({ "parley.run_id": runId, "parley.status": "completed" });
    for (const { attributes } of watch.spans)
      for (const value of Object.values(attributes)) expect(typeof (value ?? "")).not.toBe("object");
  });

  it("changes nothing of what the work gives back or throws", async () => {
    const span = { name: "x", attributes: { "parley.step": 1, "parley.reason": null } };
    expect(await workersSpan(span, async () => 7)).toBe(7);
    await expect(() => workersSpan(span, async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  });
});

it("a task's run hangs below the run that created it", async () => {
  await team(
    [
      agent("creator", {
        rules: [...gives({ assignee: "worker" }), { say: "Noted." }],
        tools: { Taskboard: {} },
      }),
      agent("worker", { rules: finishes("Three."), tools: { Taskboard: {} } }),
    ],
    telemetry("task"),
  );
  await chat("creator", "go");
  const all = await spansOfRuns("task", 3);
  const [created] = named(all, "invoke_agent").filter(({ parentSpanId }) => parentSpanId === null);
  const worked = only(all, "invoke_agent worker");
  expect(worked.parentSpanId).toBe(created?.spanId);
  expect(worked.attributes["parley.trigger"]).toBe("task");
  expect(new Set(all.map(({ traceId }) => traceId)).size).toBe(1);
});

describe("secrets (L5)", () => {
  const secrets = Object.values(TEST_SECRETS);
  const baits = [secrets.join(" and "), ...secrets.map((secret) => btoa(secret))].join(" ");
  const leaky = agent("leaky", {
    name: `Agent ${TEST_SECRETS.TEST_SECRET_A}`,
    rules: [
      {
        when: { user: "read", step: 0 },
        calls: [{ name: "FileRW", arguments: { action: "read", path: baits } }],
      },
      { when: { user: "read" }, say: `I found ${baits}` },
    ],
    tools: { FileRW: { rootPath: "leaky" } },
  });

  it.each([
    ["off", false],
    ["on", true],
  ])(
    "stand in no span with payloads %s, and reach the backend in the header alone",
    async (name, payloads) => {
      const key = `secret-${name}`;
      const headers = { "x-key": { $secret: "TEST_SECRET_C" } };
      await team([leaky], telemetry(key, { payloads, headers }));
      await chat("leaky", `read ${baits} ${"x".repeat(9_000)}`);
      const all = await spansOfRuns(key, 1);
      const text = JSON.stringify(all);
      for (const secret of secrets) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(btoa(secret));
      }
      for (const request of await received(key))
        expect(request.headers["x-key"]).toBe(TEST_SECRETS.TEST_SECRET_C);
      expect(text.includes("I found [secret")).toBe(payloads);
      expect(text.includes("xxx")).toBe(payloads);
      const longest = Math.max(...all.flatMap(({ attributes }) => Object.values(attributes).map(lengthOf)));
      expect(longest).toBeLessThan(4_500);
    },
  );

  function lengthOf(value: unknown): number {
    return String(value).length;
  }
});

it("payloads follow the conventions' JSON", async () => {
  await team([asking, agent("helper")], telemetry("payloads", { payloads: true }));
  await chat("asker", "go");
  const all = await spansOfRuns("payloads", 2);
  const messagesOf = (span: ReceivedSpan, name: string): unknown => JSON.parse(String(span.attributes[name]));
  const run = only(all, "invoke_agent asker");
  expect(messagesOf(run, "gen_ai.input.messages")).toEqual([
    { role: "user", parts: [{ type: "text", content: "go" }] },
  ]);
  expect(messagesOf(run, "gen_ai.output.messages")).toEqual([
    { role: "assistant", parts: [{ type: "text", content: "It is done." }] },
  ]);
  const asked = only(all, "execute_tool ask_agent").attributes;
  expect(asked["gen_ai.tool.call.arguments"]).toContain("What is it?");
  expect(asked["gen_ai.tool.call.result"]).toContain("helper heard");
  const chats = all.filter((span) => span.name === "chat scripted" && isOf(span, "asker"));
  expect(chats.map((span) => messagesOf(span, "gen_ai.input.messages"))).toMatchObject([
    [{ role: "user" }],
    [{ role: "tool", parts: [{ type: "tool_call_response" }] }],
    [{ role: "tool" }],
  ]);
});

it("a chain that is left out by the ratio is told by none of its agents", async () => {
  await team([asking, agent("helper")], telemetry("sampled", { sampleRatio: 0 }));
  await chat("asker", "go");
  for (const objectName of ["asker", "helper"])
    await inObject(objectName, async ({ exporter, world }) => {
      await exporter.kick();
      expect(untoldRuns(world.db, 1)).toEqual([]);
    });
  expect(await received("sampled")).toEqual([]);
});

describe("a backend that is", () => {
  it.each(["reset-a", "status-500-a", "status-429-a", "status-400-a", "status-302-a", "status-200-a"])(
    "unwell (%s) disturbs no run and no row of the record",
    async (key) => {
      const agentId = `calm-${key}`;
      await team([agent(agentId)], telemetry(key));
      const answer = await chat(agentId, "hello");
      expect(answer).toMatchObject({ status: "completed", reply: `${agentId} heard: hello` });
      await delivered();
      expect(await get(`/api/runs/${answer.runId}`)).toMatchObject({ receipt: { status: "completed" } });
      await eventually(async () => (await received(key)).length > 0);
    },
  );

  it("away for an hour loses the runs, counted once in the log", async () => {
    await team([agent("patient")], telemetry("status-503-b"));
    const { runId } = await chat("patient", "hello");
    await inObject("patient", async (clocked) => {
      const { exporter, world, warnings } = clocked;
      world.db.transaction(() => putUntold(world.db, runId, clocked.at));
      await exporter.kick();
      const waiting = untoldRuns(world.db, 10).length;
      expect(waiting).toBeGreaterThan(0);
      expect(exporter.retryAt).toBe(clocked.at + 1_000);
      await exporter.kick();
      expect(exporter.retryAt).toBe(clocked.at + 1_000);
      clocked.at = exporter.retryAt;
      await exporter.kick();
      expect(exporter.retryAt).toBe(clocked.at + 2_000);
      expect(warnings).toHaveLength(1);
      clocked.at += 3_600_001;
      await exporter.kick();
      expect(warnings.at(-1)).toContain(`${waiting} runs were dropped`);
      expect(untoldRuns(world.db, 10)).toEqual([]);
      expect(exporter.retryAt).toBe(0);
    });
  });

  it("back after a while is told what waited", async () => {
    const rules = [{ say: "hi" }];
    await team([agent("comeback", { rules })], telemetry("status-503-e"));
    const { runId } = await chat("comeback", "hello");
    await team([agent("comeback", { rules })], telemetry("back"));
    await inObject("comeback", async (clocked) => {
      // The object's own exporter waits for its next attempt, or has made it.
      clocked.at += 300_000;
      await clocked.exporter.kick();
      expect(untoldRuns(clocked.world.db, 1)).toEqual([]);
    });
    const told = named(await spansOfRuns("back", 1), "invoke_agent");
    expect(told.map(({ attributes }) => attributes["parley.run_id"])).toContain(runId);
    expect(new Set(told.map(({ spanId }) => spanId)).size).toBe(1);
  });

  it("away keeps at most so many runs waiting", async () => {
    await team([agent("crowd")], telemetry("status-503-c"));
    const { runId } = await chat("crowd", "hello");
    await inObject("crowd", async ({ exporter, world, warnings, at }) => {
      world.db.transaction(() => {
        for (let n = 0; n < 700; n += 1) putUntold(world.db, runId, at);
      });
      await exporter.kick();
      expect(untoldRuns(world.db, 1_000)).toHaveLength(500);
      expect(warnings.join()).toMatch(/20[01] runs were dropped/);
    });
  });

  it("refusing is not asked again for the same runs", async () => {
    await team([agent("refused")], telemetry("status-401-d"));
    const { runId } = await chat("refused", "hello");
    await inObject("refused", async ({ exporter, world, warnings, at }) => {
      world.db.transaction(() => putUntold(world.db, runId, at));
      await exporter.kick();
      expect(untoldRuns(world.db, 10)).toEqual([]);
      expect(warnings.join()).toMatch(/refused \d+ runs, which were dropped: it answered 401/);
    });
  });
});

it("a model's request names its span, so that a gateway can join the trace", async () => {
  const model = { provider: "openai", name: "plain", baseUrl: server };
  await team([agent("traced", { model })], telemetry("traced"));
  await chat("traced", "hello");
  const span = only(await spansOfRuns("traced", 1), "chat plain");
  const traced = (await received("traced-requests")).map(({ headers }) => headers.traceparent);
  expect(traced).toEqual([`00-${span.traceId}-${span.spanId}-01`]);
  expect(span.attributes).toMatchObject({
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.cache_read.input_tokens": 80,
    "gen_ai.usage.output_tokens": 20,
  });
});
