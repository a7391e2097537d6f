/** The taskboard under `npm start` when the power goes: real processes, real SIGKILL. */
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { Instance } from "../../scripts/instance/instance.mjs";
import { leads, writeBoardTeam } from "./board-team.ts";
import { scratchFolder, startIn } from "./instance.ts";
import { openRecordFile, type RecordFile } from "./record-file.ts";

const TASKS_EACH = 5;

const scratch = scratchFolder();
let instance: Instance;
let record: RecordFile;

beforeAll(async () => {
  instance = await startIn(scratch, { configFile: writeBoardTeam(dirname(scratch.configFile)) });
  record = openRecordFile(scratch.stateDir);
});
afterAll(async () => {
  record?.close();
  await instance?.stop();
  scratch.remove();
});

interface Given {
  readonly taskId: string;
  readonly name: string;
}

/** Each is true at another moment of the work. */
const moments: readonly (readonly [string, (seen: { parts: number; done: number }) => boolean])[] = [
  ["as soon as they are given", () => true],
  ["when the first parts are given and done", ({ parts, done }) => parts >= 3 && done >= 1],
];

it.each(moments)(
  "L2 L9 each of twenty tasks is done once, and board and runs agree, after SIGKILL %s",
  async (moment, reached) => {
    const round = moments.findIndex(([name]) => name === moment);
    const before = record.tasks().length;
    const given = await giveTasks(round);
    const seen = () => {
      const fresh = record.tasks().slice(before);
      const done = fresh.filter((task) => task.status === "done").length;
      return { parts: fresh.length - given.length, done };
    };
    await until(() => reached(seen()));
    await instance.kill();
    expect(seen().done).toBeLessThan(given.length);
    instance = await startIn(scratch, { loadConfig: false });
    await until(() => seen().done === 2 * given.length && record.pendingOrders() === 0, fireCron);
    for (const task of given) await checkTask(task);
  },
);

async function giveTasks(round: number): Promise<Given[]> {
  const names = leads.flatMap((lead) =>
    Array.from({ length: TASKS_EACH }, (_, index) => [lead, index] as const),
  );
  return Promise.all(
    names.map(async ([assignee, index]) => {
      const name = `r${round}-${assignee}-${index}`;
      const body = { title: `Task ${name}`, description: `Do it.\nname ${name}`, assignee };
      const response = await fetch(`${instance.workerUrl}/api/tasks`, {
        method: "POST",
        headers: { authorization: `Bearer ${instance.token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(201);
      return { name, taskId: z.looseObject({ taskId: z.string() }).parse(await response.json()).taskId };
    }),
  );
}

/** Looks at the file until it holds, doing something now and then; the limit only keeps a broken test from hanging. */
async function until(holds: () => boolean, meanwhile?: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < 6_000; tries += 1) {
    if (holds()) return;
    if (tries % 50 === 0) await meanwhile?.();
    await wait(20);
  }
  throw new Error(
    `It never came true: ${JSON.stringify(record.tasks().filter(({ status }) => status !== "done"))}`,
  );
}

/** The minute's trigger, which the test does not wait a minute for. */
async function fireCron(): Promise<void> {
  const response = await fetch(`${instance.workerUrl}/cdn-cgi/local/scheduled?cron=*+*+*+*+*`);
  expect(response.status).toBe(200);
}

const eventShape = z.looseObject({ kind: z.string(), text: z.string() });
const taskShape = z.looseObject({
  taskId: z.string(),
  rootRunId: z.string(),
  runId: z.string().nullable(),
  status: z.string(),
  attempts: z.number(),
  result: z.string().nullable(),
  events: z.array(eventShape),
});
const chainShape = z.looseObject({
  runs: z.array(z.looseObject({ runId: z.string(), agentId: z.string(), status: z.string().nullable() })),
  messages: z.array(
    z.looseObject({
      fromAgentId: z.string(),
      toAgentId: z.string(),
      channel: z.string(),
      status: z.string(),
    }),
  ),
  tasks: z.array(z.looseObject({ taskId: z.string(), parentTaskId: z.string().nullable() })),
});

/** One attempt and one result each for the task and its part; three runs, all ended; a row for each word. */
async function checkTask({ taskId, name }: Given): Promise<void> {
  const whole = taskShape.parse(await get(`/api/tasks/${taskId}`));
  expect([whole.status, whole.result, whole.attempts], name).toEqual(["done", `whole ${name}`, 1]);
  const chain = chainShape.parse(await get(`/api/chains/${whole.rootRunId}`));
  const [part, ...others] = chain.tasks.filter((task) => task.parentTaskId === taskId);
  expect(others, name).toEqual([]);
  const read = taskShape.parse(await get(`/api/tasks/${part?.taskId ?? ""}`));
  expect([read.status, read.result, read.attempts], name).toEqual(["done", `part ${name}`, 1]);
  expect(
    read.events.map((event) => event.kind),
    name,
  ).toEqual(["created", "commented", "completed"]);
  expect(
    chain.runs.filter((run) => run.status !== "completed"),
    name,
  ).toEqual([]);
  const rows = chain.messages.map(
    (row) => `${row.fromAgentId}>${row.toAgentId} ${row.channel} ${row.status}`,
  );
  const lead = name.split("-")[1] ?? "";
  expect(rows, name).toEqual([
    `@human>${lead} task delivered`,
    `${lead}>hand task delivered`,
    `hand>${lead} task_comment delivered`,
    `hand>${lead} task_result delivered`,
    `${lead}>@human task_result delivered`,
  ]);
  const recorded = record
    .receipts()
    .filter((receipt) => chain.runs.some((run) => run.runId === receipt.runId));
  expect(recorded.length, name).toBe(chain.runs.length);
}

async function get(path: string): Promise<unknown> {
  const response = await fetch(`${instance.workerUrl}${path}`, {
    headers: { authorization: `Bearer ${instance.token}` },
  });
  expect(response.status, path).toBe(200);
  return response.json();
}
