/** Channels as agents and the board use them. The channels of these tests lead nowhere: nothing leaves the runtime. */
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { eventually, get, send } from "./support/api.ts";
import { notices, puppet, quiet, scan, steps, tell } from "./support/board.ts";
import { act, createTask, task } from "./support/tasks.ts";
import { team } from "./support/team.ts";
import { resetWatch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const channel = { type: "webhook", webhookUrl: { $secret: "TEST_SECRET_B" } };
const channels = { team: channel, board: channel };
const telling = (agentId: string, names: readonly string[]) =>
  puppet(agentId, { tools: { Notify: { channels: names } } });

describe("the tool Notify", () => {
  it("L8 reaches the channels that the agent's own config names, and no other", async () => {
    await team([telling("n1", ["team"]), telling("n2", ["board"]), telling("n3", [])], { channels });
    const tried = async (agentId: string, name: string) =>
      (await tell(agentId, "Notify", { action: "send", channel: name, text: "x" })).reply;
    expect(await tried("n1", "team")).toContain("Not sent: The channel's address was not used (not_a_url).");
    expect(await tried("n1", "board")).toMatch(/may not use that channel. It may use: team/);
    expect(await tried("n2", "team")).toMatch(/It may use: board/);
    expect(await tried("n3", "team")).toMatch(/It may use: none/);
  });

  it("is not configured with a channel that the instance has not, nor left without one that it uses", async () => {
    await team([telling("n1", ["team"])], { channels });
    const agent = await get("/api/agents/n1");
    await team([], {});
    const refused = await send("PUT", "/api/agents/n1", agent);
    expect({ status: refused.status, text: await refused.text() }).toEqual({
      status: 400,
      text: expect.stringContaining("tools.Notify.channels"),
    });
  });
});

const told = z.array(
  z.looseObject({
    kind: z.string(),
    attempts: z.number(),
    delivery: z.string().nullable(),
    lastError: z.unknown(),
  }),
);

describe("what a person is told of a task of theirs", () => {
  const kinds = async (taskId: string) =>
    (await notices()).filter(({ text }) => text.includes(taskId)).map(({ kind }) => kind);

  it("is that it waits for a review, each time", async () => {
    await team([puppet("w1")]);
    const description = steps(["task_complete", { result: "seven" }]);
    const { taskId } = await createTask({ assignee: "w1", description, acceptance: "per sort" });
    await eventually(async () => (await task(taskId)).status === "review");
    await act(taskId, "review", { decision: "reject", comment: "per sort, please" });
    await eventually(async () => (await task(taskId)).status === "review");
    expect(await kinds(taskId)).toEqual(["task_review", "task_review"]);
  });

  it("is that it got stuck, without the agent's words", async () => {
    await team([puppet("w1")]);
    const description = steps(["task_block", { reason: "the scales are broken" }]);
    const { taskId } = await createTask({ assignee: "w1", description });
    await eventually(async () => (await task(taskId)).status === "blocked");
    expect(await kinds(taskId)).toEqual(["task_blocked"]);
    expect(JSON.stringify(await notices())).not.toContain("scales");
  });

  it("is nothing of what the person does", async () => {
    await team([puppet("w1")]);
    const { taskId } = await createTask({ assignee: "@human" });
    await act(taskId, "block", { reason: "no" });
    expect(await kinds(taskId)).toEqual(["human_task"]);
  });
});

it("a channel that fails holds up nothing, and its address is nowhere to be read", async () => {
  await team([puppet("w1")], { channels, notices: "team" });
  const { taskId } = await createTask({ assignee: "@human" });
  await scan();
  await act(taskId, "complete", { result: "Signed." });
  const description = steps(["task_complete", { result: "seven" }]);
  const given = await createTask({ assignee: "w1", description, acceptance: "per sort" });
  await eventually(async () => (await task(given.taskId)).status === "review");
  await quiet();
  await eventually(async () =>
    told
      .parse(await get("/api/notices"))
      .slice(0, 2)
      .every(({ attempts }) => attempts === 1),
  );
  const [newest, first] = told.parse(await get("/api/notices"));
  for (const notice of [newest, first])
    expect(notice).toMatchObject({
      delivery: null,
      lastError: "The channel's address was not used (not_a_url).",
    });
  expect(JSON.stringify(await get("/api/notices"))).not.toContain(TEST_SECRETS.TEST_SECRET_B);
});
