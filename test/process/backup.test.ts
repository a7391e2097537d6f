/** `npm run backup` and `npm run restore`, against a started instance. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { Instance } from "../../scripts/instance/instance.mjs";
import { scratchFolder, startIn } from "./instance.ts";

const scripts = join(import.meta.dirname, "..", "..", "scripts");
const scratch = scratchFolder();
const file = (name: string) => join(dirname(scratch.configFile), name);
let instance: Instance;

beforeAll(async () => {
  instance = await startIn(scratch);
  for (const message of ["How many Möwen?", "zebra 17", 'it\'s "quoted" \\ \u{1F600}']) await chat(message);
  await api("tasks", { title: "Look", description: "Look at it", assignee: "@human" });
});
afterAll(async () => {
  await instance?.stop();
  scratch.remove();
});

async function api(path: string, body?: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${instance.token}`, "content-type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${instance.workerUrl}/api/${path}`, { headers, ...init });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const agents = z.array(z.object({ unsent: z.number(), queued: z.number() }));

/** A chat in which one agent asks the other; resolves when all of it is in D1. */
async function chat(message: string): Promise<void> {
  await api("agents/asker/chat", { message });
  while (!agents.parse(await api("agents")).every(({ unsent }) => unsent === 0));
}

async function run(script: string, args: readonly string[]) {
  const { PARLEY_URL: _url, API_TOKEN: _token, ...env } = process.env;
  const target = ["--url", instance.workerUrl, "--token", instance.token];
  const child = spawn(process.execPath, [join(scripts, script), ...target, ...args], { env });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const [code]: unknown[] = await once(child, "close");
  return { code, out, err };
}

const names = z.array(z.object({ name: z.string() }));

/** Every row of every table, the search index's places too, read past the Worker. What is only logged is left out. */
function everything(): Record<string, unknown[]> {
  const folder = join(scratch.stateDir, "v3", "d1", "miniflare-D1DatabaseObject");
  const path = readdirSync(folder).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) ?? "";
  const db = new DatabaseSync(join(folder, path), { readOnly: true, timeout: 30_000 });
  const tables = names
    .parse(db.prepare("SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main'").all())
    .map(({ name }) => name)
    .filter((name) => !/^(sqlite_|_cf_|d1_|Logs$|AdminLog$)/.test(name));
  const rows = tables.map((name) => [name, sorted(db.prepare(`SELECT * FROM "${name}"`).all())] as const);
  const places = db.prepare("SELECT rowid FROM AgentMessagesFts ORDER BY rowid").all();
  db.close();
  return { ...Object.fromEntries(rows), places };
}

const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();

const found = z.object({ messages: z.array(z.looseObject({ content: z.string() })) });
const search = async (q: string) => found.parse(await api(`messages?q=${q}`)).messages.length;

const lines = (name: string) =>
  gunzipSync(readFileSync(file(name)))
    .toString()
    .trimEnd()
    .split("\n");
const sums = (name: string) => lines(name).filter((line) => line.startsWith('{"end"') && !/Log"/.test(line));

it("129, 130, 131: restores what was backed up: every row of every table, and the search that follows from them", async () => {
  const before = everything();
  expect(before.AgentMessages).toHaveLength(6);
  writeFileSync(file("elsewhere"), "left alone", { mode: 0o644 });
  symlinkSync(file("elsewhere"), file("one.gz.unfinished"));
  const backup = await run("backup.mjs", [file("one.gz")]);
  expect(backup).toMatchObject({ code: 0, out: expect.stringContaining("AgentMessages: 6 rows") });
  expect([statSync(file("one.gz")).mode & 0o077, readFileSync(file("elsewhere"), "utf8")]).toEqual([
    0,
    "left alone",
  ]);
  expect(lines("one.gz").join("\n")).not.toMatch(/AgentMessagesFts|_cf_|process-test-token/);
  await chat("written after the backup");
  expect(await search("written+after")).toBe(0);
  const forced = await run("restore.mjs", [file("one.gz"), "--force"]);
  expect(forced).toMatchObject({ code: 0, out: expect.stringContaining("AgentMessages: 6 rows") });
  expect(everything()).toEqual(before);
  expect([await search("seven"), await search("nothing+of+the+kind")]).toEqual([3, 0]);
  await run("backup.mjs", [file("two.gz")]);
  expect(sums("two.gz")).toEqual(sums("one.gz"));
});

it("restores an empty database with its config, and goes on from there", async () => {
  const before = everything();
  const { tables } = z.object({ tables: z.array(z.object({ name: z.string() })) }).parse(await api("backup"));
  for (const { name } of tables)
    while (!z.object({ empty: z.boolean() }).parse(await api(`backup/${name}/empty`, {})).empty);
  expect(everything().places).toEqual([]);
  expect(await run("restore.mjs", [file("one.gz"), "--with-config"])).toMatchObject({ code: 0 });
  expect(everything()).toEqual(before);
  await chat("after the restore");
  expect(everything().AgentMessages).toHaveLength(8);
});

it("refuses a database that is not empty, and changes nothing", async () => {
  const before = everything();
  const refused = await run("restore.mjs", [file("one.gz")]);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("not empty: AgentMessages (8)") });
  expect(everything()).toEqual(before);
});

it("refuses a file that is cut off, damaged, changed, of another kind or from a later version, before anything is deleted", async () => {
  const before = everything();
  const packed = readFileSync(file("one.gz"));
  const whole = lines("one.gz");
  const put = (name: string, changed: readonly string[]) =>
    writeFileSync(file(name), gzipSync(`${changed.join("\n")}\n`));
  writeFileSync(file("cut.gz"), packed.subarray(0, packed.length / 2));
  writeFileSync(file("text.gz"), "Dear diary");
  put("short.gz", whole.slice(0, -1));
  put(
    "changed.gz",
    whole.map((line) => line.replace("There are seven.", "There are eight.")),
  );
  put("stray.gz", [whole[0] ?? "", "[1]", ...whole.slice(1)]);
  put("null.gz", [...whole.slice(0, 2), "null", ...whole.slice(2)]);
  put("other.gz", ['{"hello":1}', '{"end":"backup"}']);
  put(
    "later.gz",
    whole.map((line) => line.replace('"migrations":["', '"migrations":["9999_later.sql","')),
  );
  for (const [name, words] of [
    ["cut.gz", /cannot be read|cut off/],
    ["text.gz", /no backup/],
    ["short.gz", /cut off/],
    ["changed.gz", /damaged: AgentMessages/],
    ["stray.gz", /damaged/],
    ["null.gz", /damaged/],
    ["other.gz", /no backup/],
    ["later.gz", /at least as new/],
    ["none.gz", /no file/],
  ] as const) {
    const refused = await run("restore.mjs", [file(name), "--force"]);
    expect(refused, name).toMatchObject({ code: 1, err: expect.stringMatching(words) });
    expect(refused.err, name).not.toMatch(/\bat .*\.mjs:\d/);
  }
  expect(everything()).toEqual(before);
});

it("leaves no half a file, and overwrites none", async () => {
  expect(await run("backup.mjs", [file("one.gz")])).toMatchObject({
    code: 1,
    err: expect.stringContaining("exists"),
  });
  const wrong = await run("backup.mjs", [file("three.gz"), "--token", "wrong"]);
  expect([wrong.code, existsSync(file("three.gz"))]).toEqual([1, false]);
  expect(readdirSync(dirname(file("x"))).filter((name) => name.endsWith(".unfinished"))).toEqual([]);
});

it("L5: masks in restored rows what is a secret here", async () => {
  const secret = "process-test-token-0123";
  const answer = await api("backup/AgentMessages", {
    columns: [
      "Id",
      "Uid",
      "PairKey",
      "FromAgentId",
      "ToAgentId",
      "Channel",
      "Direction",
      "Content",
      "RunId",
      "RootRunId",
      "Status",
      "OccurredAt",
    ],
    rows: [
      [
        5,
        "foreign",
        "a|b",
        "a",
        "b",
        "ask",
        "request",
        `it is ${secret}`,
        "r",
        "r",
        "delivered",
        "2020-01-01T00:00:00.000Z",
      ],
    ],
  });
  expect(answer).toEqual({ rows: 1, masked: 1 });
  expect(JSON.stringify(everything())).not.toContain(secret);
});
