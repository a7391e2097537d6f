import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { chat, delivered, eventually, messages } from "./support/api.ts";
import { notices, rowsOf as rows, scan } from "./support/board.ts";
import { act, createTask, finishes, gives, tasks } from "./support/tasks.ts";
import { agent, team } from "./support/team.ts";
import { resetWatch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const board = { Taskboard: {}, AskAgent: {} };
const only = (agentId: string, rules: readonly Record<string, unknown>[]) =>
  agent(agentId, { rules, tools: board });

describe("comments", () => {
  it("go to the other side, wake it, never their author, and stop waking after some", async () => {
    const chatty = (say: string) => [
      {
        when: { user: "/^Comment by \\S+ on task (\\S+)/", step: 0 },
        calls: [{ name: "task_comment", arguments: { taskId: "{{user.1}}", text: say } }],
      },
      {
        when: { user: "/^Task (\\S+) from/", step: 0 },
        calls: [{ name: "task_comment", arguments: { taskId: "{{user.1}}", text: "may I ask?" } }],
      },
      {
        when: { user: "/^Task (\\S+) from/", step: 1 },
        calls: [
          {
            name: "task_create",
            arguments: { title: "Wait", description: "For a person.", assignee: "@human" },
          },
        ],
      },
      { say: "ok" },
    ];
    await team([
      only("left", [...gives({ assignee: "right" }), ...chatty("and another thing from left")]),
      only("right", chatty("and another thing from right")),
    ]);
    const answer = await chat("left", "go");
    await delivered();
    const comments = (await rows(answer.rootRunId)).filter((row) => row.includes("task_comment"));
    expect(comments.slice(0, 2)).toEqual([
      "right>left task_comment response delivered",
      "left>right task_comment request delivered",
    ]);
    expect(comments.length).toBeLessThan(10);
    expect((await notices()).filter((notice) => notice.kind === "comment_ping_pong").length).toBe(1);
  }, 60_000);

  it("of a person reach both sides, one row each", async () => {
    await team([
      agent("given", { rules: [], tools: board, paused: true }),
      only("asker", gives({ assignee: "given" })),
    ]);
    const answer = await chat("asker", "go");
    const [created] = await tasks("?assignee=given");
    await act(created?.taskId ?? "", "comments", { text: "please hurry" });
    await eventually(async () => (await messages("?a=given")).length === 2);
    const comments = (await rows(answer.rootRunId)).filter((row) => row.includes("task_comment"));
    expect(comments).toEqual([
      "@human>asker task_comment request delivered",
      "@human>given task_comment request delivered",
    ]);
  }, 60_000);
});

describe("the minute scan", () => {
  it("L9 racing with itself and with notifiers dispatches each of 200 tasks exactly once", async () => {
    await team([only("busy", finishes("done"))]);
    const scanning = Array.from({ length: 10 }, async () => {
      for (let pass = 0; pass < 5; pass += 1) await scan();
    });
    const created = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        createTask({ assignee: "busy", title: `Task ${index}` }).catch(() => null),
      ),
    );
    await Promise.all(scanning);
    await eventually(async () => {
      await scan();
      return (
        (await tasks("?assignee=busy&status=done&limit=500")).length ===
        created.filter((item) => item !== null).length
      );
    });
    await delivered();
    const counted = await env.DB.prepare(
      `SELECT count(*) AS runs, count(DISTINCT "RootRunId") AS roots FROM "RunReceipts" WHERE "AgentId" = 'busy'`,
    ).first();
    expect(counted?.runs).toBe(counted?.roots);
  }, 120_000);

  it("tells once of what is overdue and of what has silted up", async () => {
    await team([agent("sleepy", { tools: board, paused: true })], { siltedAfterHours: 1 });
    const created = await createTask({ assignee: "sleepy", dueAt: "2020-01-01T00:00:00Z" });
    await env.DB.prepare(`UPDATE "Tasks" SET "UpdatedAt" = '2020-01-01T00:00:00.000Z' WHERE "TaskId" = ?`)
      .bind(created.taskId)
      .run();
    await scan();
    await scan();
    const kinds = (await notices())
      .filter((notice) => String(notice.text).includes(created.taskId))
      .map((notice) => notice.kind);
    expect(kinds.sort()).toEqual(["task_overdue", "task_silted"]);
  });
});
