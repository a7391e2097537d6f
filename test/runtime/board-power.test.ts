import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { answerOf, delivered, eventually, messages, send } from "./support/api.ts";
import { chainOf, lateScan } from "./support/board.ts";
import { finishes, gives, task, tasks } from "./support/tasks.ts";
import { agent, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

/** More moments than any of these runs has. */
const MAX_MOMENTS = 80;

const board = { Taskboard: {} };

async function runsOf(agentId: string): Promise<number> {
  const row = await env.DB.prepare(`SELECT count(*) AS n FROM "RunReceipts" WHERE "AgentId" = ?`)
    .bind(agentId)
    .first("n");
  return Number(row);
}

/** One task from `a` to `b`, with the power of `cutOff` going at that moment; whether it went. */
async function handOver(a: string, b: string, cut: { objectName: string; at: number }): Promise<boolean> {
  await team([
    agent(a, { rules: [...gives({ assignee: b }), { say: "heard" }], tools: board }),
    agent(b, { rules: finishes("42"), tools: board }),
  ]);
  resetWatch();
  watch.cut = cut;
  const answer = await answerOf(await send("POST", `/api/agents/${a}/chat`, { message: "go" }));
  expect(answer.status).toBe("completed");
  await eventually(async () => {
    await lateScan();
    return (await tasks(`?assignee=${b}&status=done`)).length > 0;
  });
  await eventually(async () => (await runsOf(a)) >= 2);
  await delivered();
  const created = await tasks(`?assignee=${b}`);
  const label = `${cut.objectName} cut at ${cut.at}`;
  expect(created.length, label).toBe(1);
  expect(created[0], label).toMatchObject({ status: "done", result: "42", attempts: 1 });
  expect([await runsOf(a), await runsOf(b)], label).toEqual([2, 1]);
  const rows = await messages(`?a=${a}&b=${b}`);
  expect(
    rows.map((row) => `${row.channel} ${row.status}`),
    label,
  ).toEqual(["task delivered", "task_result delivered"]);
  const { events } = await task(created[0]?.taskId ?? "");
  expect(
    events.map((event) => event.kind),
    label,
  ).toEqual(["created", "completed"]);
  const members = (await chainOf(answer.rootRunId)).runs;
  expect(
    members.map((run) => run.status),
    label,
  ).toEqual(["completed", "completed", "completed"]);
  return watch.cuts > 0;
}

it("L2 L9 loses no task and does none twice, with the creator's power cut at any moment", async () => {
  let at = 1;
  while (at < MAX_MOMENTS && (await handOver(`ca${at}`, `cb${at}`, { objectName: `ca${at}`, at }))) at += 1;
  expect(at).toBeGreaterThan(12);
}, 240_000);

it("L2 L9 loses no task and does none twice, with the assignee's power cut at any moment", async () => {
  let at = 1;
  while (at < MAX_MOMENTS && (await handOver(`da${at}`, `db${at}`, { objectName: `db${at}`, at }))) at += 1;
  expect(at).toBeGreaterThan(12);
}, 240_000);
