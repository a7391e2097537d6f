/** Work that waits for other work, and agents that wait for each other. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chat, eventually, send } from "./support/api.ts";
import {
  chainOf,
  giveTask,
  lateScan,
  notices,
  puppet,
  quiet,
  rowsOf,
  type Step,
  scan,
  steps,
  tell,
} from "./support/board.ts";
import { act, createTask, type TaskAnswer, task, tasks } from "./support/tasks.ts";
import { agent, ask, type Rule, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

const give = (assignee: string, todo: readonly Step[], args: Record<string, unknown> = {}): Step => [
  "task_create",
  { title: "Part", description: steps(...todo), assignee, ...args },
];
const complete = (result: string): Step => ["task_complete", { result }];
const NOTHING: readonly Step[] = [];

/** Finishes the task that a subtask is part of as soon as it hears of the subtask. */
const putsTogether: Rule = {
  when: { user: "/(?:Result:\\n|blocked: )([^\\n]*)[\\s\\S]*It is part of task (\\S+);/", step: 0 },
  calls: [{ name: "task_complete", arguments: { taskId: "{{user.2}}", result: "all with {{user.1}}" } }],
};

beforeAll(() =>
  team([
    puppet("boss"),
    puppet("lead", { rules: [putsTogether] }),
    puppet("chief", { rules: [putsTogether] }),
    puppet("hand"),
    puppet("vague"),
    puppet("sleeper", { paused: true }),
  ]),
);
beforeEach(resetWatch);

async function reaches(taskId: string, status: string) {
  await eventually(async () => (await task(taskId)).status === status);
  await quiet();
  return task(taskId);
}

async function partOf(taskId: string): Promise<TaskAnswer> {
  let part: TaskAnswer | undefined;
  await eventually(async () => {
    part = (await tasks("?limit=500")).find((item) => item.parentTaskId === taskId);
    return part !== undefined;
  });
  return part ?? Promise.reject(new Error("no part"));
}

const kinds = (read: Awaited<ReturnType<typeof task>>) => read.events.map((event) => event.kind);

describe("L9 a task with subtasks", () => {
  it("L9 waits for them, and is finished by the run that hears of the last one", async () => {
    const { taskId } = await giveTask("boss", {
      assignee: "lead",
      description: steps(give("sleeper", [complete("7")])),
    });
    expect(kinds(await reaches(taskId, "waiting"))).toEqual(["created", "waiting"]);
    for (let pass = 0; pass < 10; pass += 1) await lateScan();
    expect(await task(taskId)).toMatchObject({ status: "waiting", attempts: 1 });
    await send("POST", "/api/agents/sleeper/resume");
    const done = await reaches(taskId, "done");
    await send("POST", "/api/agents/sleeper/pause");
    expect(done).toMatchObject({ attempts: 1, result: "all with 7" });
    expect(kinds(done)).toEqual(["created", "waiting", "completed"]);
    expect(done.events.at(-1)).toMatchObject({ runId: done.runId });
  });

  it.each([
    ["somebody else", "hand"],
    ["a fresh worker", "@new:hand"],
    ["its own assignee", "lead"],
    ["a fresh worker of its own assignee", "@new:lead"],
  ])("L9 is finished in one attempt when the subtask is for %s", async (_name, assignee) => {
    const description = steps(give(assignee, [complete("7")]));
    const { taskId } = await giveTask("boss", { assignee: "lead", description });
    expect(await reaches(taskId, "done")).toMatchObject({ attempts: 1, result: "all with 7" });
  });

  it("L9 hears of one that is blocked", async () => {
    const description = steps(give("hand", [["task_block", { reason: "no beans" }]]));
    const { taskId } = await giveTask("boss", { assignee: "lead", description });
    expect(await reaches(taskId, "done")).toMatchObject({ attempts: 1, result: "all with no beans" });
  });

  it("L9 is offered once more, then blocked, when nobody puts it together", async () => {
    const description = steps(give("hand", [complete("7")]));
    const { taskId } = await giveTask("boss", { assignee: "vague", description });
    const blocked = await reaches(taskId, "blocked");
    expect(blocked).toMatchObject({ attempts: 2 });
    expect(blocked.reason).toContain("without completing");
  });

  it("L9 goes through any number of levels, in one chain", async () => {
    const deepest = give("hand", [complete("7")]);
    const { taskId, rootRunId } = await giveTask("boss", {
      assignee: "lead",
      description: steps(give("chief", [deepest])),
    });
    expect(await reaches(taskId, "done")).toMatchObject({ result: "all with all with 7" });
    const chain = await chainOf(rootRunId);
    expect(chain.tasks.map((item) => item.status)).toEqual(["done", "done", "done"]);
    expect(chain.runs.map((run) => run.status)).toEqual(chain.runs.map(() => "completed"));
  });

  it.each([
    ["is cancelled by a person", (id: string) => act(id, "cancel", { reason: "no need" }), NOTHING, {}],
    [
      "is accepted by a person",
      (id: string) => act(id, "review", { decision: "accept" }),
      [complete("7")],
      { acceptance: "It is right." },
    ],
  ] as const)("L9 does not wait for ever when its last subtask %s", async (_name, end, todo, args) => {
    const description = steps(give(todo === NOTHING ? "sleeper" : "hand", todo, args));
    const { taskId } = await giveTask("boss", { assignee: "vague", description });
    await reaches(taskId, "waiting");
    const part = await partOf(taskId);
    if (todo !== NOTHING) await reaches(part.taskId, "review");
    expect((await end(part.taskId)).status).toBe(200);
    await scan();
    const read = await task(taskId);
    expect([read.attempts, kinds(read)[2]]).toEqual([2, "offered_again"]);
    await act(taskId, "cancel", {});
    await quiet();
  });

  it("L9 can only be part of an unfinished task that its creator has to do with", async () => {
    const other = await createTask({ assignee: "sleeper" });
    const refused = async (parentTaskId: string) =>
      (
        await tell("boss", "task_create", {
          title: "Part",
          description: "x",
          assignee: "sleeper",
          parentTaskId,
        })
      ).reply;
    expect(await refused("t0nothing")).toContain("Denied (no_such_task)");
    expect(await refused(other.taskId)).toContain("Denied (not_yours)");
    await act(other.taskId, "cancel", {});
    expect(await refused(other.taskId)).toContain("Denied (already_over)");
  });
});

describe("18: agents that wait for each other's tasks", () => {
  it("18: hang nowhere; the circle shows in the chain, and nothing else does", async () => {
    const back = give("boss", [complete("back")]);
    const { rootRunId, taskId } = await giveTask("boss", { assignee: "lead", description: steps(back) });
    expect(await reaches(taskId, "done")).toMatchObject({ result: "all with back" });
    expect((await chainOf(rootRunId)).tasks.map((item) => item.inCircle)).toEqual([true, true]);
    const plain = await giveTask("boss", {
      assignee: "lead",
      description: steps(give("hand", [complete("7")])),
    });
    await reaches(plain.taskId, "done");
    expect((await chainOf(plain.rootRunId)).tasks.map((item) => item.inCircle)).toEqual([false, false]);
  });

  it("18: are told of by the scan, once, when all of the circle waits", async () => {
    const stuck = give("chief", [give("lead", [give("@human", NOTHING)])]);
    const { taskId, rootRunId } = await giveTask("boss", { assignee: "lead", description: steps(stuck) });
    await eventually(async () => (await chainOf(rootRunId)).tasks.length === 4);
    await reaches(taskId, "waiting");
    for (let pass = 0; pass < 3; pass += 1) await lateScan();
    const told = (await notices()).filter((notice) => notice.rootRunId === rootRunId);
    expect(told.map((notice) => notice.kind).sort()).toEqual(["human_task", "task_circle"]);
    const human = (await tasks("?assignee=@human")).find((item) => item.rootRunId === rootRunId);
    await act(human?.taskId ?? "", "complete", { result: "go" });
    expect(await reaches(taskId, "done")).toMatchObject({ attempts: 1 });
  });

  it("19: a task's run may ask the agent that gave the task", async () => {
    const asks: Step = ["ask_agent", { agentId: "boss", question: "Which beans?" }];
    const { taskId, rootRunId } = await giveTask("boss", {
      assignee: "hand",
      description: steps(asks, complete("7")),
    });
    await reaches(taskId, "done");
    expect(await rowsOf(rootRunId)).toEqual([
      "boss>hand task request delivered",
      "hand>boss ask request delivered",
      "boss>hand ask response delivered",
      "hand>boss task_result response delivered",
    ]);
  });

  it("6 and 12: no act needs the gate of an agent, its own or that of one that waits for it", async () => {
    await team([
      agent("self", {
        tools: { Taskboard: {}, AskAgent: {} },
        rules: [
          {
            when: { user: "/^go/", step: 0 },
            calls: [
              { name: "task_create", arguments: { title: "Mine", description: "Do it.", assignee: "self" } },
            ],
          },
          {
            when: { user: "/^go/", step: 1 },
            calls: [
              {
                name: "task_comment",
                arguments: { taskId: "{{call.0.0.json.taskId}}", text: "a note to myself" },
              },
              ask("other", "say something about {{call.0.0.json.taskId}}"),
            ],
          },
          {
            when: { user: "/^Task (\\S+) from/", step: 0 },
            calls: [{ name: "task_complete", arguments: { taskId: "{{user.1}}", result: "done" } }],
          },
          { say: "fine" },
        ],
      }),
      agent("other", {
        tools: { Taskboard: {} },
        rules: [
          {
            when: { user: "/something about (\\S+)/", step: 0 },
            calls: [{ name: "task_comment", arguments: { taskId: "{{user.1}}", text: "here you are" } }],
          },
          { say: "said" },
        ],
      }),
    ]);
    const answer = await chat("self", "go");
    expect(answer).toMatchObject({ status: "completed", reply: "fine" });
    await quiet();
    expect((await tasks("?assignee=self")).map((item) => item.status)).toEqual(["done"]);
    expect(await rowsOf(answer.rootRunId)).toEqual([
      "self>other ask request delivered",
      "other>self task_comment request delivered",
      "other>self ask response delivered",
    ]);
    expect([watch.most.get("self"), watch.most.get("other")]).toEqual([1, 1]);
  });
});

describe("L9 dispatch", () => {
  it("15: L9 goes through six busy agents one after the other, and nothing times out", async () => {
    const names = ["one", "two", "three", "four", "five", "six"];
    const slow = { when: { user: "/^Task (\\S+) from/", step: 0 }, delayMs: 100, ...completes("{{user.1}}") };
    await team([puppet("boss"), ...names.map((name) => puppet(name, { rules: [slow] }))]);
    const stages = names.slice(1).map((assignee) => ({ title: "Next", description: "Go on.", assignee }));
    const busy = names.map((name) => send("POST", `/api/agents/${name}/chat`, { message: "Task x from me" }));
    const { rootRunId } = await giveTask("boss", { assignee: "one", stages });
    await Promise.all(busy);
    await eventually(async () => (await tasks("?assignee=six&status=done")).length === 1);
    await quiet();
    const { runs, tasks: given } = await chainOf(rootRunId);
    expect(given.map((item) => [item.assignee, item.status])).toEqual(names.map((name) => [name, "done"]));
    expect(new Set(runs.map((run) => run.status))).toEqual(new Set(["completed"]));
    expect((await rowsOf(rootRunId)).filter((row) => row.includes("timeout"))).toEqual([]);
  });

  it("L9 does not wait for the minute: who is to work has the run before the creator hears that the task exists", async () => {
    await team([puppet("boss"), puppet("hand")]);
    const { taskId } = await giveTask("boss", {
      assignee: "hand",
      description: steps(complete("7")),
    });
    await reaches(taskId, "done");
    expect(watch.trace.slice(0, 2)).toEqual(["boss in", "boss out"]);
    expect(watch.trace.filter((entry) => entry === "hand in").length).toBe(2);
    expect(await task(taskId)).toMatchObject({ attempts: 1 });
    // No run hears of a person's task, so its one order must have been taken when the door answers.
    const byPerson = await createTask({ assignee: "@new:hand", description: steps(complete("7")) });
    expect((await task(byPerson.taskId)).status).not.toBe("open");
    await reaches(byPerson.taskId, "done");
  });
});

function completes(taskId: string) {
  return { calls: [{ name: "task_complete", arguments: { taskId, result: "done" } }] };
}
