/** Arguments that mean no good, and texts that are too large, given to the taskboard. */
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MAX_ROW_TEXT_BYTES } from "../../core/limits.ts";
import { get, messageShape, messages, request, send } from "./support/api.ts";
import { giveTask, lateScan, notices, pendingOrders, puppet, quiet, tell } from "./support/board.ts";
import { storedRows } from "./support/objects.ts";
import { act, createTask, task, tasks } from "./support/tasks.ts";
import { agent, team } from "./support/team.ts";
import { resetWatch } from "./support/watched-world.ts";

const SQL = "'; DROP TABLE Tasks; --";
/** As long as a chat may make a model say it; a door takes more. */
const LONG = "x".repeat(8_000);
const MEGABYTE = "x".repeat(1_000_000);
const NEW = { title: "Count", description: "All of them.", assignee: "sleeper" };

beforeAll(() => team([puppet("boss"), puppet("hand"), puppet("sleeper", { paused: true })]));
beforeEach(resetWatch);

describe("assignees", () => {
  it.each([
    ["a worker of nobody", "@new:"],
    ["a worker of a worker", "@new:@new:boss"],
    ["a worker with a space", "@new: boss"],
    ["a person in capitals", "@HUMAN"],
    ["a person with a space inside", "@ human"],
    ["a look-alike", "b\u043ess"],
    ["a full-width look-alike", "\uff42\uff4f\uff53\uff53"],
    ["a bar, as between two ids", "boss|sleeper"],
    ["a hidden character", "bo\u200bss"],
    ["a NUL", "boss\u0000"],
    ["a path", "../boss"],
    ["a statement", SQL],
    ["a very long name", LONG],
    ["an object's own name", "boss@t1"],
    ["markup", "<img src=x onerror=alert(1)>"],
  ])("refuse %s readably, with a row that can be shown", async (_name, assignee) => {
    const { reply, rootRunId } = await tell("boss", "task_create", { ...NEW, assignee });
    expect(reply.slice(0, 200)).toMatch(/^(Denied \(unknown_agent\)|Failed: Wrong arguments)/);
    expect(reply.length).toBeLessThan(2_000);
    await quiet();
    const rows = (await messages("?a=boss")).filter((row) => row.rootRunId === rootRunId);
    expect(rows.map((row) => [row.status, row.channel])).toEqual([["denied", "task"]]);
    const [{ toAgentId = "", pairKey = "" } = {}] = rows;
    expect(toAgentId).toMatch(/^[^|\p{C}]{1,63}$/u);
    expect(pairKey.split("|").sort()).toEqual(["boss", toAgentId].sort());
    const body = JSON.stringify({ ...NEW, assignee });
    expect((await request("/api/tasks", { method: "POST", body })).status).toBe(400);
    expect((await tasks("?limit=500")).length).toBe(0);
  });

  it("and ids of a megabyte are refused at the door", async () => {
    const refused = { assignee: MEGABYTE, parentTaskId: MEGABYTE, priority: MEGABYTE, dueAt: MEGABYTE };
    for (const [name, value] of Object.entries(refused))
      expect((await send("POST", "/api/tasks", { ...NEW, [name]: value })).status, name).toBe(400);
    expect((await send("POST", `/api/tasks/${MEGABYTE}/cancel`, {})).status).toBe(404);
  });

  it("may have blanks around them", async () => {
    const created = [
      await createTask({ assignee: " @human " }),
      await createTask({ assignee: "\tsleeper\n" }),
    ];
    expect(created.map((item) => item.assignee)).toEqual(["@human", "sleeper"]);
    for (const { taskId } of created) await act(taskId, "cancel", {});
  });
});

describe("task ids", () => {
  it.each([SQL, "%", "_", "", " ", "t1\u0000", "\u{1f600}", "../../etc", '"} OR 1=1', LONG])(
    "that are none are told so: %#",
    async (taskId) => {
      const open = await createTask({ assignee: "sleeper" });
      const acts: readonly (readonly [string, Record<string, unknown>])[] = [
        ["task_get", {}],
        ["task_comment", { text: "hello there" }],
        ["task_complete", { result: "x" }],
        ["task_block", { reason: "x" }],
        ["task_review", { decision: "accept" }],
        ["task_cancel", {}],
        ["task_create", { ...NEW, parentTaskId: taskId }],
      ];
      for (const [name, args] of acts) {
        const { reply, status } = await tell("boss", name, { taskId, ...args });
        expect(status, name).toBe("completed");
        expect(reply.slice(0, 300), name).toMatch(
          /^(Denied \(no_such_task\)|Failed: there is no task|Failed: Wrong arguments)/,
        );
      }
      if (taskId.length < 1_000 && taskId.trim() !== "" && !taskId.startsWith("..")) {
        const path = `/api/tasks/${encodeURIComponent(taskId)}`;
        expect((await request(path)).status).toBe(404);
        expect((await send("POST", `${path}/cancel`, {})).status).toBe(404);
      }
      expect((await task(open.taskId)).status).toBe("dispatched");
      await act(open.taskId, "cancel", {});
    },
  );
});

describe("arguments", () => {
  const stage = { title: "Next", description: "Go on.", assignee: "sleeper" };
  it.each([
    ["a title of 10,000 characters", { title: "x".repeat(10_000) }],
    ["an empty title", { title: "   " }],
    ["no description", { description: "" }],
    ["a title that is none", { title: { $ne: null } }],
    ["21 stages", { stages: Array.from({ length: 21 }, () => stage) }],
    ["stages that are none", { stages: "many" }],
    ["a stage without assignee", { stages: [{ title: "x", description: "y" }] }],
    ["a priority that is none", { priority: "URGENT!!" }],
    ["a priority that is a number", { priority: 3 }],
    ["a due time that is none", { dueAt: "tomorrow" }],
    ["a due time that does not exist", { dueAt: "2027-02-30T10:00:00Z" }],
    ["a due time without zone", { dueAt: "2027-02-03T10:00:00" }],
    ["a due time that is a number", { dueAt: 1_900_000_000_000 }],
    ["an assignee that is a list", { assignee: ["boss"] }],
    ["an empty acceptance", { acceptance: "" }],
    ["a prototype", JSON.parse('{"__proto__": {"title": "x"}, "title": null}')],
  ])("are refused with what is wrong: %s", async (_name, args) => {
    const { reply } = await tell("boss", "task_create", { ...NEW, ...args });
    expect(reply).toMatch(/^Failed: Wrong arguments\. /);
    expect((await send("POST", "/api/tasks", { ...NEW, ...args })).status).toBe(400);
    expect((await tasks("?status=open")).length).toBe(0);
  });

  it.each(["status=lost", "limit=0", "limit=501", "limit=x", "cursor=x", "cursor=%27~%27"])(
    "of a list are refused: %s",
    async (query) => {
      expect((await request(`/api/tasks?${query}`)).status).toBe(400);
    },
  );

  it("stages in a stage are not there", async () => {
    const nested = { ...stage, stages: [stage] };
    const { taskId } = await createTask({ assignee: "@human", stages: [nested] });
    expect((await task(taskId)).stages).toEqual([stage]);
    await act(taskId, "cancel", {});
  });

  it("may mention a mask", async () => {
    const { taskId } = await giveTask("boss", { ...NEW, description: "Where does [secret:X] come from?" });
    expect(await task(taskId)).toMatchObject({ description: "Where does [secret:X] come from?" });
    await act(taskId, "cancel", {});
  });

  it("a due time is kept in UTC, so that it is due when it is", async () => {
    const inOneHour = Date.now() + 3_600_000;
    const elsewhere = (time: number, zone: number) =>
      `${new Date(time + zone * 3_600_000).toISOString().slice(0, 19)}${zone < 0 ? "-" : "+"}${String(Math.abs(zone)).padStart(2, "0")}:00`;
    const early = await createTask({ assignee: "@human", dueAt: elsewhere(inOneHour, -11) });
    const late = await createTask({ assignee: "@human", dueAt: elsewhere(inOneHour - 7_200_000, 11) });
    expect(await task(early.taskId)).toMatchObject({
      dueAt: new Date(Math.floor(inOneHour / 1_000) * 1_000).toISOString(),
    });
    await lateScan();
    const overdue = (await notices()).filter((notice) => notice.kind === "task_overdue");
    expect(overdue.map((notice) => notice.text.includes(late.taskId))).toEqual([true]);
    for (const { taskId } of [early, late]) await act(taskId, "cancel", {});
  });
});

/** Bytes of the largest row of each table of the taskboard. */
async function largestRows(): Promise<number[]> {
  const tables = ["Tasks", "TaskEvents", "TaskWakes", "AgentMessages", "Notices"];
  return Promise.all(
    tables.map(async (table) => {
      const { results } = await env.DB.prepare(`SELECT * FROM "${table}"`).all();
      return Math.max(0, ...results.map((row) => bytesOf(Object.values(row))));
    }),
  );
}

function bytesOf(cells: readonly unknown[]): number {
  return new TextEncoder().encode(cells.map((cell) => String(cell ?? "")).join("")).length;
}

/** What the platform allows is 2,000,000; the product stays under it by its own limit. */
async function expectRowsToFit(): Promise<void> {
  for (const bytes of await largestRows()) expect(bytes).toBeLessThanOrEqual(MAX_ROW_TEXT_BYTES + 20_000);
  const stored = (await storedRows()).map(({ cells }) => bytesOf(Object.values(cells)));
  expect(Math.max(...stored)).toBeLessThanOrEqual(2_000_000);
}

describe("large texts", () => {
  const euros = (count: number) => "\u20ac".repeat(count);
  const bells = (count: number) => "\u0007".repeat(count);
  const texts = {
    title: euros(300),
    description: `${euros(700_000)}end`,
    acceptance: `${bells(600_000)}\ud800 end`,
  };

  it("L3 leave every row within its limit, in D1 and in the objects, and read back whole", async () => {
    const stages = Array.from({ length: 10 }, (_, index) => ({
      title: `Stage ${index}`,
      description: `${bells(90_000)}${index}`,
      assignee: "@human",
    }));
    await send("PUT", "/api/agents/full", puppet("full", { limits: { queue: 1 }, paused: true }));
    const { taskId: first } = await createTask({ ...texts, assignee: "full", stages });
    const { taskId: second } = await createTask({ ...texts, assignee: "full", stages });
    expect(await pendingOrders()).toBe(1);
    await expectRowsToFit();
    for (const taskId of [first, second]) {
      const whole = await task(taskId);
      expect(whole).toMatchObject({ title: texts.title, description: texts.description, stages });
      expect(whole.acceptance).toBe(`${bells(600_000)}\ufffd end`);
    }
    const listed = (await tasks("?assignee=full"))[0];
    expect(listed).toMatchObject({ truncated: true });
    expect(JSON.stringify(listed).length).toBeLessThan(200_000);
    for (const taskId of [first, second]) await act(taskId, "cancel", { reason: euros(900_000) });
    await send("DELETE", "/api/agents/full");
    await expectRowsToFit();
  }, 60_000);

  it("L3 go through result, comment, reason, rejection and the next stage", async () => {
    const stages = [{ title: "Next", description: `${euros(300_000)}next`, assignee: "@human" }];
    const { taskId } = await createTask({ ...texts, assignee: "@human", stages });
    const result = `${euros(900_000)}result`;
    const text = `${bells(900_000)}comment`;
    expect((await act(taskId, "comments", { text })).status).toBe(200);
    expect((await act(taskId, "complete", { result })).status).toBe(200);
    expect(await task(taskId)).toMatchObject({ status: "review", result });
    await act(taskId, "review", { decision: "reject", comment: `${euros(900_000)}again` });
    await act(taskId, "complete", { result: "short now" });
    expect(await task(taskId)).toMatchObject({ result: "short now", description: texts.description });
    await act(taskId, "review", { decision: "accept", comment: euros(900_000) });
    const next = (await tasks("?assignee=@human&status=open"))[0];
    const stage = await task(next?.taskId ?? "");
    expect(stage.description).toContain(`next\n\nResult of the stage before`);
    expect(stage.description).toContain("short now");
    const reason = `${euros(900_000)}reason`;
    await act(stage.taskId, "block", { reason });
    expect(await task(stage.taskId)).toMatchObject({ status: "blocked", reason });
    await expectRowsToFit();
  }, 60_000);

  it("L3 of a model reach its creator's run cut and the record whole", async () => {
    const big = "{{repeat:\u20ac:800000}}";
    await team([
      puppet("boss"),
      agent("big", {
        tools: { Taskboard: {} },
        rules: [
          {
            when: { user: "/^Task (\\S+) from/", step: 0 },
            calls: [
              { name: "task_comment", arguments: { taskId: "{{user.1}}", text: `${big}comment` } },
              { name: "task_complete", arguments: { taskId: "{{user.1}}", result: `${big}result` } },
            ],
          },
          { say: "done" },
        ],
      }),
    ]);
    const { taskId, rootRunId } = await giveTask("boss", { assignee: "big" });
    await quiet();
    expect(await task(taskId)).toMatchObject({ status: "done", result: `${euros(800_000)}result` });
    const rows = (await messages("?a=big&limit=500")).filter((row) => row.rootRunId === rootRunId);
    const whole = await Promise.all(rows.map((row) => get(`/api/messages/${row.id}`)));
    expect(whole.map((row) => messageShape.parse(row).content.slice(-6))).toEqual([
      " them.",
      "omment",
      "result",
    ]);
    await expectRowsToFit();
  }, 60_000);
});
