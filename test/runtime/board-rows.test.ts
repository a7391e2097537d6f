/** The taskboard's part of "Rows: who, which, when", row by row. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { chat, eventually, type Message, messages, send } from "./support/api.ts";
import { chainOf, giveTask, puppet, quiet, type Step, steps, tell } from "./support/board.ts";
import { act, createTask, type TaskAnswer, task } from "./support/tasks.ts";
import { agent, team } from "./support/team.ts";

const ACCEPTANCE = { acceptance: "It is right." };
/** Keeps a task under way: it waits for a person. */
const HOLD: Step = ["task_create", { title: "Hold", description: "Wait.", assignee: "@human" }];
const comment = (text: string): Step => ["task_comment", { text }];
const complete = (result = "42 beans"): Step => ["task_complete", { result }];

beforeAll(() =>
  team(
    [
      puppet("boss"),
      puppet("worker"),
      puppet("third"),
      puppet("shy", { colleagues: ["worker"] }),
      agent("sleeper", { tools: { Taskboard: {} }, paused: true }),
    ],
    { perChain: { runs: 100, depth: 3, costUsd: 5, tokens: 2_000_000 } },
  ),
);

/** A task of `boss`, or of a person, for which the assignee does these steps. */
async function boss(assignee: string, todo: readonly Step[], args: Record<string, unknown> = {}) {
  const { taskId } = await giveTask("boss", { assignee, description: steps(...todo), ...args });
  return taskId;
}
async function person(assignee: string, todo: readonly Step[], args: Record<string, unknown> = {}) {
  const created = await createTask({ assignee, description: steps(...todo), ...args });
  return created.taskId;
}

async function reaches(taskId: string, status: string): Promise<string> {
  await eventually(async () => (await task(taskId)).status === status);
  return taskId;
}

/** The acting run's agent, `@new` for a fresh worker, `@human` for a person. */
function actorOf({ runId }: Message): string {
  const name = runId.slice(0, runId.lastIndexOf("."));
  return name.replace(/^(\w+)@t\w+$/, "$1@new");
}

/** The rows about one task: who to whom, as what, and by whose act. */
async function rowsAbout(taskId: string): Promise<string[]> {
  await quiet();
  const rows = (await messages("?limit=500")).filter((row) => row.taskId === taskId);
  for (const row of rows) await checkLineage(row, await task(taskId));
  return rows.map(
    (row) =>
      `${row.fromAgentId}>${row.toAgentId} ${row.channel} ${row.direction} ${row.status} by ${actorOf(row)}`,
  );
}

/** A row bears the lineage of the acting run; a person's act bears a minted id, in the task's chain. */
async function checkLineage(row: Message, about: TaskAnswer): Promise<void> {
  expect(row.pairKey).toBe([row.fromAgentId, row.toAgentId].sort().join("|"));
  const receipt = await env.DB.prepare(
    `SELECT "ParentRunId" AS parent, "RootRunId" AS root FROM "RunReceipts" WHERE "RunId" = ?`,
  )
    .bind(row.runId)
    .first();
  if (actorOf(row) !== "@human")
    return expect(receipt).toEqual({ parent: row.parentRunId, root: row.rootRunId });
  expect([receipt, row.runId]).toEqual([null, expect.stringMatching(/^@human\.\w+$/)]);
  expect(row.rootRunId).toBe(about.rootRunId);
  const isNew = row.channel === "task" && about.creator === "@human";
  if (isNew) expect([row.runId, row.parentRunId]).toEqual([about.rootRunId, null]);
  else expect(row.runId).not.toBe(about.rootRunId);
}

const TASK = (from: string, to: string, by = from) => `${from}>${to} task request delivered by ${by}`;
const COMMENT = (from: string, to: string, by = from) =>
  `${from}>${to} task_comment request delivered by ${by}`;
const REPLY = (from: string, to: string, by = from) =>
  `${from}>${to} task_comment response delivered by ${by}`;
const RESULT = (from: string, to: string, by = from) =>
  `${from}>${to} task_result response delivered by ${by}`;

const cases: readonly (readonly [string, () => Promise<string>, readonly string[]])[] = [
  ["a task of an agent for another", () => boss("sleeper", []), [TASK("boss", "sleeper")]],
  [
    "a task for a fresh worker, which appears under its agent's id",
    async () => reaches(await boss("@new:worker", [complete()]), "done"),
    [TASK("boss", "worker"), RESULT("worker", "boss", "worker@new")],
  ],
  [
    "a task of an agent for a person, who completes it",
    async () => {
      const taskId = await boss("@human", []);
      await act(taskId, "complete", { result: "here" });
      return taskId;
    },
    [TASK("boss", "@human"), RESULT("@human", "boss")],
  ],
  [
    "a task of an agent for a person, who blocks it",
    async () => {
      const taskId = await boss("@human", []);
      await act(taskId, "block", { reason: "no time" });
      return taskId;
    },
    [TASK("boss", "@human"), RESULT("@human", "boss")],
  ],
  [
    "a task for oneself, commented on and completed: no row",
    async () => reaches(await boss("boss", [comment("a note"), complete()]), "done"),
    [],
  ],
  ["a task of a person for a person: no row", () => person("@human", []), []],
  [
    "a task of a person for an agent",
    async () => reaches(await person("worker", [complete()]), "done"),
    [TASK("@human", "worker"), RESULT("worker", "@human")],
  ],
  [
    "a task that is blocked by its assignee",
    async () => reaches(await boss("worker", [["task_block", { reason: "no beans" }]]), "blocked"),
    [TASK("boss", "worker"), RESULT("worker", "boss")],
  ],
  [
    "a task that the engine blocks, because nobody finished it",
    async () => reaches(await boss("worker", []), "blocked"),
    [TASK("boss", "worker"), RESULT("worker", "boss")],
  ],
  [
    "a comment of the assignee",
    async () => reaches(await boss("worker", [comment("may I?"), complete()]), "done"),
    [TASK("boss", "worker"), REPLY("worker", "boss"), RESULT("worker", "boss")],
  ],
  [
    "a comment of the creator",
    async () => {
      const taskId = await boss("sleeper", []);
      await tell("boss", "task_comment", { taskId, text: "the green ones too" });
      return taskId;
    },
    [TASK("boss", "sleeper"), COMMENT("boss", "sleeper")],
  ],
  [
    "a comment of a third agent: one row to each",
    async () => {
      const taskId = await boss("sleeper", []);
      await tell("third", "task_comment", { taskId, text: "I have some too" });
      return taskId;
    },
    [TASK("boss", "sleeper"), COMMENT("third", "boss"), COMMENT("third", "sleeper")],
  ],
  [
    "a comment of a person who is neither creator nor assignee: one row to each",
    async () => {
      const taskId = await boss("sleeper", []);
      await act(taskId, "comments", { text: "hurry up" });
      return taskId;
    },
    [TASK("boss", "sleeper"), COMMENT("@human", "boss"), COMMENT("@human", "sleeper")],
  ],
  [
    "a comment of a person on a person's task for an agent",
    async () => {
      const taskId = await person("sleeper", []);
      await act(taskId, "comments", { text: "hurry up" });
      return taskId;
    },
    [TASK("@human", "sleeper"), COMMENT("@human", "sleeper")],
  ],
  [
    "a comment of a person on a task for a person",
    async () => {
      const taskId = await boss("@human", []);
      await act(taskId, "comments", { text: "which beans?" });
      return taskId;
    },
    [TASK("boss", "@human"), REPLY("@human", "boss")],
  ],
  [
    "a comment of a third party on a task that somebody gave to itself: one row",
    async () => {
      const taskId = await reaches(await boss("boss", [HOLD]), "waiting");
      await tell("third", "task_comment", { taskId, text: "can I help?" });
      return taskId;
    },
    [COMMENT("third", "boss")],
  ],
  [
    "a result that its creator accepts",
    async () => {
      const taskId = await reaches(await boss("worker", [complete()], ACCEPTANCE), "review");
      await tell("boss", "task_review", { taskId, decision: "accept" });
      return taskId;
    },
    [TASK("boss", "worker"), RESULT("worker", "boss"), COMMENT("boss", "worker")],
  ],
  [
    "a result that a person accepts",
    async () => {
      const taskId = await reaches(await boss("worker", [complete()], ACCEPTANCE), "review");
      await act(taskId, "review", { decision: "accept", comment: "well done" });
      return taskId;
    },
    [TASK("boss", "worker"), RESULT("worker", "boss"), COMMENT("@human", "worker")],
  ],
  [
    "a result that its creator rejects, and the next one",
    async () => {
      const taskId = await reaches(await boss("worker", [complete()], ACCEPTANCE), "review");
      await tell("boss", "task_review", { taskId, decision: "reject", comment: "count again" });
      return reaches(taskId, "review");
    },
    [TASK("boss", "worker"), RESULT("worker", "boss"), COMMENT("boss", "worker"), RESULT("worker", "boss")],
  ],
  [
    "a result that is rejected too often: the comment, and that the task is blocked",
    async () => {
      const taskId = await person("@human", [], {
        ...ACCEPTANCE,
        assignee: "worker",
        description: steps(complete()),
      });
      for (let round = 0; round < 4; round += 1) {
        await reaches(taskId, "review");
        await act(taskId, "review", { decision: "reject", comment: "count again" });
      }
      return taskId;
    },
    [
      TASK("@human", "worker"),
      ...[0, 1, 2, 3].flatMap(() => [RESULT("worker", "@human"), COMMENT("@human", "worker")]),
      RESULT("worker", "@human", "@human"),
    ],
  ],
  [
    "a task that its creator cancels",
    async () => {
      const taskId = await boss("sleeper", []);
      await tell("boss", "task_cancel", { taskId, reason: "no need" });
      return taskId;
    },
    [TASK("boss", "sleeper"), COMMENT("boss", "sleeper")],
  ],
  [
    "a task of an agent that a person cancels",
    async () => {
      const taskId = await boss("sleeper", []);
      await act(taskId, "cancel", {});
      return taskId;
    },
    [TASK("boss", "sleeper"), COMMENT("@human", "sleeper")],
  ],
  [
    "a task of an agent for a person that a person cancels: its creator is told",
    async () => {
      const taskId = await boss("@human", []);
      await act(taskId, "cancel", { reason: "not today" });
      return taskId;
    },
    [TASK("boss", "@human"), COMMENT("@human", "boss")],
  ],
];

describe("L3 L4 rows of the taskboard", () => {
  it.each(cases)("L3 L4: %s", async (_name, arrange, expected) => {
    const taskId = await arrange();
    await eventually(async () => (await rowsAbout(taskId)).length >= expected.length);
    expect(await rowsAbout(taskId)).toEqual(expected);
  });

  it("L3 L4: the next stage, by the run that finished the one before", async () => {
    const stages = [{ title: "Roast", description: steps(complete("roasted")), assignee: "third" }];
    const first = await reaches(await boss("worker", [complete()], { stages }), "done");
    await quiet();
    const { rootRunId } = await task(first);
    const rows = (await messages("?limit=500")).filter((row) => row.rootRunId === rootRunId);
    const second = rows.find((row) => row.toAgentId === "third");
    expect(await rowsAbout(String(second?.taskId))).toEqual([
      TASK("boss", "third", "worker"),
      RESULT("third", "boss"),
    ]);
  });

  it("L4: whoever acts on a task from another chain, what that causes belongs to the task's chain", async () => {
    const { rootRunId, taskId } = await giveTask("boss", { assignee: "sleeper" });
    await tell("third", "task_comment", { taskId, text: "I have some too" });
    await quiet();
    const woken = (await chainOf(rootRunId)).runs.filter((run) => run.agentId === "boss");
    expect(woken.map((run) => run.trigger)).toEqual(["chat", "task"]);
    const { results } = await env.DB.prepare(
      `SELECT c."RunId" FROM "RunReceipts" c JOIN "RunReceipts" p ON p."RunId" = c."ParentRunId" WHERE p."RootRunId" <> c."RootRunId"`,
    ).all();
    expect(results).toEqual([]);
  });

  it.each([
    ["unknown", "unknown_agent", "nobody"],
    ["no colleague", "not_colleague", "third"],
    ["a worker of an unknown agent", "unknown_agent", "@new:nobody"],
  ])("L3: a refused task for one that is %s, with nobody's task", async (_name, code, assignee) => {
    const args = { title: "Count", description: "All.", assignee };
    const answer = await tell("shy", "task_create", args);
    expect(answer.reply).toContain(`Denied (${code})`);
    await quiet();
    const rows = (await messages("?a=shy")).filter((row) => row.rootRunId === answer.rootRunId);
    expect(rows).toMatchObject([
      {
        fromAgentId: "shy",
        toAgentId: assignee.replace("@new:", ""),
        channel: "task",
        direction: "request",
        status: "denied",
        taskId: null,
        runId: answer.runId,
      },
    ]);
  });

  it("L3: a refused task of a person", async () => {
    const body = { title: "Count", description: "All.", assignee: "nobody" };
    expect((await send("POST", "/api/tasks", body)).status).toBe(400);
    const rows = await messages("?a=@human&b=nobody");
    expect(rows).toMatchObject([{ channel: "task", direction: "request", status: "denied", taskId: null }]);
    expect(rows[0]?.runId).toBe(rows[0]?.rootRunId);
  });

  it("L3 L10: a refused task beyond the chain's depth", async () => {
    const give = (assignee: string, description: string): Step => [
      "task_create",
      { title: "On", description, assignee },
    ];
    const description = steps(give("third", steps(give("worker", "Too deep."))));
    const { rootRunId } = await giveTask("boss", { assignee: "worker", description });
    await quiet();
    const rows = (await messages("?limit=500")).filter((row) => row.rootRunId === rootRunId);
    const tasks = rows.filter((row) => row.channel === "task");
    const told = tasks.map(
      (row) => `${row.fromAgentId}>${row.toAgentId} ${row.status} ${row.taskId !== null}`,
    );
    expect([...new Set(told)]).toEqual([
      "boss>worker delivered true",
      "worker>third delivered true",
      "third>worker denied false",
    ]);
  });

  it("L3 L4: one for each of several tasks of one step", async () => {
    const args = (assignee: string) => ({
      name: "task_create",
      arguments: { title: "Look", description: "Look around.", assignee },
    });
    await team([
      agent("many", {
        rules: [
          { when: { user: "go", step: 0 }, calls: [args("sleeper"), args("@human"), args("sleeper")] },
          { say: "given" },
        ],
        tools: { Taskboard: {} },
      }),
      agent("sleeper", { tools: { Taskboard: {} }, paused: true }),
    ]);
    await chat("many", "go");
    await quiet();
    const rows = await messages("?a=many");
    expect(rows.map((row) => row.toAgentId).sort()).toEqual(["@human", "sleeper", "sleeper"]);
    expect(new Set(rows.map((row) => row.taskId)).size).toBe(3);
    expect(new Set(rows.map((row) => row.uid)).size).toBe(3);
  });
});
