/** Ceilings of work that is given away: depth, runs, money, the day, a person's stop (L10). */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { chat, eventually, messages, send } from "./support/api.ts";
import { chainOf, giveTask, lateScan, notices, puppet, quiet, type Step, steps } from "./support/board.ts";
import { act, task, tasks } from "./support/tasks.ts";
import { agent, team } from "./support/team.ts";
import { resetWatch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const LIMITS = { runs: 60, depth: 5, costUsd: 5, tokens: 1_000_000 };
const complete: Step = ["task_complete", { result: "42 beans" }];

/** Gives whatever comes in to the next agent. */
const delegates = (agentId: string, to: string) =>
  agent(agentId, {
    tools: { Taskboard: {} },
    rules: [
      {
        when: { step: 0 },
        calls: [
          { name: "task_create", arguments: { title: "Pass on", description: "Pass it on.", assignee: to } },
        ],
        usage: { inputTokens: 1_000, outputTokens: 100 },
      },
      { say: "passed on", usage: { inputTokens: 1_000, outputTokens: 100 } },
    ],
  });

const ring = (...names: readonly string[]) =>
  names.map((name, index) => delegates(name, names[(index + 1) % names.length] ?? ""));

async function toldOf(rootRunId: string): Promise<string[]> {
  return (await notices()).filter((notice) => notice.rootRunId === rootRunId).map((notice) => notice.kind);
}

/** Board and runs agree that nothing is at work any more; a task for a person may stay open. */
async function expectAtRest(rootRunId: string): Promise<void> {
  await quiet();
  await eventually(async () => {
    const { runs, tasks: given } = await chainOf(rootRunId);
    const atWork = given.filter(
      (item) => item.assignee !== "@human" && ["open", "dispatched", "running"].includes(item.status),
    );
    return atWork.length === 0 && runs.every((run) => run.status !== null);
  });
}

async function rowsIn(rootRunId: string) {
  return (await messages("?limit=500")).filter((row) => row.rootRunId === rootRunId);
}

describe("L10 agents that only delegate", () => {
  it.each([
    ["1 and 21: L10 in a pair, at the chain's depth", ["p2", "q2"], LIMITS],
    ["1 and 21: L10 in a triangle, at the chain's depth", ["p3", "q3", "r3"], LIMITS],
    ["26: L10 to oneself, at the chain's depth", ["s1"], LIMITS],
    ["22: L10 down to fresh workers, at the chain's depth", ["@new:w1"], LIMITS],
    ["21: L10 in a triangle, at the chain's runs", ["p4", "q4", "r4"], { ...LIMITS, depth: 50, runs: 7 }],
    ["97: L10 in a pair, at the chain's cost", ["p5", "q5"], { ...LIMITS, depth: 50, costUsd: 0.008 }],
  ])(
    "%s: they stop, a person is told once, and nothing stays at work",
    async (_name, names, limits) => {
      const [first = ""] = names;
      const base = first.replace("@new:", "");
      await team(first === base ? ring(...names) : [delegates(base, first)], { perChain: limits });
      const { rootRunId } = await chat(base, "go");
      await expectAtRest(rootRunId);
      for (let pass = 0; pass < 3; pass += 1) await lateScan();
      await expectAtRest(rootRunId);
      const chain = await chainOf(rootRunId);
      const worked = chain.runs.filter((run) => run.status !== "budget");
      expect(worked.length).toBeLessThanOrEqual(limits.runs);
      expect(await toldOf(rootRunId)).toHaveLength(1);
      const { results } = await env.DB.prepare(
        `SELECT DISTINCT "RootRunId" AS root FROM "RunReceipts" WHERE "AgentId" = ?`,
      )
        .bind(base)
        .all();
      expect(results).toEqual([{ root: rootRunId }]);
      const rows = await rowsIn(rootRunId);
      const denied = rows.filter((row) => row.status === "denied");
      if (limits.costUsd === LIMITS.costUsd) expect(denied.length).toBeGreaterThan(0);
      else expect(chain.frozen).toBe(true);
      expect(denied.every((row) => row.channel === "task" && row.content.includes("Denied ("))).toBe(true);
    },
    60_000,
  );

  it("L10 the chain's cost over asks, tasks, stages and wakes is the sum of its receipts", async () => {
    await team([puppet("boss"), puppet("hand"), puppet("other")]);
    const ask: Step = ["ask_agent", { agentId: "boss", question: "Which?" }];
    const { rootRunId } = await giveTask("boss", {
      assignee: "hand",
      description: steps(ask, complete),
      stages: [{ title: "Roast", description: steps(complete), assignee: "other" }],
    });
    await eventually(async () => (await tasks("?assignee=other&status=done")).length === 1);
    await quiet();
    const sum = await env.DB.prepare(`SELECT sum("CostMicros") AS n FROM "RunReceipts" WHERE "RootRunId" = ?`)
      .bind(rootRunId)
      .first("n");
    const { totals, runs } = await chainOf(rootRunId);
    expect(runs.map((run) => run.trigger).sort()).toEqual(["ask", "chat", "task", "task", "task", "task"]);
    expect(totals.costUsd).toBeCloseTo(Number(sum) / 1e6, 9);
    expect(totals.costUsd).toBeGreaterThan(0);
  });
});

describe("L10 a chain that is stopped", () => {
  const dear = { when: { step: 1 }, say: "ok", usage: { inputTokens: 5_000, outputTokens: 0 } };

  it("161: L10 by its budget: the task of the run that died is blocked with the reason, and can go on when it is released", async () => {
    await team(
      [
        puppet("boss"),
        puppet("hand", { rules: [{ when: { user: "/^Task/", step: 0 }, ...spend(5_000) }, dear] }),
      ],
      { perChain: { ...LIMITS, tokens: 4_000 } },
    );
    const { taskId, rootRunId } = await giveTask("boss", { assignee: "hand" });
    await eventually(async () => (await task(taskId)).status === "blocked");
    await expectAtRest(rootRunId);
    expect((await task(taskId)).reason).toContain("budget");
    expect((await chainOf(rootRunId)).frozen).toBe(true);
    expect(await toldOf(rootRunId)).toEqual(["chain_frozen"]);
    for (let pass = 0; pass < 3; pass += 1) await lateScan();
    expect((await task(taskId)).status).toBe("blocked");
    await send("POST", `/api/chains/${rootRunId}/release`);
    await act(taskId, "comments", { text: "There is money again. Please look at it." });
    await quiet();
    const runs = (await chainOf(rootRunId)).runs.filter((run) => run.agentId === "boss");
    expect(runs.map((run) => run.status)).toEqual(["completed", "budget", "completed"]);
  });

  it("101 and 161: L10 by a person: every run ends and no task stays at work", async () => {
    const stuck = (agentId: string) =>
      agent(agentId, {
        tools: { Taskboard: {} },
        rules: [{ when: { user: "/^Task/", step: 0 }, say: "never", delayMs: 600_000 }],
      });
    await team([puppet("boss"), puppet("lead"), stuck("stuck"), puppet("sleeper", { paused: true })]);
    const give = (assignee: string): Step => [
      "task_create",
      { title: "Part", description: "Do it.", assignee },
    ];
    const { taskId, rootRunId } = await giveTask("boss", {
      assignee: "lead",
      description: steps(give("stuck"), give("@new:stuck"), give("sleeper"), give("@human")),
    });
    await eventually(async () => (await task(taskId)).status === "waiting");
    await eventually(async () => (await tasks("?assignee=@new:stuck"))[0]?.status === "running");
    expect((await send("POST", `/api/chains/${rootRunId}/cancel`)).status).toBe(200);
    await expectAtRest(rootRunId);
    await lateScan();
    await expectAtRest(rootRunId);
    const chain = await chainOf(rootRunId);
    const ended = chain.runs.filter((run) => run.agentId !== "boss" && run.agentId !== "lead");
    expect(new Set(ended.map((run) => run.status))).toEqual(new Set(["cancelled"]));
    expect(chain.tasks.map((item) => item.status)).not.toContain("waiting");
  });

  it("L10 by the day's budget: tasks are blocked with the reason, and a person is told once", async () => {
    await team(
      [puppet("boss"), puppet("hand", { rules: [{ when: { user: "/^Task/", step: 0 }, ...spend(100) }] })],
      {
        perDay: { costUsd: 0.000_001 },
      },
    );
    await chat("hand", "Task of a chat");
    const created = await send("POST", "/api/tasks", {
      title: "Count",
      description: "All.",
      assignee: "hand",
    });
    expect(created.status).toBe(201);
    const [given] = await tasks("?assignee=hand");
    await eventually(async () => (await task(given?.taskId ?? "")).status === "blocked");
    await quiet();
    expect((await task(given?.taskId ?? "")).reason).toContain("day");
    expect((await notices()).filter((notice) => notice.kind === "day_budget")).toHaveLength(1);
    await team([puppet("boss")], { perDay: { costUsd: 50 } });
  });
});

/** A step that costs so many tokens and goes on. */
function spend(tokens: number) {
  return {
    calls: [{ name: "task_list", arguments: {} }],
    usage: { inputTokens: tokens, outputTokens: 0 },
  };
}
