import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Answer, audit, chat, delivered, get, messages, request, send } from "./support/api.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

/** Asks the colleague when a person says go; answers anything that a colleague asks. */
function asker(agentId: string, colleague: string, extra: Record<string, unknown> = {}) {
  return agent(agentId, {
    rules: [
      { when: { user: "Question from" }, say: `answer of ${agentId}`, ...extra },
      { when: { user: "/^go (\\S+)/", step: 0 }, calls: [ask(colleague, "question {{user.1}}")] },
      { when: { step: 1 }, say: "heard: {{result}}" },
    ],
  });
}

function replies(answers: readonly Answer[]): string[] {
  return answers.map((answer) => `${answer.status} ${answer.reply}`);
}

describe("L1 agents that ask each other at the same moment", () => {
  it("L1 answers both of two agents that ask each other, in 200 rounds", async () => {
    watch.keepRequests = false;
    await team([asker("a", "b"), asker("b", "a")]);
    for (let round = 0; round < 200; round += 1) {
      const answers = await Promise.all([chat("a", `go ${round}`), chat("b", `go ${round}`)]);
      expect(replies(answers)).toEqual(["completed heard: answer of b", "completed heard: answer of a"]);
    }
    await delivered();
    expect(await messages("?status=timeout")).toEqual([]);
    expect(watch.most).toEqual(
      new Map([
        ["a", 1],
        ["b", 1],
      ]),
    );
  }, 120_000);

  it.each([3, 5])(
    "L1 answers all in a ring of %i",
    async (size) => {
      const ids = Array.from({ length: size }, (_, index) => `ring${size}x${index}`);
      await team(ids.map((id, index) => asker(id, ids[(index + 1) % size] ?? id)));
      for (let round = 0; round < 20; round += 1) {
        const answers = await Promise.all(ids.map((id) => chat(id, `go ${round}`)));
        expect(answers.map((answer) => answer.status)).toEqual(ids.map(() => "completed"));
        expect(answers.map((answer) => answer.reply)).toEqual(
          ids.map((_, index) => `heard: answer of ${ids[(index + 1) % size]}`),
        );
      }
    },
    60_000,
  );

  it("L1 gives three askers of one agent three answers, each its own", async () => {
    await team([
      asker("x", "oracle"),
      asker("y", "oracle"),
      asker("z", "oracle"),
      agent("oracle", { rules: [{ when: { user: "/question (\\S+)/" }, say: "oracle on {{user.1}}" }] }),
    ]);
    const answers = await Promise.all([chat("x", "go one"), chat("y", "go two"), chat("z", "go three")]);
    expect(answers.map((answer) => answer.reply)).toEqual([
      "heard: oracle on one",
      "heard: oracle on two",
      "heard: oracle on three",
    ]);
  });
});

describe("L1 the queue of one agent", () => {
  it("L1 takes ten chats in order, one at a time", async () => {
    await team([
      agent("a", { rules: [{ when: { user: "/n(\\d+)/" }, say: "did {{user.1}}", delayMs: 20 }] }),
    ]);
    const numbers = Array.from({ length: 10 }, (_, index) => index);
    const order: number[] = [];
    const answers = await Promise.all(
      numbers.map(async (number) => {
        const answer = await chat("a", `n${number}`);
        order.push(number);
        return answer;
      }),
    );
    expect(answers.map((answer) => answer.reply)).toEqual(numbers.map((number) => `did ${number}`));
    expect(watch.most.get("a")).toBe(1);
    expect(watch.trace).toEqual(numbers.flatMap(() => ["a in", "a out"]));
    expect(order).toEqual(numbers);
  });

  it("refuses with 429 and Retry-After what is beyond the queue, and loses nothing of what it took", async () => {
    await team([agent("a", { rules: [{ say: "done", delayMs: 50 }], limits: { queue: 2 } })]);
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => send("POST", "/api/agents/a/chat", { message: "hello" })),
    );
    const statuses = responses.map((response) => response.status);
    expect(statuses.filter((status) => status === 200).length).toBe(3);
    const refused = responses.filter((response) => response.status === 429);
    expect(refused.length).toBe(3);
    expect(refused.every((response) => response.headers.get("Retry-After") !== null)).toBe(true);
  });

  it("does not let a slow pair slow another pair", async () => {
    await team([
      asker("a", "b"),
      agent("b", { rules: [{ say: "slow", delayMs: 1_500 }] }),
      asker("c", "d"),
      asker("d", "c"),
    ]);
    const order: string[] = [];
    const slow = chat("a", "go 1").then(() => order.push("slow"));
    for (let round = 0; round < 5; round += 1) {
      await chat("c", `go ${round}`);
      order.push("quick");
    }
    await slow;
    expect(order).toEqual(["quick", "quick", "quick", "quick", "quick", "slow"]);
  });
});

describe("L1 an agent in the middle of a long run", () => {
  const steps = Array.from({ length: 20 }, (_, step) => ({
    when: { step },
    calls: [{ name: "FileRW", arguments: { action: "read", path: `n${step}.txt` } }],
    delayMs: 60,
  }));

  it("L1 answers after the step in progress, knows what it is doing, and its run goes on undisturbed", async () => {
    await team([
      asker("a", "busy"),
      agent("busy", {
        rules: [
          { when: { user: "Question from" }, say: "I am counting" },
          ...steps,
          { when: { step: 20 }, say: "counted to twenty" },
        ],
        limits: { steps: 30 },
      }),
    ]);
    const long = chat("busy", "count slowly");
    await new Promise((resolve) => setTimeout(resolve, 200));
    const answer = await chat("a", "go 1");
    expect(answer.reply).toBe("heard: I am counting");
    const stepsBefore = watch.trace.filter((entry) => entry === "busy in").length;
    expect(stepsBefore).toBeLessThan(20);
    const done = await long;
    expect(done).toMatchObject({ status: "completed", reply: "counted to twenty", receipt: { steps: 21 } });
    expect(watch.most.get("busy")).toBe(1);
    const asked = watch.requests.find(
      (item) => item.objectName === "busy" && item.text.includes("Question from"),
    );
    expect(asked?.text).toContain("count slowly");
    const last = watch.requests.filter((item) => item.objectName === "busy").at(-1);
    expect(last?.text.indexOf("I am counting")).toBeLessThan(last?.text.indexOf("count slowly") ?? 0);
  }, 30_000);

  it("shows the answered question as a turn of its own, before the turn in progress", async () => {
    const { turns } = conversationShape.parse(await get("/api/agents/busy/conversation"));
    expect(turns.map((turn) => turn.trigger)).toEqual(["ask", "chat"]);
  });
});

const conversationShape = z.object({
  turns: z.array(z.looseObject({ trigger: z.string(), runId: z.string() })),
});

describe("pause", () => {
  it("lets queued work wait, and nothing is lost", async () => {
    await team([agent("a")]);
    await send("POST", "/api/agents/a/pause");
    const waiting = chat("a", "hello");
    const run = send("POST", "/api/agents/a/runs", { message: "later", wait: false });
    expect((await run).status).toBe(202);
    const [entry] = z
      .array(z.looseObject({ queued: z.number(), paused: z.boolean(), state: z.string() }))
      .parse(await get("/api/agents"));
    expect(entry).toMatchObject({ queued: 2, paused: true, state: "idle" });
    await send("POST", "/api/resume");
    expect((await waiting).status).toBe("completed");
    await delivered();
  });
});

describe("cancel", () => {
  it("ends a run under way with status cancelled, and its calls get their results", async () => {
    await team([asker("a", "b"), agent("b", { rules: [{ say: "never heard", delayMs: 20_000 }] })]);
    const running = chat("a", "go 1");
    await new Promise((resolve) => setTimeout(resolve, 200));
    const runId = await openRun();
    const response = await request(`/api/runs/${runId}/cancel`, { method: "POST" });
    expect(response.status).toBe(200);
    expect(await running).toMatchObject({ status: "cancelled", receipt: { reason: "cancelled_by_person" } });
    await delivered();
    const rows = await messages("?a=a&b=b");
    expect(rows.slice(-2).map((row) => [row.direction, row.status])).toEqual([
      ["request", "delivered"],
      ["response", "failed"],
    ]);
    expect((await audit("?agentId=a")).at(0)).toMatchObject({ tool: "ask_agent", outcome: "failed" });
    const after = await chat("a", "hello again");
    expect(after.status).toBe("completed");
  });
});

async function openRun(): Promise<string> {
  const { turns } = conversationShape.parse(await get("/api/agents/a/conversation"));
  return turns.at(-1)?.runId ?? "";
}
