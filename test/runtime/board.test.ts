import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { answerOf, audit, chat, delivered, eventually, get, messages, send } from "./support/api.ts";
import { notices, rowsOf as rows, scan } from "./support/board.ts";
import { act, createTask, finishes, gives, task, tasks } from "./support/tasks.ts";
import { agent, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const board = { Taskboard: {}, AskAgent: {} };
const only = (agentId: string, rules: readonly Record<string, unknown>[]) =>
  agent(agentId, { rules, tools: board });

async function status(taskId: string, wanted: string): Promise<void> {
  await eventually(async () => (await task(taskId)).status === wanted);
}

const runs = z.looseObject({
  runs: z.array(
    z.looseObject({
      runId: z.string(),
      agentId: z.string(),
      parentRunId: z.string().nullable(),
      trigger: z.string(),
      status: z.string().nullable(),
      costUsd: z.number().nullable().optional(),
    }),
  ),
  totals: z.looseObject({ costUsd: z.number().nullable() }),
  tasks: z.array(z.looseObject({ taskId: z.string(), inCircle: z.boolean() })),
});
const chain = async (rootRunId: string) => runs.parse(await get(`/api/chains/${rootRunId}`));

describe("L9 a task", () => {
  it("L4 L9 is dispatched at once, done, and its result wakes the creator, all in one chain", async () => {
    await team([
      only("boss", [
        ...gives({ assignee: "worker" }),
        { when: { user: "is done. Result" }, say: "boss knows: {{user}}" },
      ]),
      only("worker", finishes("42 beans")),
    ]);
    const answer = await chat("boss", "go");
    expect(answer.reply).toContain('"status":"');
    const [created] = await tasks();
    await status(created?.taskId ?? "", "done");
    await delivered();
    const { runs: members, totals } = await chain(answer.rootRunId);
    expect(members.map((run) => [run.agentId, run.trigger, run.status])).toEqual([
      ["boss", "chat", "completed"],
      ["worker", "task", "completed"],
      ["boss", "task", "completed"],
    ]);
    expect(members[1]?.parentRunId).toBe(answer.runId);
    expect(members[2]?.parentRunId).toBe(members[1]?.runId);
    expect(await rows(answer.rootRunId)).toEqual([
      "boss>worker task request delivered",
      "worker>boss task_result response delivered",
    ]);
    expect(totals.costUsd).toBeCloseTo(
      members.reduce((sum, run) => sum + (run.costUsd ?? 0), 0),
      9,
    );
    const { turns } = z
      .object({ turns: z.array(z.looseObject({ reply: z.string().nullable() })) })
      .parse(await get("/api/agents/boss/conversation"));
    expect(turns.at(-1)?.reply).toContain("42 beans");
  });

  it("that nobody finishes is offered once more, then blocked with the reason, and its creator hears of it", async () => {
    await team([only("boss2", gives({ assignee: "lazy" })), only("lazy", [{ say: "I would rather not." }])]);
    const answer = await chat("boss2", "go");
    const [created] = await tasks("?assignee=lazy");
    await status(created?.taskId ?? "", "blocked");
    await delivered();
    const blocked = await task(created?.taskId ?? "");
    expect(blocked).toMatchObject({ attempts: 2 });
    expect(blocked.reason).toContain("without completing");
    expect(blocked.events.map((event) => event.kind)).toEqual(["created", "offered_again", "blocked"]);
    expect(await rows(answer.rootRunId)).toEqual([
      "boss2>lazy task request delivered",
      "lazy>boss2 task_result response delivered",
    ]);
    expect((await chain(answer.rootRunId)).runs.map((run) => run.agentId)).toEqual([
      "boss2",
      "lazy",
      "lazy",
      "boss2",
    ]);
    for (let pass = 0; pass < 10; pass += 1) await scan();
    expect(await task(created?.taskId ?? "")).toMatchObject({ status: "blocked", attempts: 2 });
  });

  it("with acceptance criteria is reviewed: rejected with a comment, reopened, accepted", async () => {
    const review = (decision: string, turn: string) => [
      {
        when: { user: "/^Task (\\S+) .*ready for your review. Result:\\n" + turn + "/s", step: 0 },
        calls: [
          {
            name: "task_review",
            arguments: { taskId: "{{user.1}}", decision, comment: `${decision} ${turn}` },
          },
        ],
      },
    ];
    await team([
      only("critic", [
        ...gives({ assignee: "author", acceptance: "It is good." }),
        ...review("reject", "first"),
        ...review("accept", "second"),
        { say: "fine" },
      ]),
      only("author", [
        {
          when: { user: "/^Task (\\S+) from.*reject first/s", step: 0 },
          calls: [{ name: "task_complete", arguments: { taskId: "{{user.1}}", result: "second try" } }],
        },
        ...finishes("first try"),
        { say: "ok" },
      ]),
    ]);
    const answer = await chat("critic", "go");
    const [created] = await tasks("?assignee=author");
    await status(created?.taskId ?? "", "done");
    await delivered();
    expect(await task(created?.taskId ?? "")).toMatchObject({ rejections: 1, result: "second try" });
    expect(await rows(answer.rootRunId)).toEqual([
      "critic>author task request delivered",
      "author>critic task_result response delivered",
      "critic>author task_comment request delivered",
      "author>critic task_result response delivered",
      "critic>author task_comment request delivered",
    ]);
  });

  it("rejected too often is blocked, and a person is told", async () => {
    await team([only("author2", finishes("again"))]);
    const created = await createTask({ assignee: "author2", acceptance: "Perfect." });
    for (let round = 0; round < 4; round += 1) {
      await status(created.taskId, "review");
      expect(
        (await act(created.taskId, "review", { decision: "reject", comment: `no ${round}` })).status,
      ).toBe(200);
    }
    expect(await task(created.taskId)).toMatchObject({ status: "blocked", rejections: 4 });
    expect((await notices()).filter((notice) => notice.kind === "task_rejected_too_often").length).toBe(1);
  });

  it("has stages: each follows the one before with its result, made by the engine in the same chain", async () => {
    await team([
      only(
        "chief",
        gives({
          assignee: "first",
          stages: [{ title: "Roast", description: "Roast them.", assignee: "second" }],
        }),
      ),
      only("first", finishes("counted 7")),
      only("second", [
        {
          when: { user: "/^Task (\\S+) from.*counted 7/s", step: 0 },
          calls: [{ name: "task_complete", arguments: { taskId: "{{user.1}}", result: "roasted" } }],
        },
        { say: "ok" },
      ]),
    ]);
    const answer = await chat("chief", "go");
    await eventually(async () => (await tasks("?assignee=second&status=done")).length === 1);
    await delivered();
    const [second] = await tasks("?assignee=second");
    expect(second).toMatchObject({ creator: "chief", result: "roasted", rootRunId: answer.rootRunId });
    expect(await rows(answer.rootRunId)).toEqual([
      "chief>first task request delivered",
      "first>chief task_result response delivered",
      "chief>second task request delivered",
      "second>chief task_result response delivered",
    ]);
  });

  it("for @new:<agent> runs in fresh workers of their own, several at once", async () => {
    await team([
      only("w", [
        {
          when: { user: "/^Task (\\S+) from/", step: 0 },
          calls: [{ name: "task_complete", arguments: { taskId: "{{user.1}}", result: "by a worker" } }],
          delayMs: 400,
        },
        { say: "done" },
      ]),
    ]);
    const created = await Promise.all([1, 2, 3].map(() => createTask({ assignee: "@new:w" })));
    await eventually(async () => watch.trace.filter((entry) => entry.endsWith(" in")).length >= 3);
    expect(
      watch.trace.filter((entry) => entry.endsWith(" out")),
      "all three are at work together",
    ).toEqual([]);
    for (const { taskId } of created) await status(taskId, "done");
    const [row] = (await messages("?a=w")).slice(-1);
    expect([row?.fromAgentId, row?.toAgentId]).toEqual(["w", "@human"]);
    expect(new Set(watch.requests.map((item) => item.objectName)).size).toBe(3);
  });

  it("for @human waits in the inbox, is answered there, and the answer wakes its creator", async () => {
    await team([
      only("needy", [
        ...gives({ assignee: "@human" }),
        { when: { user: "is done. Result" }, say: "thanks: {{user}}" },
      ]),
    ]);
    const answer = await chat("needy", "go");
    const [waiting] = await tasks("?assignee=@human");
    for (let pass = 0; pass < 3; pass += 1) await scan();
    expect(waiting).toMatchObject({ status: "open", creator: "needy" });
    expect(
      (await act(waiting?.taskId ?? "", "complete", { result: "the key is under the mat" })).status,
    ).toBe(200);
    await delivered();
    expect(await rows(answer.rootRunId)).toEqual([
      "needy>@human task request delivered",
      "@human>needy task_result response delivered",
    ]);
    expect(watch.requests.at(-1)?.text).toContain("under the mat");
    expect((await notices()).filter((notice) => notice.kind === "human_task").length).toBe(1);
  });
});

describe("L9 refusals", () => {
  it.each([
    ["an unknown agent", { assignee: "nobody" }, "unknown_agent", "nobody"],
    ["an agent that is no colleague", { assignee: "stranger" }, "not_colleague", "stranger"],
    ["an unknown worker", { assignee: "@new:nobody" }, "unknown_agent", "nobody"],
    [
      "a stage for an unknown agent",
      { assignee: "friend", stages: [{ title: "x", description: "y", assignee: "nobody" }] },
      "unknown_agent",
      "friend",
    ],
  ])("refuse %s readably, with a row", async (_, args, code, recorded) => {
    await team([
      agent("giver", { rules: gives(args), tools: board, colleagues: ["friend"] }),
      only("friend", []),
      only("stranger", []),
    ]);
    const answer = await chat("giver", "go");
    expect(answer.reply).toContain(`Denied (${code})`);
    await delivered();
    expect(await rows(answer.rootRunId)).toEqual([`giver>${recorded} task request denied`]);
    expect((await audit("?agentId=giver&tool=task_create")).at(0)?.outcome).toBe("denied");
  });

  it("let nobody finish another's task, nor one that is blocked or over", async () => {
    const grab = {
      when: { user: "/^grab (\\S+)/", step: 0 },
      calls: [{ name: "task_complete", arguments: { taskId: "{{user.1}}", result: "mine" } }],
    };
    const told = { when: { user: "/^grab/" }, say: "told: {{result}}" };
    await team([
      only("thief", [grab, told]),
      agent("owner", { rules: [grab, told], tools: board, paused: true }),
    ]);
    const created = await createTask({ assignee: "owner" });
    expect((await chat("thief", `grab ${created.taskId}`)).reply).toContain("Denied (not_yours)");
    expect((await act(created.taskId, "complete", { result: "x" })).status).toBe(409);
    await act(created.taskId, "cancel", { reason: "no need" });
    await send("POST", "/api/agents/owner/resume");
    expect((await chat("owner", `grab ${created.taskId}`)).reply).toContain("Denied (wrong_status)");
    expect((await act("t0nothing", "comments", { text: "x" })).status).toBe(404);
    expect((await act(created.taskId, "review", { decision: "maybe" })).status).toBe(400);
  });

  it("are readable errors while D1 is away, with nothing half done", async () => {
    await team([only("cut", gives({ assignee: "@human" }))]);
    watch.boardAway = true;
    const answer = await chat("cut", "go");
    expect(answer.reply).toContain("Failed: the taskboard cannot be reached");
    watch.boardAway = false;
    await delivered();
    expect(await rows(answer.rootRunId)).toEqual([]);
  });
});

describe("L10 agents that only delegate", () => {
  it("L10 stop at the chain's depth; denied rows show where, and a person is told once", async () => {
    const passOn = (to: string) => [
      {
        when: { step: 0 },
        calls: [
          {
            name: "task_create",
            arguments: { title: "Pass on", description: "Give it away.", assignee: to },
          },
        ],
      },
      { say: "passed on: {{result}}" },
    ];
    await team([only("p", passOn("q")), only("q", passOn("r")), only("r", passOn("p"))], {
      perChain: { depth: 5, runs: 60, costUsd: 5, tokens: 1_000_000 },
    });
    const answer = await chat("p", "go");
    await delivered();
    const inChain = (await messages()).filter((row) => row.rootRunId === answer.rootRunId);
    expect(inChain.filter((row) => row.status === "denied").length).toBeGreaterThan(0);
    expect(new Set(inChain.map((row) => row.rootRunId))).toEqual(new Set([answer.rootRunId]));
    expect(
      (await notices()).filter((notice) => notice.kind === "chain_limit" || notice.kind === "chain_frozen")
        .length,
    ).toBeGreaterThan(0);
    expect((await notices()).filter((notice) => notice.kind === "chain_limit").length).toBeLessThanOrEqual(1);
  }, 60_000);

  it("in a circle of tasks hang nowhere, and the circle is seen in the chain", async () => {
    const passOn = (to: string) => [
      {
        when: { user: "/^(go|Task)/", step: 0 },
        calls: [
          { name: "task_create", arguments: { title: "Back", description: "Back to you.", assignee: to } },
        ],
      },
      { say: "waiting" },
    ];
    await team([only("ping", passOn("pong")), only("pong", passOn("ping"))], {
      perChain: { depth: 4, runs: 60, costUsd: 5, tokens: 1_000_000 },
    });
    const answer = await chat("ping", "go");
    await delivered();
    expect((await chain(answer.rootRunId)).tasks.length).toBeGreaterThan(1);
  }, 60_000);
});

it("answers a run of its own for an isolated creator", async () => {
  await team([only("iso", [...gives({ assignee: "isow" }), { say: "heard" }]), only("isow", finishes("ok"))]);
  const run = await answerOf(await send("POST", "/api/agents/iso/runs", { message: "go" }));
  await delivered();
  const members = (await chain(run.rootRunId)).runs;
  expect(members.map((member) => member.agentId)).toEqual(["iso", "isow", "iso"]);
  const { turns } = z
    .object({ turns: z.array(z.unknown()) })
    .parse(await get("/api/agents/iso/conversation"));
  expect(turns).toEqual([]);
});
