/** What goes wrong only when two things happen at once, or when something is out of reach for a while. */
import { createScheduledController, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { chat, delivered, eventually, get, messages, send } from "./support/api.ts";
import { ended, watchLive } from "./support/live.ts";
import { createTask, finishes, task } from "./support/tasks.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";
import worker from "./worker.ts";

beforeEach(resetWatch);

const accepted = z.object({ runId: z.string() });
const detail = z.looseObject({
  run: z.looseObject({ state: z.string(), reply: z.string().nullable() }),
  receipt: z.looseObject({ status: z.string(), inputTokens: z.number().nullable() }).nullable(),
  audit: z.array(z.looseObject({ outcome: z.string() })),
});
const conversation = z.object({
  turns: z.array(z.looseObject({ input: z.string(), runId: z.string() })),
});

const HOUR_MS = 3_600_000;

const stubOf = (name: string) => env.AGENTS.get(env.AGENTS.idFromName(name));
const runOf = async (runId: string) => detail.parse(await get(`/api/runs/${runId}`));
const inputsOf = async (agentId: string) =>
  conversation.parse(await get(`/api/agents/${agentId}/conversation`)).turns.map((turn) => turn.input);
const alarmOf = (name: string) => runInDurableObject(stubOf(name), (_, state) => state.storage.getAlarm());

/** Starts an isolated run and does not wait for it. */
async function start(agentId: string, message = "go"): Promise<string> {
  const response = await send("POST", `/api/agents/${agentId}/runs`, { message, wait: false });
  expect(response.status).toBe(202);
  return accepted.parse(await response.json()).runId;
}

const over = (runId: string) => eventually(async () => (await runOf(runId)).receipt !== null);
const working = (name: string, times = 1) =>
  eventually(async () => watch.trace.filter((entry) => entry === `${name} in`).length >= times);

/** The power goes, and the object comes up again with the next call. */
async function cutPower(name: string): Promise<void> {
  await runInDurableObject(stubOf(name), (_, state) => state.abort("the test cut the power")).catch(
    () => undefined,
  );
}

/** Holds an agent's model until the test lets it go. */
function holdModel(name: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  watch.modelHeld.set(name, promise);
  return () => {
    watch.modelHeld.delete(name);
    resolve();
  };
}

describe("a run that somebody wants ended", () => {
  it("L2 keeps its steps, its cost and its calls' results when the power goes before it has ended", async () => {
    const hang = { name: "Probe", arguments: { action: "hang" } };
    await team([agent("cut", { rules: [{ calls: [hang] }], tools: { Probe: {} } })]);
    const runId = await start("cut");
    await eventually(async () => watch.trace.includes("cut out"));
    await runInDurableObject(stubOf("cut"), (_, state) => {
      const wish = JSON.stringify({ status: "cancelled", reason: "cancelled_by_person" });
      state.storage.sql.exec("UPDATE Runs SET cancel = ? WHERE runId = ?", wish, runId);
    });
    await cutPower("cut");
    await over(runId);
    const run = await runOf(runId);
    expect(run.receipt).toMatchObject({ status: "cancelled", steps: 1, toolCalls: 1 });
    expect(run.receipt?.inputTokens).toBeGreaterThan(0);
    expect(run.audit.map((entry) => entry.outcome)).toEqual(["interrupted"]);
  });

  it("L1 ends at once while it waits for its gate, which an answer has", async () => {
    await team([
      agent("lender", {
        rules: [
          { when: { user: "Question from" }, say: "an answer" },
          { when: { step: 0 }, calls: [ask("slow", "hm?")] },
        ],
      }),
      agent("slow"),
      agent("asker", { rules: [{ when: { step: 0 }, calls: [ask("lender", "well?")] }, { say: "thanks" }] }),
    ]);
    const letSlowGo = holdModel("slow");
    const runId = await start("lender");
    await working("slow");
    const letLenderGo = holdModel("lender");
    const asking = chat("asker", "go");
    await working("lender", 2);
    letSlowGo();
    await eventually(async () => (await runOf(runId)).audit.length === 1);
    expect((await send("POST", `/api/runs/${runId}/cancel`)).status).toBe(200);
    await over(runId);
    letLenderGo();
    expect(await asking).toMatchObject({ status: "completed", reply: "thanks" });
  });

  it("is ended in the queue, in a model's back-off and in an ask", async () => {
    await team([
      agent("busy", { rules: [{ when: { user: "fail" }, fail: { code: "overloaded", message: "full" } }] }),
      agent("asks", { rules: [{ when: { step: 0 }, calls: [ask("busy", "hm?")] }] }),
    ]);
    const backingOff = await start("busy", "fail");
    await eventually(async () => watch.trace.includes("busy out"));
    const letGo = holdModel("busy");
    const inAsk = await start("asks");
    await working("busy", 2);
    const queued = await start("busy", "later");
    for (const runId of [queued, inAsk, backingOff]) {
      await send("POST", `/api/runs/${runId}/cancel`);
      await over(runId);
      expect((await runOf(runId)).receipt).toMatchObject({
        status: "cancelled",
        reason: "cancelled_by_person",
      });
    }
    letGo();
    expect(await chat("busy", "hello")).toMatchObject({ status: "completed" });
  });
});

describe("a chain or hub that is out of reach for a while", () => {
  it("holds a run up and does not end it", async () => {
    await team([agent("deployed")]);
    watch.ceilingsAway = true;
    const runId = await start("deployed");
    await eventually(async () => (await runOf(runId)).run.state === "started");
    const again = await start("deployed", "next in line");
    watch.ceilingsAway = false;
    await over(again);
    expect((await runOf(runId)).receipt).toMatchObject({ status: "completed" });
  });

  it("does not keep a run beyond its time, nor from being cancelled", async () => {
    await team([agent("patient", { limits: { runSeconds: 0.3 } }), agent("cancelled")]);
    watch.ceilingsAway = true;
    const [late, unwanted] = [await start("patient"), await start("cancelled")];
    await eventually(async () => (await runOf(unwanted)).run.state === "started");
    await send("POST", `/api/runs/${unwanted}/cancel`);
    await Promise.all([over(late), over(unwanted)]);
    expect((await runOf(late)).receipt).toMatchObject({ status: "timeout", reason: "run_time" });
    expect((await runOf(unwanted)).receipt).toMatchObject({ status: "cancelled" });
  });
});

describe("L3 an ask whose colleague cannot be heard", () => {
  const asking = agent("a", {
    rules: [{ when: { step: 0 }, calls: [ask("b", "please?")] }, { say: "heard: {{result}}" }],
    limits: { askSeconds: 1 },
  });
  const rowsOf = async (runId: string) =>
    (await messages())
      .filter((row) => row.rootRunId === runId)
      .map((row) => `${row.direction} ${row.status}`);

  it("L3 has both rows when the answer turns up at the deadline", async () => {
    await team([asking, agent("b", { rules: [{ say: "in time" }] })]);
    watch.repliesLost = true;
    const answer = await chat("a", "go");
    expect(answer.reply).toBe("heard: in time");
    await delivered();
    expect(await rowsOf(answer.runId)).toEqual(["request delivered", "response delivered"]);
  });

  it("L6 says failed, not timeout, when the colleague had failed in time", async () => {
    await team([asking, agent("b", { rules: [{ fail: { code: "auth", message: "wrong key" } }] })]);
    watch.repliesLost = true;
    const answer = await chat("a", "go");
    expect(answer.reply).toMatch(/^heard: Failed: .*wrong key/);
    await delivered();
    expect(await rowsOf(answer.runId)).toEqual(["request delivered", "response failed"]);
  });
});

describe("a new conversation", () => {
  it("begins while a run is under way: what waited belongs to the new one, what was at work to the old", async () => {
    await team([agent("fresh")]);
    await chat("fresh", "long ago");
    const letGo = holdModel("fresh");
    const under = chat("fresh", "under way");
    await working("fresh", 2);
    const waiting = chat("fresh", "waiting");
    await eventually(async () => JSON.stringify(await get("/api/agents")).includes('"queued":1'));
    expect((await send("DELETE", "/api/agents/fresh/conversation")).status).toBe(200);
    letGo();
    expect([(await under).status, (await waiting).status]).toEqual(["completed", "completed"]);
    expect(await inputsOf("fresh")).toEqual(["waiting"]);
    await chat("fresh", "afterwards");
    expect(await inputsOf("fresh")).toEqual(["waiting", "afterwards"]);
  });
});

describe("a long life", () => {
  it("L2 takes a run over many invocations of its object's alarm, known failure 74", async () => {
    await team([agent("slow", { rules: [{ say: "at last" }] })]);
    const letGo = holdModel("slow");
    const runId = await start("slow");
    await working("slow");
    for (let invocation = 0; invocation < 3; invocation += 1) {
      expect(await runDurableObjectAlarm(stubOf("slow")), "it was armed again").toBe(true);
      expect((await runOf(runId)).run.state).toBe("started");
    }
    letGo();
    await over(runId);
    expect(await runOf(runId)).toMatchObject({
      run: { reply: "at last" },
      receipt: { status: "completed", resumes: 0 },
    });
  });

  it("costs nothing while all that is queued waits for the end of a pause", async () => {
    await team([agent("paused")]);
    await send("POST", "/api/agents/paused/pause");
    const runId = await start("paused");
    await runDurableObjectAlarm(stubOf("paused"));
    expect(await alarmOf("paused"), "only for old runs, some day").toBeGreaterThan(Date.now() + HOUR_MS);
    await cutPower("paused");
    await send("POST", "/api/agents/paused/resume");
    await over(runId);
  });
});

describe("a pause", () => {
  it("holds back an agent's fresh workers too, and loses none of their tasks", async () => {
    await team([agent("boss", { rules: finishes("42"), tools: { Taskboard: {} } })]);
    await send("POST", "/api/agents/boss/pause");
    const { taskId } = await createTask({ assignee: "@new:boss" });
    expect((await task(taskId)).status).toBe("open");
    await worker.scheduled(createScheduledController({ cron: "* * * * *", scheduledTime: new Date() }), env);
    expect(watch.trace).toEqual([]);
    await send("POST", "/api/agents/boss/resume");
    await worker.scheduled(createScheduledController({ cron: "* * * * *", scheduledTime: new Date() }), env);
    await eventually(async () => (await task(taskId)).status === "done");
  });
});

describe("a fresh worker", () => {
  it("appears under its agent's id in the live feed", async () => {
    await team([agent("chief", { rules: finishes("42"), tools: { Taskboard: {} } })]);
    const viewer = await watchLive();
    const { taskId } = await createTask({ assignee: "@new:chief" });
    await eventually(async () => (await task(taskId)).status === "done");
    const { runId } = await task(taskId);
    const seen = await viewer.until(ended(runId ?? ""));
    const names = seen.filter((item) => item.data.runId === runId).map((item) => item.data.agentId);
    expect(new Set(names)).toEqual(new Set(["chief"]));
    await viewer.leave();
  });
});

describe("config pushes that overtake each other", () => {
  it("leave in force what the hub took last, whatever arrives last", async () => {
    await team([agent("a", { name: "First" }), agent("b")]);
    const hub = env.HUB.get(env.HUB.idFromName("hub"));
    const before = await hub.directory();
    await team([agent("a", { name: "Second" }), agent("b")]);
    await stubOf("a").share({ directory: before.agents }, before.revision);
    expect(await stubOf("a").documents()).not.toContain("First");
    await stubOf("a").configure(null, before.revision);
    expect(await stubOf("a").documents()).toContain("Second");
  });

  it("end with one answer to who works here", async () => {
    const names = Array.from({ length: 6 }, (_, index) => `Name${index}`);
    await Promise.all(names.map((name) => team([agent("a", { name }), agent("b", { name })])));
    const listed = z
      .array(z.looseObject({ name: z.string() }))
      .parse(await get("/api/agents"))
      .map((entry) => entry.name);
    for (const agentId of ["a", "b"]) {
      const stored = z.object({ directory: z.array(z.looseObject({ name: z.string() })) });
      const { directory } = stored.parse(JSON.parse((await stubOf(agentId).documents()) ?? "{}"));
      expect(directory.map((entry) => entry.name)).toEqual(listed);
      expect(await get(`/api/agents/${agentId}`)).toMatchObject({ name: listed[0] });
    }
  });
});
