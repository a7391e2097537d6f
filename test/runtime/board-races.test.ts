/** Acts at the same moment, late ones, and tasks whose agents or runs go away. */
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { actOnTask } from "../../core/board/act.ts";
import type { Actor } from "../../core/board/task.ts";
import { workerBoard } from "../../workers/board.ts";
import { eventually, messages, send } from "./support/api.ts";
import {
  chainOf,
  giveTask,
  lateScan,
  notices,
  pendingOrders,
  puppet,
  quiet,
  rowsOf,
  type Step,
  scan,
  steps,
} from "./support/board.ts";
import { act, createTask, task, tasks } from "./support/tasks.ts";
import { agent, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

const complete: Step = ["task_complete", { result: "42 beans" }];
/** Works until it is ended. */
const stuck = (agentId: string) =>
  agent(agentId, {
    tools: { Taskboard: {} },
    rules: [{ when: { user: "/^Task/" }, say: "never", delayMs: 600_000 }],
  });

beforeAll(() => team([puppet("boss"), puppet("hand"), stuck("stuck"), puppet("sleeper", { paused: true })]));
beforeEach(resetWatch);

async function reaches(taskId: string, status: string) {
  await eventually(async () => (await task(taskId)).status === status);
  return task(taskId);
}

const codes = (answers: readonly Response[]) => answers.map((answer) => answer.status).sort();
const kinds = (read: Awaited<ReturnType<typeof task>>) => read.events.map((event) => event.kind);

async function rowsAbout(taskId: string) {
  return (await messages("?limit=500")).filter((row) => row.taskId === taskId);
}

/** The run that works on the task, as the engine stamps its acts. */
async function workerOf(taskId: string, runId?: string): Promise<Actor> {
  const read = await task(taskId);
  return {
    name: read.assignee,
    objectName: read.assignee,
    lane: "conversation",
    runId: runId ?? read.runId ?? "",
    parentRunId: read.rootRunId,
    rootRunId: read.rootRunId,
    depth: 2,
    taskId,
  };
}

describe("L9 acts at the same moment", () => {
  it("L9 complete, complete, block and cancel: one wins, the others are refused, and one thing is on record", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { taskId } = await createTask({ assignee: "@human" });
      const answers = await Promise.all([
        act(taskId, "complete", { result: "one" }),
        act(taskId, "complete", { result: "two" }),
        act(taskId, "block", { reason: "no" }),
      ]);
      expect(codes(answers)).toEqual([200, 409, 409]);
      const read = await task(taskId);
      expect(kinds(read).length).toBe(2);
      const outcome = read.status === "blocked" ? { reason: "no" } : { status: "done", reason: null };
      expect(read).toMatchObject(outcome);
    }
  });

  it("L9 cancel against complete: the task is one of both and never both", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { taskId } = await createTask({ assignee: "@human" });
      await Promise.all([act(taskId, "cancel", {}), act(taskId, "complete", { result: "x" })]);
      expect(["created,completed", "created,cancelled"]).toContain(kinds(await task(taskId)).join());
    }
  });

  it("L9 two runs that complete one task: the result is the first one's", async () => {
    const { taskId } = await createTask({ assignee: "sleeper" });
    const actor = await workerOf(taskId);
    const board = workerBoard(env);
    const acts = ["one", "two"].map((result) =>
      actOnTask(board, { uid: `race:${taskId}:${result}`, taskId, actor, act: { kind: "complete", result } }),
    );
    const outcomes = await Promise.all(acts);
    expect(outcomes.filter((outcome) => outcome.ok).length).toBe(1);
    expect(outcomes.find((outcome) => !outcome.ok)).toMatchObject({ code: "wrong_status" });
    const results = (await rowsAbout(taskId)).filter((row) => row.channel === "task_result");
    expect(results.map((row) => row.content)).toEqual([(await task(taskId)).result]);
  });

  it("L9 the same act twice at the same moment happens once", async () => {
    const { taskId } = await createTask({ assignee: "sleeper" });
    const actor = await workerOf(taskId);
    const once = () =>
      actOnTask(workerBoard(env), {
        uid: `once:${taskId}`,
        taskId,
        actor,
        act: { kind: "comment", text: "Still at it." },
      });
    const outcomes = await Promise.all([once(), once(), once()]);
    expect(outcomes.map((outcome) => outcome.ok)).toEqual([true, true, true]);
    expect(kinds(await task(taskId))).toEqual(["created", "commented"]);
    expect((await rowsAbout(taskId)).length).toBe(2);
    await act(taskId, "cancel", {});
  });

  it("L9 two reviews: one counts", async () => {
    const { taskId } = await createTask({
      assignee: "hand",
      acceptance: "Right.",
      description: steps(complete),
    });
    await reaches(taskId, "review");
    const answers = await Promise.all([
      act(taskId, "review", { decision: "accept" }),
      act(taskId, "review", { decision: "accept" }),
      act(taskId, "review", { decision: "accept" }),
    ]);
    expect(codes(answers)).toEqual([200, 409, 409]);
    expect(kinds(await task(taskId)).filter((kind) => kind === "accepted").length).toBe(1);
  });

  it("28: a storm of fifty comments is all on record, and wakes a bounded number of runs", async () => {
    const { taskId, rootRunId } = await giveTask("boss", { assignee: "sleeper" });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => act(taskId, "comments", { text: `comment ${index}` })),
    );
    expect(codes(answers)).toEqual(answers.map(() => 200));
    expect(kinds(await task(taskId)).filter((kind) => kind === "commented").length).toBe(50);
    const comments = (await rowsOf(rootRunId)).filter((row) => row.includes("task_comment"));
    expect(comments.length).toBe(100);
    await quiet();
    const woken = (await chainOf(rootRunId)).runs.filter((run) => run.trigger === "task");
    expect(woken.length).toBeLessThanOrEqual(8);
    const told = (await notices()).filter((notice) => notice.rootRunId === rootRunId);
    expect(told.map((notice) => notice.kind)).toEqual(["comment_ping_pong"]);
    await act(taskId, "cancel", {});
  });

  it.each(["Ok.", "thanks!", "\u{1f44d}", "  Alles klar  ", "got it"])(
    "33: an acknowledgement is on record and wakes nobody: %s",
    async (text) => {
      const { taskId, rootRunId } = await giveTask("boss", { assignee: "sleeper" });
      expect((await act(taskId, "comments", { text })).status).toBe(200);
      await quiet();
      expect((await rowsOf(rootRunId)).filter((row) => row.includes("task_comment")).length).toBe(2);
      expect((await chainOf(rootRunId)).runs.map((run) => run.agentId)).toEqual(["boss", "sleeper"]);
      await act(taskId, "cancel", {});
    },
  );

  it("L9 a scan while the run ends changes nothing about its end", async () => {
    const created = await Promise.all(
      Array.from({ length: 12 }, () => createTask({ assignee: "@new:hand", description: steps(complete) })),
    );
    for (let pass = 0; pass < 6; pass += 1) await Promise.all([lateScan(), lateScan()]);
    for (const { taskId } of created) {
      const done = await reaches(taskId, "done");
      expect(done).toMatchObject({ attempts: 1, result: "42 beans" });
      expect(kinds(done)).toEqual(["created", "completed"]);
    }
  });
});

describe("L9 the fence", () => {
  it("155 and 158: L9 a run that has lost the task to a later one cannot write", async () => {
    const { taskId } = await createTask({ assignee: "hand", description: "Just look." });
    const first = (await task(taskId)).runId ?? "";
    await reaches(taskId, "blocked");
    const { taskId: again } = await createTask({ assignee: "stuck" });
    await eventually(async () => (await task(again)).status === "running");
    const older = first.replace("hand.", "stuck.");
    const actor = await workerOf(again, older);
    const late = (kind: "complete" | "block") =>
      actOnTask(workerBoard(env), {
        uid: `late:${kind}:${again}`,
        taskId: again,
        actor,
        act: kind === "complete" ? { kind, result: "late" } : { kind, reason: "late" },
      });
    expect(await late("complete")).toMatchObject({ ok: false, code: "lost_lease" });
    expect(await late("block")).toMatchObject({ ok: false, code: "lost_lease" });
    expect(await task(again)).toMatchObject({ status: "running", result: null, reason: null });
    await act(again, "cancel", {});
    await quiet();
  });

  it("L9 another worker of the same agent cannot finish or accept a worker's task", async () => {
    const { taskId } = await giveTask("boss", {
      assignee: "@new:boss",
      acceptance: "Right.",
      description: steps(complete, ["task_review", { decision: "accept" }]),
    });
    const read = await reaches(taskId, "review");
    await quiet();
    expect((await task(taskId)).status).toBe("review");
    const actor = { ...(await workerOf(taskId)), name: "boss", objectName: "boss" };
    const finish = await actOnTask(workerBoard(env), {
      uid: `other:${taskId}`,
      taskId,
      actor,
      act: { kind: "complete", result: "mine" },
    });
    expect(finish).toMatchObject({ ok: false, code: "not_yours" });
    expect(read.result).toBe("42 beans");
    await act(taskId, "cancel", {});
  });
});

describe("L9 a task whose run ends otherwise", () => {
  it("161: is cancelled with its run when it is cancelled, and no result follows", async () => {
    const { taskId, rootRunId } = await giveTask("boss", { assignee: "stuck" });
    await reaches(taskId, "running");
    expect((await act(taskId, "cancel", { reason: "no need" })).status).toBe(200);
    await quiet();
    await lateScan();
    const read = await task(taskId);
    expect([read.status, kinds(read)]).toEqual(["cancelled", ["created", "cancelled"]]);
    expect((await rowsOf(rootRunId)).filter((row) => row.includes("task_result"))).toEqual([]);
    const runs = (await chainOf(rootRunId)).runs.map((run) => `${run.agentId} ${run.status}`);
    expect(runs).toEqual(["boss completed", "stuck cancelled"]);
  });

  it("161: is blocked with the reason when a person cancels its run", async () => {
    const { taskId } = await createTask({ assignee: "stuck" });
    const { runId } = await reaches(taskId, "running");
    await send("POST", `/api/runs/${runId}/cancel`);
    const read = await reaches(taskId, "blocked");
    expect(read.reason).toContain("cancelled");
  });

  it("158 and 160: keeps its one run, however long that takes and whatever is scanned", async () => {
    const { taskId } = await createTask({ assignee: "stuck" });
    await reaches(taskId, "running");
    for (let pass = 0; pass < 5; pass += 1) await lateScan();
    expect(await task(taskId)).toMatchObject({ status: "running", attempts: 1 });
    expect(watch.trace.filter((entry) => entry === "stuck in").length).toBe(1);
    await act(taskId, "cancel", {});
    await quiet();
  });

  it("waits for a paused agent over any number of scans, and is done once it may work", async () => {
    const { taskId } = await createTask({ assignee: "sleeper", description: steps(complete) });
    for (let pass = 0; pass < 5; pass += 1) await lateScan();
    expect(await task(taskId)).toMatchObject({ status: "dispatched", attempts: 1 });
    await send("POST", "/api/agents/sleeper/resume");
    expect(await reaches(taskId, "done")).toMatchObject({ attempts: 1 });
    await send("POST", "/api/agents/sleeper/pause");
  });
});

describe("L9 a task whose agent is gone", () => {
  it("is blocked with the reason, and its chain has no run that never was", async () => {
    await send("PUT", "/api/agents/gone", puppet("gone", { limits: { queue: 1 }, paused: true }));
    const created = [];
    for (let index = 0; index < 3; index += 1) created.push(await createTask({ assignee: "gone" }));
    await send("DELETE", "/api/agents/gone");
    for (let pass = 0; pass < 3; pass += 1) await scan();
    for (const { taskId, rootRunId } of created) {
      const read = await reaches(taskId, "blocked");
      expect(read.reason).toContain("no agent gone");
      const runs = await chainOf(rootRunId).then(
        (chain) => chain.runs,
        () => [],
      );
      expect(runs.filter((run) => run.status === null)).toEqual([]);
    }
    expect(await pendingOrders()).toBe(0);
  });

  it("tells a person what its creator cannot be told any more", async () => {
    await send("PUT", "/api/agents/giver", puppet("giver"));
    const { taskId, rootRunId } = await giveTask("giver", { assignee: "@human" });
    await quiet();
    await send("DELETE", "/api/agents/giver");
    expect((await act(taskId, "complete", { result: "the key is here" })).status).toBe(200);
    for (let pass = 0; pass < 3; pass += 1) await scan();
    expect(await pendingOrders()).toBe(0);
    const told = (await notices()).filter((notice) => notice.kind === "task_unheard");
    expect(told.map((notice) => notice.rootRunId)).toEqual([rootRunId]);
    expect(told[0]?.text).toContain("the key is here");
    expect((await tasks("?assignee=@human&status=done")).length).toBeGreaterThan(0);
  });
});
