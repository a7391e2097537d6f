/** `npm run import`: the databases of older instances, under `npm start`. */
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Instance } from "../../scripts/instance/instance.mjs";
import { beginImport, type Ending, runImport, standBetween } from "./import-command.ts";
import { scratchFolder, startIn } from "./instance.ts";
import { giveMigratedState } from "./migrated-state.ts";
import { writeOddDatabase, writeOldDatabase } from "./old-database.ts";
import { openRecordFile, type RecordFile } from "./record-file.ts";

const SECRET = "correct-horse-battery-7781";
const CALLS = 20_000;
const RUNS = CALLS / 10;
const MESSAGES = 1_500;

const scratch = scratchFolder();
const folder = dirname(scratch.configFile);
const file = (name: string) => join(folder, name);
let instance: Instance;
let record: RecordFile;

beforeAll(async () => {
  appendFileSync(scratch.varsFile, `SHOP_KEY="${SECRET}"\n`);
  instance = await startIn(scratch);
  record = openRecordFile(scratch.stateDir);
  writeOldDatabase(file("old.db"), { calls: CALLS, messages: MESSAGES, secret: SECRET });
});
afterAll(async () => {
  record?.close();
  await instance?.stop();
  scratch.remove();
});

function take(path: string, more: readonly string[] = []): Promise<Ending> {
  return runImport([path, "--url", instance.workerUrl, "--token", instance.token, ...more]);
}

async function api(path: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${instance.token}` };
  const response = await fetch(`${instance.workerUrl}/api/${path}`, { headers });
  expect(response.status, path).toBe(200);
  return response.json();
}

const counts = () => ["RunReceipts", "AuditLog", "AgentMessages"].map((table) => record.rows(table));

describe("an import of 20,000 tool calls", () => {
  it("that is killed when the instance has a batch of which it does not know goes on there, and nothing is doubled", async () => {
    let kill = () => {};
    const between = await standBetween(instance.workerUrl, 40, () => kill());
    const first = beginImport([file("old.db"), "--url", between.url, "--token", instance.token]);
    kill = first.kill;
    expect((await first.ended).code).toBe(null);
    await between.close();
    const [runs = 0, calls = 0] = counts();
    expect(runs).toBe(RUNS);
    expect(calls).toBe(6_000);
    const second = await take(file("old.db"));
    expect(second).toMatchObject({ code: 0 });
    expect(second.err).toContain("AuditLog  goes on after 6000 rows");
    expect(counts()).toEqual([RUNS, CALLS, MESSAGES]);
    expect(second.out).toContain("RunReceipts: 2,000 rows read: 2,000 written, 0 there already, 0 refused");
    expect(second.out).toContain("AuditLog: 20,000 rows read: 20,000 written, 0 there already, 0 refused");
    expect(second.out).toContain("AgentMessages: 1,500 rows read: 1,500 written, 0 there already, 0 refused");
    expect(second.out).toContain("not mapped: Machine");
    expect(second.out).toContain("Not imported: the table Schedules");
  });

  it("reads nothing when it is made again, takes what was added since, and all of it from a copy only once", async () => {
    const again = await take(file("old.db"));
    expect(again.err).toContain("AuditLog  goes on after 20000 rows");
    expect(counts()).toEqual([RUNS, CALLS, MESSAGES]);
    copyFileSync(file("old.db"), file("copy.db"));
    const db = new DatabaseSync(file("copy.db"));
    db.exec(
      "INSERT INTO AuditLog SELECT NULL, RunId, AgentId, ToolName, Arguments, 1, NULL, 1, Timestamp FROM AuditLog LIMIT 3",
    );
    db.close();
    await take(file("copy.db"));
    expect(counts()).toEqual([RUNS, CALLS + 3, MESSAGES]);
    const whole = await take(file("copy.db"), ["--again"]);
    expect(whole.out).toContain("AuditLog: 20,003 rows read: 0 written, 20,003 there already, 0 refused");
    expect(counts()).toEqual([RUNS, CALLS + 3, MESSAGES]);
  });

  it("gives runs without lineage a chain of their own, and shows in all views of the record", async () => {
    const entry = z.looseObject({ runId: z.string() });
    const run = z.object({ receipt: z.looseObject({}), audit: z.array(z.looseObject({})) });
    const { receipt, audit } = run.parse(await api("runs/old-run-3"));
    expect(receipt).toMatchObject({
      rootRunId: "old-run-3",
      parentRunId: null,
      trigger: "schedule",
      costUsd: 0.0025,
      steps: 3,
    });
    expect(audit).toHaveLength(10);
    expect(audit[5]).toMatchObject({ outcome: "failed", error: "no such file", rootRunId: "old-run-3" });
    expect(await api("chains/old-run-3")).toMatchObject({
      totals: { runs: 1 },
      messages: [{ content: "wombat 3" }],
    });
    expect(z.array(entry).parse(await api("audit?agentId=clerk&outcome=failed&limit=5"))).toHaveLength(5);
    expect(await api("messages?a=clerk&b=auditor&q=wombat+1499")).toMatchObject({
      messages: [{ content: "wombat 1499" }],
    });
  });

  it("L5: writes no secret of the instance", async () => {
    expect(await api("runs/old-run-0")).toMatchObject({
      audit: { 0: { arguments: '{"password":"[secret:SHOP_KEY]"}' } },
    });
    expect(await api("messages?q=the+key+is")).toMatchObject({
      messages: [{ content: "the key is [secret:SHOP_KEY], says the wombat" }],
    });
  });
});

describe("an old database of another shape", () => {
  it("is mapped by the columns that it has, and what cannot be mapped is told", async () => {
    writeOddDatabase(file("odd.db"));
    const { code, out } = await take(file("odd.db"));
    expect(code).toBe(0);
    expect(out).toContain("RunReceipts: 4 rows read: 3 written, 0 there already, 1 refused");
    expect(out).toContain("refused 1: startedAt, no time, or none that can be read (row odd-lost)");
    expect(out).toContain('changed 1: status, unknown word (row odd-word: "Napping"), became failed');
    expect(out).toContain(
      'changed 1: inputTokens, cannot be read (row odd-word: "many"), became unknown (NULL)',
    );
    expect(out).toContain("AuditLog: 4 rows read: 3 written, 0 there already, 1 refused");
    expect(out).toContain("refused 1: agentId, no agent (row 4)");
    expect(await api("chains/odd-root")).toMatchObject({
      runs: [
        {
          runId: "odd-root",
          parentRunId: null,
          costUsd: 0.5,
          durationMs: 1_500,
          status: "completed",
          inputTokens: 12,
        },
        {
          runId: "odd-child",
          parentRunId: "odd-root",
          agentId: "clerk",
          status: "step_limit",
          costUsd: null,
        },
      ],
      totals: { depth: 2, unpricedRuns: 1 },
    });
    expect(await api("runs/odd-root")).toMatchObject({ audit: [{ outcome: "denied", arguments: "ff00" }] });
  });
});

describe("a file that cannot be imported is said to be so", () => {
  const failed = async (path: string) => {
    const before = counts();
    const ending = await take(path);
    expect(ending).toMatchObject({ code: 1, out: "" });
    expect(counts()).toEqual(before);
    expect(ending.err).not.toMatch(/\bat .*\.mjs:\d/);
    return ending.err;
  };

  it("when there is none", async () => {
    expect(await failed(file("none.db"))).toContain("There is no file");
  });

  it("when it is a folder, empty, something else, or has none of the tables", async () => {
    mkdirSync(file("folder.db"));
    writeFileSync(file("empty.db"), "");
    writeFileSync(file("text.db"), "Dear diary, ".repeat(1_000));
    new DatabaseSync(file("other.db")).exec("CREATE TABLE Songs (Id INTEGER)");
    expect(await failed(file("folder.db"))).toContain("is no file");
    expect(await failed(file("empty.db"))).toContain("is empty");
    expect(await failed(file("text.db"))).toContain("is no SQLite database");
    expect(await failed(file("other.db"))).toContain("none of the tables");
  });

  it("when it is damaged or cut off", async () => {
    copyFileSync(file("old.db"), file("cut.db"));
    truncateSync(file("cut.db"), Math.floor(statSync(file("cut.db")).size / 2));
    copyFileSync(file("old.db"), file("damaged.db"));
    const opened = openSync(file("damaged.db"), "r+");
    writeSync(opened, Buffer.alloc(400_000, 0xff), 0, 400_000, 100_000);
    closeSync(opened);
    expect(await failed(file("cut.db"))).toContain("is damaged");
    expect(await failed(file("damaged.db"))).toContain("is damaged");
  });

  it("when another program holds it", async () => {
    copyFileSync(file("old.db"), file("locked.db"));
    const holder = new DatabaseSync(file("locked.db"));
    holder.exec("BEGIN EXCLUSIVE");
    expect(await failed(file("locked.db"))).toContain("is locked");
    holder.close();
  });
});

it("is only read: the file is the same afterwards", async () => {
  copyFileSync(file("old.db"), file("same.db"));
  const before = readFileSync(file("same.db"));
  await take(file("same.db"));
  expect(readFileSync(file("same.db")).equals(before)).toBe(true);
});

it("takes no token that is wrong, and no address that is not safe", async () => {
  const wrong = await runImport([file("odd.db"), "--url", instance.workerUrl, "--token", "wrong"]);
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("does not accept the token") });
  const plain = await runImport([
    file("odd.db"),
    "--remote",
    "--url",
    "http://parley.example",
    "--token",
    "t",
  ]);
  expect(plain).toMatchObject({ code: 1, err: expect.stringContaining("is not https") });
  const nowhere = await runImport([file("odd.db"), "--remote", "--token", "t"]);
  expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining("--remote needs") });
});

it("starts the instance on this machine when none runs, and ends it", async () => {
  const other = scratchFolder();
  const { stateDir, varsFile, configFile } = other;
  await giveMigratedState(stateDir);
  const env = { STATE_DIR: stateDir, PARLEY_VARS: varsFile, PARLEY_CONFIG: configFile, PORT: "0" };
  // It ends only when its instance has.
  expect(await runImport([file("odd.db")], env)).toMatchObject({ code: 0 });
  const state = openRecordFile(stateDir);
  expect([state.rows("RunReceipts"), state.rows("AuditLog")]).toEqual([3, 3]);
  state.close();
  other.remove();
});

it("knows a file again by a table with numbered rows, also when another one begins with a new row", async () => {
  const db = new DatabaseSync(file("odd.db"));
  db.exec(
    "INSERT INTO run_receipts (run_id, agent_id, started_at) VALUES ('a-new-first', 'clerk', 1740000000)",
  );
  db.close();
  const before = record.rows("AuditLog");
  expect((await take(file("odd.db"), ["--again"])).out).toContain("1 written, 3 there already, 1 refused");
  expect(record.rows("AuditLog")).toBe(before);
});
