/** Failures that other systems of this kind have had; the numbers are those of docs/known-failures.md. */
import { createExecutionContext, createScheduledController, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createReader } from "../../core/record/reader.ts";
import { again } from "../../durable-objects/again.ts";
import { answerOf, chat, delivered, eventually, get, messages, send } from "./support/api.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";
import worker from "./worker.ts";

beforeEach(resetWatch);

const read = (path: string) => ({ name: "FileRW", arguments: { action: "read", path } });
const accepted = z.looseObject({ runId: z.string() });
const runShape = z.looseObject({
  run: z.looseObject({ reply: z.string().nullable() }),
  receipt: z.looseObject({ status: z.string(), resumes: z.number() }).nullable(),
});

async function startRun(agentId: string, message: string): Promise<string> {
  const response = await send("POST", `/api/agents/${agentId}/runs`, { message, wait: false });
  return accepted.parse(await response.json()).runId;
}

async function endOf(runId: string) {
  await eventually(async () => runShape.parse(await get(`/api/runs/${runId}`)).receipt !== null);
  return runShape.parse(await get(`/api/runs/${runId}`));
}

function receiptsOf(agentId: string) {
  return env.DB.prepare(
    "SELECT RunId, Status, Reason, InputTokens, CostMicros FROM RunReceipts WHERE AgentId = ? ORDER BY StartedAt",
  )
    .bind(agentId)
    .all()
    .then(({ results }) => results);
}

describe("lanes", () => {
  it("13: L1 two runs that come at the same moment always both end, 200 times", async () => {
    watch.keepRequests = false;
    await team([agent("a")]);
    for (let round = 0; round < 200; round += 1) {
      const both = await Promise.all([
        chat("a", `chat ${round}`),
        send("POST", "/api/agents/a/runs", { message: `run ${round}` }).then(answerOf),
      ]);
      expect(both.map(({ reply }) => reply)).toEqual([`a heard: chat ${round}`, `a heard: run ${round}`]);
    }
    expect(watch.most.get("a")).toBe(1);
  }, 120_000);

  it("36: L2 a run that is ended by its time takes nothing with it that waits behind it", async () => {
    await team([
      agent("a", {
        rules: [{ when: { user: "stuck" }, say: "never", delayMs: 600_000 }],
        limits: { runSeconds: 0.3 },
      }),
    ]);
    const answers = await Promise.all(["stuck", "one", "two", "three"].map((text) => chat("a", text)));
    expect(answers.map(({ status }) => status)).toEqual(["timeout", "completed", "completed", "completed"]);
    expect(answers.slice(1).map(({ reply }) => reply)).toEqual([
      "a heard: one",
      "a heard: two",
      "a heard: three",
    ]);
  });
});

describe("ends of runs", () => {
  it("24: L2 each run that does not complete says why, and 166: keeps its tokens without a price", async () => {
    await team(
      [
        agent("end", {
          model: {
            provider: "scripted",
            script: JSON.stringify({
              rules: [
                { when: { user: "fail" }, fail: { code: "auth", message: "no key" } },
                { when: { user: "refuse" }, say: "no", finish: "refusal" },
                { when: { user: "loop" }, calls: [read("x.txt")] },
                { when: { user: "wait" }, say: "never", delayMs: 600_000 },
              ],
              otherwise: { say: "fine" },
            }),
          },
          limits: { steps: 3, runSeconds: 0.5 },
        }),
      ],
      { perChain: { tokens: 1_000 } },
    );
    for (const text of ["hello", "fail", "refuse", "loop", "wait"]) await chat("end", text);
    const cancelled = await startRun("end", "wait");
    await send("POST", `/api/runs/${cancelled}/cancel`);
    await endOf(cancelled);
    await delivered();
    const receipts = await receiptsOf("end");
    expect(receipts.map(({ Status, Reason }) => `${Status} ${Reason}`)).toEqual([
      "completed null",
      "failed auth",
      "failed refusal",
      "step_limit steps",
      "timeout run_time",
      "cancelled cancelled_by_person",
    ]);
    expect(receipts[0]).toMatchObject({ CostMicros: null });
    expect(Number(receipts[0]?.InputTokens)).toBeGreaterThan(0);
  });

  it("63: L2 a cancel that comes after the end changes nothing", async () => {
    await team([agent("a")]);
    const { runId, receipt } = await chat("a", "hello");
    const response = await send("POST", `/api/runs/${runId}/cancel`);
    expect(await response.json()).toEqual({ ok: true, state: "ended" });
    expect(await get(`/api/runs/${runId}`)).toMatchObject({ receipt });
  });

  it("39: L2 a model that is exchanged in the middle of a run gives one reply and one receipt", async () => {
    const first = [{ when: { step: 0 }, calls: [read("a.txt")], delayMs: 300 }];
    await team([agent("swap", { rules: [...first, { say: "the old model" }] })]);
    const answering = chat("swap", "go");
    await eventually(async () => watch.trace.includes("swap in"));
    await team([agent("swap", { rules: [{ when: { step: 1 }, say: "the new model" }] })]);
    expect(await answering).toMatchObject({ status: "completed", reply: "the new model" });
    await delivered();
    expect(await receiptsOf("swap")).toHaveLength(1);
  });
});

describe("resets", () => {
  it("54 and 65: L2 ten resets during one run do not end it as failed", async () => {
    // Slow enough that the next reset is planned before the run can end.
    const steps = Array.from({ length: 6 }, (_, step) => ({
      when: { step },
      calls: [read(`n${step}.txt`)],
      delayMs: 300,
    }));
    await team([agent("deploys", { rules: [...steps, { say: "still finished" }] })]);
    const runId = await startRun("deploys", "go");
    await eventually(async () => {
      if (watch.cuts === 10) return true;
      if (watch.cut === null) {
        watch.moments = 0;
        watch.cut = { objectName: "deploys", at: 2 + watch.cuts };
      }
      await send("GET", `/api/runs/${runId}`);
      return false;
    });
    watch.cut = null;
    const { run, receipt } = await endOf(runId);
    expect(receipt?.status).toBe("completed");
    expect(receipt?.resumes).toBeGreaterThan(5);
    expect(run.reply).toBe("still finished");
  }, 120_000);

  it("57: L2 a run is taken up by its alarm alone, also when the alarm itself was cut off", async () => {
    await team([agent("alone", { rules: [{ when: { step: 0 }, calls: [read("a.txt")] }, { say: "done" }] })]);
    watch.cut = { objectName: "alone", at: 3 };
    await startRun("alone", "go");
    await eventually(async () => watch.cuts === 1);
    watch.moments = 0;
    watch.cut = { objectName: "alone", at: 3 };
    await eventually(async () => watch.cuts === 2);
    // Only D1 is looked at: no request wakes the object.
    await eventually(async () => (await receiptsOf("alone")).length === 1);
    expect(await receiptsOf("alone")).toMatchObject([{ Status: "completed" }]);
  }, 90_000);

  it.each([
    "Durable Object reset because its code was updated.",
    "The Durable Object's code has been updated, this version can no longer access storage.",
    "Worker version changed",
  ])(
    "62: a call that fails with %j is made again, because of its kind and not its words",
    async (message) => {
      let calls = 0;
      const answer = await again(async () => {
        calls += 1;
        if (calls === 1) throw Object.assign(new Error(message), { retryable: true });
        return "answered";
      });
      expect([answer, calls]).toEqual(["answered", 2]);
    },
  );

  it("62: an overloaded object is left alone", async () => {
    let calls = 0;
    const overloaded = Object.assign(new Error("Try later"), { overloaded: true });
    const call = again(() => {
      calls += 1;
      return Promise.reject(overloaded);
    });
    await expect(call).rejects.toBe(overloaded);
    expect(calls).toBe(1);
  });
});

describe("idle agents", () => {
  it("90 and 91: L10 a day in which nothing happens makes no model call and no run", async () => {
    await team([agent("a"), agent("b")], { agentMessageRetentionDays: 30 });
    await delivered();
    const runs = () => env.DB.prepare("SELECT count(*) AS n FROM RunReceipts").first("n");
    const before = await runs();
    for (let minute = 0; minute < 1_440; minute += 1) await tick(Date.UTC(2026, 5, 15, 0, minute));
    expect(watch.requests).toEqual([]);
    expect(await runs()).toBe(before);
  }, 240_000);
});

async function tick(time: number): Promise<void> {
  const context = createExecutionContext();
  const controller = createScheduledController({ cron: "* * * * *", scheduledTime: new Date(time) });
  await worker.scheduled(controller, env);
  await waitOnExecutionContext(context);
}

describe("D1", () => {
  it.each([
    ["51 bytes", "a".repeat(51)],
    ["17 characters of three bytes", "日".repeat(17)],
  ])("133: a search for %s finds its message", async (_, word) => {
    await team([
      agent("a", { rules: [{ when: { step: 0 }, calls: [ask("b", `about ${word}!`)] }, { say: "ok" }] }),
      agent("b"),
    ]);
    await chat("a", "go");
    await delivered();
    const found = await messages(`?a=a&b=b&q=${encodeURIComponent(word)}`);
    expect(found.map(({ direction }) => direction)).toEqual(["request", "response"]);
  });

  it.each([
    ["Network connection lost.", 1, "read"],
    ["Network connection lost.", 2, "refused"],
    ["no such column: x", 1, "refused"],
  ])("135 and 136: a read that fails with %j %i times is %s", async (message, times, outcome) => {
    const reader = createReader(failing(env.DB, message, times));
    const result = await reader.all("SELECT 1 AS one").then(
      () => "read",
      () => "refused",
    );
    expect(result).toBe(outcome);
  });
});

/** The database, whose statements fail so many times before they work. */
function failing(db: D1Database, message: string, times: number): D1Database {
  let left = times;
  const statement = (inner: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(inner, {
      get: (target, key) => {
        if (key === "bind") return (...values: unknown[]) => statement(target.bind(...values));
        if (key === "all" && left > 0)
          return () => {
            left -= 1;
            return Promise.reject(new Error(message));
          };
        return Reflect.get(target, key).bind(target);
      },
    });
  return new Proxy(db, {
    get: (target, key) =>
      key === "prepare" ? (sql: string) => statement(target.prepare(sql)) : Reflect.get(target, key),
  });
}
