import { writeFileSync } from "node:fs";
import { afterAll, afterEach, expect, it } from "vitest";
import { z } from "zod";
import { readInstruction } from "../support/demo-team.ts";
import { type DemoCommand, runDemo } from "./demo-command.ts";
import { scratchFolder } from "./instance.ts";

const token = "demo-test-token-0123456789";
const scratch = scratchFolder(token);
const instruction = readInstruction();
/** Nobody's key may bring a real model in. */
const environment = {
  STATE_DIR: scratch.stateDir,
  PARLEY_VARS: scratch.varsFile,
  PARLEY_CONFIG: "",
  PORT: "0",
  OPENAI_API_KEY: "",
  LANG: "C.UTF-8",
};
const running = new Set<DemoCommand>();

function demo(args: readonly string[], changes: Record<string, string> = {}): DemoCommand {
  const command = runDemo(args, { ...environment, ...changes });
  running.add(command);
  void command.exited.then(() => running.delete(command));
  return command;
}

afterEach(async () => {
  for (const command of running) {
    command.end();
    await command.exited;
  }
});
afterAll(() => scratch.remove());

const shownChain = z.object({
  rootRunId: z.string(),
  runs: z.array(
    z.looseObject({
      runId: z.string(),
      rootRunId: z.string(),
      agentId: z.string(),
      trigger: z.string(),
      status: z.string(),
      costUsd: z.number().nullable(),
    }),
  ),
  messages: z.array(
    z.looseObject({
      toAgentId: z.string(),
      fromAgentId: z.string(),
      channel: z.string(),
      direction: z.string(),
      status: z.string(),
      rootRunId: z.string(),
    }),
  ),
  tasks: z.array(
    z.looseObject({
      title: z.string(),
      assignee: z.string(),
      status: z.string(),
      attempts: z.number(),
      rejections: z.number(),
      result: z.string().nullable(),
      stages: z.array(z.looseObject({ title: z.string() })),
      rootRunId: z.string(),
    }),
  ),
  totals: z.looseObject({ costUsd: z.number(), unpricedRuns: z.number() }),
});
const shownRun = z.object({
  run: z.looseObject({
    reply: z.string(),
    steps: z.array(z.looseObject({ calls: z.array(z.looseObject({ result: z.string() })) })),
  }),
  audit: z.array(z.looseObject({ tool: z.string(), outcome: z.string(), arguments: z.string() })),
});

/** The instance's own word on what the output tells. */
async function onRecord(link: URL, stdout: string) {
  const rootRunId = /\/api\/chains\/(\S+)/.exec(stdout)?.[1];
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(new URL(path, link), { headers: { authorization: `Bearer ${token}` } });
    return response.json();
  };
  const chain = shownChain.parse(await get(`/api/chains/${rootRunId}`));
  return { chain, run: shownRun.parse(await get(`/api/runs/${rootRunId}`)) };
}

/** What any demo of the scripted team must have come to. */
function checkRecord({ chain, run }: Awaited<ReturnType<typeof onRecord>>, report: RegExp) {
  expect(new Set(chain.runs.map(({ agentId }) => agentId)).size).toBeGreaterThanOrEqual(4);
  const responses = chain.messages.filter(({ direction }) => direction === "response");
  const ended = (wanted: string) =>
    responses
      .filter(({ status }) => status === wanted)
      .map(({ toAgentId, fromAgentId }) => `${toAgentId} asked ${fromAgentId}`)
      .sort();
  expect(ended("denied")).toEqual(["assistant asked payroll", "bookkeeping asked research"]);
  expect(ended("timeout")).toEqual(["assistant asked shipping"]);
  expect(chain.messages.filter(({ status }) => status === "denied").length).toBe(4);
  expect(chain.totals.unpricedRuns).toBeGreaterThan(0);
  const files = run.audit.filter(({ tool, outcome }) => tool === "FileRW" && outcome === "ok");
  expect(files.map((entry) => JSON.parse(entry.arguments).action)).toEqual(["write", "read"]);
  const results = run.run.steps.flatMap((step) => step.calls).map(({ result }) => result);
  expect(results).toContainEqual(expect.stringMatching(report));
}

/** What was given away, from the creation to the person's decision, in one chain. */
function checkTasks({ chain }: Awaited<ReturnType<typeof onRecord>>, decision: string) {
  const { rootRunId, tasks, messages, runs } = chain;
  const shown = tasks.map(({ assignee, status, attempts, rejections }) => ({
    ...{ assignee, status, attempts, rejections },
  }));
  expect(new Set(shown)).toEqual(
    new Set([
      { assignee: "warehouse", status: "done", attempts: 2, rejections: 1 },
      { assignee: "bookkeeping", status: "done", attempts: 1, rejections: 0 },
      { assignee: "@new:research", status: "done", attempts: 1, rejections: 0 },
      { assignee: "shipping", status: "blocked", attempts: 1, rejections: 0 },
      { assignee: "@human", status: "done", attempts: 0, rejections: 0 },
    ]),
  );
  const first = tasks.find(({ assignee }) => assignee === "warehouse");
  const stage = tasks.find(({ assignee }) => assignee === "bookkeeping");
  expect(first?.stages.map(({ title }) => title)).toEqual([stage?.title]);
  expect(tasks.find(({ assignee }) => assignee === "@human")?.result).toBe(decision);
  const roots = [...runs, ...messages, ...tasks].map((row) => row.rootRunId);
  expect(new Set(roots)).toEqual(new Set([rootRunId]));
  const workers = runs.filter(({ runId }) => runId.startsWith("research@"));
  expect(workers.map(({ agentId, trigger }) => `${agentId} ${trigger}`)).toEqual(["research task"]);
  const results = messages.filter(({ channel }) => channel === "task_result");
  expect(results.map(({ fromAgentId }) => fromAgentId).sort()).toEqual(
    ["@human", "bookkeeping", "research", "shipping", "warehouse", "warehouse"].sort(),
  );
  expect(new Set(results.map(({ toAgentId }) => toAgentId))).toEqual(new Set(["assistant"]));
  // Each result has woken its creator.
  const woken = runs.filter(({ agentId, trigger }) => agentId === "assistant" && trigger === "task");
  expect(woken.length).toBe(results.length);
  const cost = runs.reduce((sum, run) => sum + (run.costUsd ?? 0), 0);
  expect(chain.totals.costUsd).toBeCloseTo(cost, 6);
}

/** A reply as it stands in the output, however its lines were broken. */
const unbroken = (text: string) => text.replace(/\s+/g, " ");

it("follows the English demo to its end, keeps the instance, and lets no second one onto its state", async () => {
  const command = demo(["--keep"]);
  const link = await command.shows("The instance keeps running");
  const { stdout } = command.output;
  const record = await onRecord(link, stdout);
  checkRecord(record, /Order 4 bags/);
  checkTasks(record, instruction.person.en);
  expect(stdout).toMatch(/assistant \(scripted\) gives @new:research a task: Price list/);
  expect(stdout).toMatch(/SENT BACK by assistant \(scripted\), "Order letter for 4 bags"/);
  expect(stdout).toMatch(/Next stage, made by the engine: assistant -> bookkeeping/);
  expect(stdout).toMatch(/BLOCKED by shipping/);
  expect(unbroken(stdout)).toMatch(
    /The demo plays the person and answers it through POST \/api\/tasks\/\S+\/complete/,
  );
  expect(unbroken(stdout)).toContain(`About the discount you said: "${instruction.person.en}"`);
  expect(stdout).toMatch(/^ {2}Order letter for 4 bags +assistant +warehouse +done +2 +1$/m);
  expect(stdout).toMatch(/^ {2}`-- Reserve the money for the order +assistant +bookkeeping +done/m);
  expect(stdout).toMatch(/`-- @human +act\n +`-- assistant +task/);
  expect(stdout).toContain("The team is scripted");
  expect(stdout).toMatch(/warehouse \(scripted\) answers assistant: There are 180 kg/);
  expect(stdout).toMatch(/REFUSED assistant <- payroll: Denied \(not_colleague\)/);
  expect(stdout).toMatch(/TIMED OUT assistant <- shipping/);
  expect(stdout).toMatch(/\|-- warehouse +ask +scripted +completed +[\d.]+ s +unknown/);
  expect(stdout).toMatch(/assistant +chat +scripted +completed +[\d.]+ s +\$0\.\d{6}/);
  expect(unbroken(stdout)).toContain(`Cost: at least $${record.chain.totals.costUsd.toFixed(6)}`);
  expect(unbroken(stdout)).toContain(`${record.chain.messages.length} messages on record`);
  expect(unbroken(stdout)).toContain(unbroken(record.run.run.reply));
  expect(stdout).toContain("# House espresso: reorder this week?");
  expect(stdout).not.toContain("\u001b");

  const second = demo([]);
  expect(await second.exited).toBe(1);
  expect(second.output.stderr).toContain("Another instance runs");
  expect(second.output.stderr).toContain("STATE_DIR");

  command.end();
  expect(await command.exited).toBe(0);
  await expect(fetch(link)).rejects.toThrow();
});

it("speaks German where LANG does", async () => {
  const command = demo(["--keep"], { LANG: "de_DE.UTF-8" });
  const link = await command.shows("Die Instanz läuft weiter");
  const { stdout } = command.output;
  const record = await onRecord(link, stdout);
  checkRecord(record, /Jetzt 4 Säcke/);
  checkTasks(record, instruction.person.de);
  expect(stdout).toMatch(/ZURÜCKGEGEBEN von assistant \(Drehbuch\), „Bestellbrief für 4 Säcke“/);
  expect(stdout).toMatch(/BLOCKIERT von shipping/);
  expect(unbroken(stdout)).toContain("Die Demo spielt den Menschen");
  expect(unbroken(stdout)).toContain(`Zum Skonto hast du gesagt: „${instruction.person.de}“`);
  expect(stdout).toMatch(/^ {2}4 Säcke vom Hafen holen +assistant +shipping +blockiert +1 +0$/m);
  expect(stdout).toContain("Das Team spielt nach Drehbuch (scripted)");
  expect(stdout).toMatch(/ABGELEHNT assistant <- payroll: Denied \(not_colleague\)/);
  expect(stdout).toMatch(/ZEIT ABGELAUFEN assistant <- shipping/);
  expect(stdout).toMatch(/\|-- warehouse +Rückfrage +scripted +abgeschlossen +[\d,]+ s +unbekannt/);
  const cost = record.chain.totals.costUsd.toFixed(6).replace(".", ",");
  expect(unbroken(stdout)).toContain(`Kosten: mindestens ${cost}`);
  expect(unbroken(stdout)).toContain(unbroken(record.run.run.reply));
  expect(stdout).toContain("# Hausespresso: diese Woche nachbestellen?");
});

it("fails, says why, and stops the instance when the run fails", async () => {
  const fail = { code: "quota", message: "No money left." };
  const model = { provider: "scripted", script: JSON.stringify({ rules: [{ when: {}, fail }] }) };
  const assistant = {
    agentId: "assistant",
    name: "A",
    description: "A",
    systemPrompt: "A",
    tools: {},
    model,
  };
  const team = { instance: { id: "failing", timeZone: "UTC" }, agents: [assistant] };
  writeFileSync(scratch.configFile, JSON.stringify(team));
  const command = demo([], { PARLEY_CONFIG: scratch.configFile });
  expect(await command.exited).toBe(1);
  const { stdout } = command.output;
  expect(unbroken(stdout)).toContain("The demo did not reach its end: the run ended as failed");
  expect(stdout).toContain("No money left.");
  const link = /(http:\S+)#token/.exec(stdout)?.[1] ?? "";
  await expect(fetch(link)).rejects.toThrow();
});
