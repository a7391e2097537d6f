/** The taskboard while D1 is away, or takes what it is given and loses its answer. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { audit, chat, eventually, get, messages, send } from "./support/api.ts";
import {
  giveTask,
  lateScan,
  pendingOrders,
  puppet,
  quiet,
  type Step,
  scan,
  steps,
  tell,
} from "./support/board.ts";
import { errorOf, through } from "./support/door.ts";
import { act, createTask, task, tasks } from "./support/tasks.ts";
import { agent, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const UNREACHABLE = "Failed: the taskboard cannot be reached";
/** More writes than the story has. */
const MAX_WRITES = 40;
/** Longer than the taskboard's own second attempt. */
const OUTAGE = 3;

/** A task from `a` to `b`, who comments on it and completes it, with the taskboard's n-th write and some more failing. */
async function story(name: string, fault: { from: number; late: boolean }): Promise<boolean> {
  const [a, b] = [`${name}a${fault.from}`, `${name}b${fault.from}`];
  const work: readonly Step[] = [
    ["task_comment", { text: "I have begun with it." }],
    ["task_complete", { result: "42 beans" }],
  ];
  await team([puppet(a), puppet(b)]);
  resetWatch();
  watch.boardFault = { ...fault, to: fault.from + OUTAGE - 1 };
  const args = { title: "Count", description: steps(...work), assignee: b };
  const { reply } = await tell(a, "task_create", args);
  await quiet();
  const failed = reply.startsWith(UNREACHABLE);
  const label = `${name} ${fault.from}`;
  await eventually(async () => {
    await lateScan();
    const given = await tasks(`?assignee=${b}`);
    return (await pendingOrders()) === 0 && given.every((item) => item.status === "done");
  });
  await quiet();
  const given = await tasks(`?assignee=${b}`);
  if (!failed) expect(given.length, label).toBe(1);
  expect(given.length, label).toBeLessThanOrEqual(1);
  for (const { taskId } of given) await checkWhole(taskId, label);
  if (given.length === 0) expect(await messages(`?a=${a}`), label).toEqual([]);
  return watch.boardWrites >= fault.from;
}

/** Every event has its row and every row its event; what a model was told has happened has. */
async function checkWhole(taskId: string, label: string): Promise<void> {
  const { events, result, attempts } = await task(taskId);
  expect([result, attempts <= 2], label).toEqual(["42 beans", true]);
  const rows = (await messages("?limit=500")).filter((row) => row.taskId === taskId);
  const count = (kind: string) => events.filter((event) => event.kind === kind).length;
  expect(
    ["task", "task_comment", "task_result"].map(
      (channel) => rows.filter((row) => row.channel === channel).length,
    ),
    label,
  ).toEqual([count("created"), count("commented"), count("completed")]);
  expect([count("created"), count("completed")], label).toEqual([1, 1]);
  const calls = (await audit("?limit=500")).filter((entry) => entry.arguments.includes(taskId));
  for (const [tool, kind] of [
    ["task_comment", "commented"],
    ["task_complete", "completed"],
  ] as const) {
    const ok = calls.filter((entry) => entry.tool === tool && entry.outcome === "ok").length;
    expect(ok, `${label} ${tool}`).toBeLessThanOrEqual(count(kind));
  }
}

describe("L3 L9 with D1 failing at any write of the taskboard", () => {
  it.each([
    ["before it is done", "early", false],
    ["after it is done, so that nobody knows", "late", true],
  ])(
    "L3 L9 nothing is half done, lost or done twice when it fails %s",
    async (_name, name, late) => {
      let from = 1;
      while (from < MAX_WRITES && (await story(name, { from, late }))) from += 1;
      expect(from).toBeGreaterThan(5);
    },
    180_000,
  );

  it("L9 a short failure is not even noticed", async () => {
    await team([puppet("a"), puppet("b")]);
    watch.boardFault = { from: 1, to: 1, late: true };
    const { taskId } = await giveTask("a", {
      assignee: "b",
      description: steps(["task_complete", { result: "x" }]),
    });
    await eventually(async () => (await task(taskId)).status === "done");
    expect((await tasks("?assignee=b")).length).toBe(1);
  });
});

describe("L3 L9 while D1 is away", () => {
  it("116: L3 every act is a readable error to a model, and changes nothing", async () => {
    await team([puppet("boss"), puppet("sleeper", { paused: true })]);
    const { taskId } = await giveTask("boss", { assignee: "sleeper", acceptance: "Right." });
    const before = await task(taskId);
    const calls: readonly Step[] = [
      ["task_create", { title: "x", description: "y", assignee: "sleeper" }],
      ["task_list"],
      ["task_get", { taskId }],
      ["task_comment", { taskId, text: "hello there" }],
      ["task_complete", { taskId, result: "x" }],
      ["task_block", { taskId, reason: "x" }],
      ["task_review", { taskId, decision: "accept" }],
      ["task_cancel", { taskId }],
    ];
    watch.boardAway = true;
    for (const [name, args = {}] of calls) {
      const answer = await tell("boss", name, args);
      expect([answer.status, answer.reply.slice(0, UNREACHABLE.length)], name).toEqual([
        "completed",
        UNREACHABLE,
      ]);
    }
    watch.boardAway = false;
    expect(await task(taskId)).toEqual(before);
    expect((await tasks("?assignee=sleeper")).length).toBe(1);
    await act(taskId, "cancel", {});
  });

  it("161: L2 L9 the end of a task's run reaches the board later, once", async () => {
    await team([agent("lazy", { tools: { Taskboard: {} }, rules: [{ say: "no", delayMs: 300 }] })]);
    const { taskId, runId } = await createTask({ assignee: "lazy" });
    watch.boardAway = true;
    await eventually(async () => Object(await get(`/api/runs/${runId}`)).receipt !== null);
    await scan();
    expect((await task(taskId)).attempts).toBe(1);
    watch.boardAway = false;
    await eventually(async () => (await task(taskId)).status === "blocked");
    const { events, attempts } = await task(taskId);
    expect([attempts, events.map((event) => event.kind)]).toEqual([
      2,
      ["created", "offered_again", "blocked"],
    ]);
  });

  it("is a readable error to a person, and changes nothing", async () => {
    await team([puppet("boss")]);
    const { taskId } = await createTask({ assignee: "@human" });
    const before = await task(taskId);
    const DB = new Proxy(env.DB, {
      get: () => () => {
        throw new Error("D1_ERROR: injected outage");
      },
    });
    const doors: readonly (readonly [string, unknown])[] = [
      ["", { title: "x", description: "y", assignee: "@human" }],
      [`/${taskId}/comments`, { text: "hello there" }],
      [`/${taskId}/complete`, { result: "x" }],
      [`/${taskId}/block`, { reason: "x" }],
      [`/${taskId}/review`, { decision: "accept" }],
      [`/${taskId}/cancel`, {}],
    ];
    for (const [path, body] of doors) {
      const answer = await through({ DB }, `/api/tasks${path}`, {
        method: "POST",
        body: JSON.stringify(body),
      });
      expect(await errorOf(answer), path).toMatchObject({ status: 503 });
    }
    for (const path of ["", `/${taskId}`])
      expect(await errorOf(await through({ DB }, `/api/tasks${path}`)), path).toMatchObject({ status: 503 });
    expect(await task(taskId)).toEqual(before);
  });

  it("L9 an order that was not taken is handed out by the scan, once", async () => {
    await team([puppet("boss"), puppet("hand")]);
    watch.boardFault = { from: 2, to: 2 + OUTAGE, late: false };
    const done = steps(["task_complete", { result: "x" }]);
    const { taskId } = await giveTask("boss", { assignee: "hand", description: done });
    await eventually(async () => {
      await scan();
      return (await task(taskId)).status === "done" && (await pendingOrders()) === 0;
    });
    await quiet();
    const { results } = await env.DB.prepare(
      `SELECT "AgentId" FROM "RunReceipts" WHERE "AgentId" = 'hand'`,
    ).all();
    expect(results.length).toBe((await task(taskId)).attempts);
    await chat("boss", "fine");
    await send("DELETE", "/api/agents/hand");
  });
});
