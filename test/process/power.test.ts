import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { Instance } from "../../scripts/instance/instance.mjs";
import { scratchFolder, startIn } from "./instance.ts";
import { migrateToNext, NEXT_VERSION, writeNextVersion } from "./next-version.ts";
import { workers, writePowerTeam } from "./power-team.ts";
import { openRecordFile, type RecordFile } from "./record-file.ts";

const JOBS_EACH = 4;
const IN_FLIGHT = 20;

const scratch = scratchFolder();
let instance: Instance;
let record: RecordFile;

beforeAll(async () => {
  instance = await startIn(scratch, { configFile: writePowerTeam(dirname(scratch.configFile)) });
  record = openRecordFile(scratch.stateDir);
});
afterAll(async () => {
  record?.close();
  await instance?.stop();
  scratch.remove();
});

interface Job {
  readonly name: string;
  readonly agentId: string;
  readonly runId: string;
}

/** Each is true at another moment of the first jobs. */
const moments: readonly (readonly [string, (seen: { asks: number; ended: number }) => boolean])[] = [
  ["as soon as they are accepted", () => true],
  ["while they ask each other", ({ asks }) => asks >= workers.length],
  ["when the first one has ended", ({ ended }) => ended >= 1],
];

it.each(moments)(
  "L2 L3 ends each of many runs once, by itself, after SIGKILL %s",
  async (moment, reached) => {
    const round = moments.findIndex(([name]) => name === moment);
    const jobs = await inTheMiddle(round, reached, () => instance.kill());
    instance = await startIn(scratch, { loadConfig: false });
    await checkAll(jobs);
  },
);

it("54: 65: L2 L3 a deploy in the middle of twenty runs loses none: another build goes on with them", async () => {
  const workerConfig = writeNextVersion(dirname(scratch.configFile));
  const reached = ({ asks }: { asks: number }) => asks >= workers.length;
  // As a deploy does: the database is brought to the next version while the one before still works with it.
  await migrateToNext(workerConfig, scratch.stateDir);
  const jobs = await inTheMiddle(moments.length, reached, () => instance.stop());
  instance = await startIn(scratch, { loadConfig: false, workerConfig });
  expect(await get("/api/health")).toEqual({ ok: true, version: NEXT_VERSION });
  await checkAll(jobs);
});

/** Interrupts the instance while many of a round's jobs are not ended. */
async function inTheMiddle(
  round: number,
  reached: (seen: { asks: number; ended: number }) => boolean,
  interrupt: () => Promise<void>,
): Promise<readonly Job[]> {
  const asksBefore = record.asks();
  const jobs = await acceptJobs(round);
  await until(() => reached({ asks: record.asks() - asksBefore, ended: endedOf(jobs) }));
  await interrupt();
  expect(jobs.length - endedOf(jobs)).toBeGreaterThanOrEqual(IN_FLIGHT);
  return jobs;
}

/** Nobody asks for them: they end by themselves. */
async function checkAll(jobs: readonly Job[]): Promise<void> {
  await until(() => endedOf(jobs) === jobs.length && allAnswered());
  for (const job of jobs) await checkJob(job);
  for (const agentId of workers) {
    const ofAgent = jobs.filter((job) => job.agentId === agentId);
    await checkConversation(agentId, ofAgent);
    await checkFile(agentId, ofAgent);
  }
}

/** Each agent begins with a chat, behind which isolated runs line up. */
async function acceptJobs(round: number): Promise<Job[]> {
  const job = async (agentId: string, index: number) => {
    const name = `r${round}-${agentId}-${index}`;
    const accept = index === 0 ? acceptChat : acceptRun;
    return { agentId, name, runId: await accept(agentId, `job ${name}`) };
  };
  const lines = workers.map(async (agentId) => {
    const first = await job(agentId, 0);
    const others = Array.from({ length: JOBS_EACH - 1 }, (_, index) => job(agentId, index + 1));
    return [first, ...(await Promise.all(others))];
  });
  return (await Promise.all(lines)).flat();
}

const accepted = z.looseObject({ runId: z.string() });

async function acceptRun(agentId: string, message: string): Promise<string> {
  const response = await post(`/api/agents/${agentId}/runs`, { message, wait: false });
  expect(response.status).toBe(202);
  return accepted.parse(await response.json()).runId;
}

/** Its first event names the run; the rest of the stream is left to be cut off. */
async function acceptChat(agentId: string, message: string): Promise<string> {
  const response = await post(`/api/agents/${agentId}/chat`, { message }, { accept: "text/event-stream" });
  expect(response.status).toBe(200);
  let text = "";
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (reader !== undefined) {
    const { value, done } = await reader.read();
    text += value ?? "";
    const data = /^event: run\ndata: (.*)\n\n/.exec(text)?.[1];
    if (data !== undefined) {
      reader.closed.catch(() => undefined);
      return accepted.parse(JSON.parse(data)).runId;
    }
    if (done) break;
  }
  throw new Error(`The chat ended with: ${text}`);
}

const endedOf = (jobs: readonly Job[]) => {
  const ended = new Set(record.receipts().map((receipt) => receipt.runId));
  return jobs.filter((job) => ended.has(job.runId)).length;
};
const allAnswered = () =>
  record.receipts().filter((receipt) => receipt.trigger === "ask").length === record.asks();

/** Looks at the file until it holds; the limit only keeps a broken test from hanging. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 6_000; tries += 1) {
    if (holds()) return;
    await wait(20);
  }
  const receipts = record.receipts();
  throw new Error(`It never came true: ${receipts.length} receipts, ${record.asks()} asks.`);
}

const receiptShape = z.looseObject({ runId: z.string(), status: z.string(), finishedAt: z.string() });
const runShape = z.object({
  run: z.looseObject({ reply: z.string() }),
  receipt: receiptShape,
  children: z.array(z.looseObject({ trigger: z.string() })),
});
const chainShape = z.looseObject({
  runs: z.array(z.looseObject({ runId: z.string(), status: z.string().nullable() })),
  messages: z.array(z.looseObject({ direction: z.string(), status: z.string(), content: z.string() })),
});

/** One receipt, the same in journal and record; two questions, each answered once by one run. */
async function checkJob({ runId, name }: Job): Promise<void> {
  const { run, receipt, children } = runShape.parse(await get(`/api/runs/${runId}`));
  expect([receipt.status, run.reply]).toEqual(["completed", `done ${name}`]);
  const recorded = record.receipts().filter((row) => row.runId === runId);
  expect(recorded.map((row) => row.finishedAt)).toEqual([receipt.finishedAt]);
  expect(children.map((child) => child.trigger)).toEqual(["ask", "ask"]);
  const chain = chainShape.parse(await get(`/api/chains/${runId}`));
  expect(chain.runs.map((member) => member.status)).toEqual(["completed", "completed", "completed"]);
  const texts = chain.messages.map(({ direction, status, content }) => `${direction} ${status}: ${content}`);
  expect(texts).toEqual([
    `request delivered: first ${name}`,
    `response delivered: answer to first ${name}`,
    `request delivered: second ${name}`,
    `response delivered: answer to second ${name}`,
  ]);
}

const conversationShape = z.object({
  turns: z.array(
    z.looseObject({
      runId: z.string(),
      status: z.string().nullable(),
      steps: z.array(z.looseObject({ calls: z.array(z.looseObject({ result: z.string().nullable() })) })),
    }),
  ),
});

/** The chat is there once, and each of its calls has its result. */
async function checkConversation(agentId: string, jobs: readonly Job[]): Promise<void> {
  const { turns } = conversationShape.parse(await get(`/api/agents/${agentId}/conversation`));
  const own = turns.filter((turn) => jobs.some((job) => job.runId === turn.runId));
  expect(own.map((turn) => turn.status)).toEqual(["completed"]);
  const calls = own.flatMap((turn) => turn.steps.flatMap((step) => step.calls));
  expect(calls.length).toBe(4);
  expect(calls.filter((call) => call.result === null)).toEqual([]);
}

const auditShape = z.array(z.looseObject({ arguments: z.string(), outcome: z.string() }));
const appendShape = z.object({ content: z.string() });

/** An append that is said to have worked is in the file once; one of unknown outcome at most once. */
async function checkFile(agentId: string, jobs: readonly Job[]): Promise<void> {
  const response = await post(`/api/agents/${agentId}/chat`, { message: "show" });
  const { reply } = z.looseObject({ reply: z.string() }).parse(await response.json());
  for (const { runId } of jobs) {
    const { audit } = z.looseObject({ audit: auditShape }).parse(await get(`/api/runs/${runId}`));
    const appends = audit.filter((entry) => entry.arguments.includes('"append"'));
    expect(appends.length).toBe(2);
    for (const entry of appends) {
      const { content } = appendShape.parse(JSON.parse(entry.arguments));
      const times = reply.split("\n").filter((line) => `${line}\n` === content).length;
      expect(["ok", "interrupted"]).toContain(entry.outcome);
      if (entry.outcome === "ok") expect(times).toBe(1);
      else expect(times).toBeLessThanOrEqual(1);
    }
  }
}

async function get(path: string): Promise<unknown> {
  const response = await fetch(`${instance.workerUrl}${path}`, {
    headers: { authorization: `Bearer ${instance.token}` },
  });
  expect(response.status, path).toBe(200);
  return response.json();
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${instance.workerUrl}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${instance.token}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}
