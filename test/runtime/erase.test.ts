import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { partKey, putPart, readPart } from "../../core/archive/part-file.ts";
import { countChars } from "../../core/engine/transcript.ts";
import { eraseInAgent } from "../../core/erase/erase-agent.ts";
import { type EraseState, eraseStep, isDone, newErasure } from "../../core/erase/job.ts";
import { needleOf } from "../../core/erase/needle.ts";
import { ERASED_TABLES } from "../../core/erase/record-tables.ts";
import { readState } from "../../core/journal/tool-state.ts";
import { createReader } from "../../core/record/reader.ts";
import { objectDatabase } from "../../durable-objects/sqlite.ts";
import { eraseStores } from "../../workers/erase.ts";
import { chat, delivered, eventually, get, messages, send } from "./support/api.ts";
import { append, careful, decide, waitingCall } from "./support/approvals.ts";
import { storedTexts } from "./support/exposure.ts";
import { heldRun } from "./support/held-run.ts";
import { createTask, task } from "./support/tasks.ts";
import { agent, ask, team } from "./support/team.ts";
import { watch } from "./support/watched-world.ts";

/** As it is spelled in texts, in escaped JSON and in addresses. */
const ADDRESS = "Jürgen.Öztürk@mail.example";
const SPELLED = [
  ADDRESS,
  ADDRESS.toUpperCase(),
  JSON.stringify(JSON.stringify({ to: ADDRESS })),
  ADDRESS.replaceAll("ü", "\\u00fc").replaceAll("Ö", "\\u00d6"),
  encodeURIComponent(ADDRESS),
];
/** For scenarios: the same text once it is played, but nothing of it in the config. */
const played = (text: string) => (text.match(/.{1,4}/gsu) ?? []).join("{{repeat:.:0}}");
/** What is left of it in whatever spelling. */
const TRACE = /zt(?:ü|\\+u00fc|%c3%bc)rk(?:@|%40)mail\.example/iu;
const OTHER = "Jürgen.Ötzi@mail.example";

const resultShape = z.looseObject({
  done: z.boolean(),
  clean: z.boolean(),
  sha256: z.string(),
  found: z.record(z.string(), z.number()),
  remaining: z.number(),
  inConfig: z.array(z.string()),
  files: z.array(z.string()),
});
async function erase(body: Record<string, unknown>): Promise<z.infer<typeof resultShape>> {
  for (;;) {
    const response = await send("POST", "/api/admin/erase", body);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    const result = resultShape.parse(JSON.parse(text));
    if (result.done) return result;
  }
}

const traces = async () =>
  (await storedTexts()).filter(({ text }) => TRACE.test(text)).map(({ where }) => where);

/** A row in each table of the record, with the address in every column that a text of a person can reach. */
async function plantInRecord(): Promise<void> {
  for (const { name: table, columns } of ERASED_TABLES) {
    const { results } = await env.DB.prepare("SELECT name, type, pk FROM pragma_table_info(?)")
      .bind(table)
      .all<{ name: string; type: string; pk: number }>();
    const filled = results.filter(({ type, pk }) => pk === 0 || type.toUpperCase() === "TEXT");
    for (const [n, spelled] of SPELLED.entries()) {
      const values = filled.map(({ name, type }) => {
        if (type.toUpperCase() !== "TEXT") return n + 1;
        if (name === "Run" || name === "Stages") return JSON.stringify([{ input: `see ${spelled}` }]);
        if (name.endsWith("At")) return "2026-01-01T00:00:00.000Z";
        return columns.includes(name)
          ? `see ${spelled} and ${OTHER}`
          : name === "ContentRef" || name === "LongTexts"
            ? null
            : `planted${n}`;
      });
      const marks = values.map(() => "?").join(", ");
      await env.DB.prepare(
        `INSERT INTO "${table}" (${filled.map(({ name }) => `"${name}"`).join(", ")}) VALUES (${marks})`,
      )
        .bind(...values)
        .run();
    }
  }
}

const PART = partKey({ tableName: "AuditLog", day: "2026-01-01", part: 1 });
const archived = (text: string) => ({
  id: 1,
  runId: "anna.0000000000",
  arguments: JSON.stringify({ text }),
  occurredAt: "2026-01-01T00:00:00.000Z",
});

/** What no scripted run leaves behind. */
async function plantInObjects(): Promise<void> {
  await runInDurableObject(env.AGENTS.get(env.AGENTS.idFromName("bruno")), (_, { storage: { sql } }) => {
    const border = `${"x".repeat(20)}${ADDRESS.slice(0, 9)}`;
    sql.exec(
      "INSERT INTO ToolState (tool, key, value) VALUES ('Mail', ?, ?)",
      `thread:${ADDRESS}`,
      `@state:Mail:thread:${ADDRESS}`,
    );
    [border, `${ADDRESS.slice(9)} and so on`].forEach((part, index) => {
      sql.exec(
        "INSERT INTO LongTexts (key, part, text) VALUES (?, ?, ?)",
        `state:Mail:thread:${ADDRESS}`,
        index,
        part,
      );
    });
    sql.exec("INSERT INTO HookDeliveries (hook, mark, runId, at) VALUES ('h', ?, 'x', 1)", `<1.${ADDRESS}>`);
  });
  const [first] = await messages(`?q=${encodeURIComponent("öztürk@mail")}&limit=1`);
  for (const [id, members] of [
    [1001, `[[${first?.id}, 2, 3, 1, 0]]`],
    [1002, "[[7, 8, 3, 1, 0]]"],
  ])
    await env.DB.prepare(
      `INSERT INTO QuestionGroups (GroupId, FromAgentId, ToAgentId, Print, Asked, Answered, SameAnswers, FirstAt, LastAt, Members)
       VALUES (?, ?, ?, '["planted stems"]', 1, 1, 0, 'x', 'x', ?)`,
    )
      .bind(id, first?.fromAgentId ?? "", first?.toAgentId ?? "", members)
      .run();
  await env.TEXTS.put("messages/planted", `${"y".repeat(50_000)} ${ADDRESS}`, {
    customMetadata: { kept: "yes" },
  });
  await putPart(env.TEXTS, PART, { rows: [archived(`Ask ${SPELLED[2]}`), archived(`Ask ${OTHER}`)] });
  await env.FILES.put(`test/agents/bruno/${ADDRESS}.txt`, ADDRESS);
}

/** What the analysis keeps of a chain in which a run failed. */
async function plantFacts(rootRunId: string): Promise<void> {
  const { results } = await env.DB.prepare("SELECT name, type FROM pragma_table_info('ChainFacts')").all<{
    name: string;
    type: string;
  }>();
  const row: Record<string, string | number> = Object.fromEntries(
    results.map(({ name, type }) => [name, type.toUpperCase() === "TEXT" ? "[]" : 0]),
  );
  const cells = { ...row, RootRunId: rootRunId, FailedRuns: 1 };
  const columns = Object.keys(cells);
  await env.DB.prepare(
    `INSERT OR REPLACE INTO "ChainFacts" (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  )
    .bind(...Object.values(cells))
    .run();
}

async function work(): Promise<void> {
  await team([
    agent("anna", {
      rules: [
        {
          when: { user: "/^ask/", step: 0 },
          calls: [ask("bruno", "Is {{user}} right?"), ask(played(ADDRESS), "who?")],
        },
        { when: { user: "/^ask/" }, say: "{{results}}" },
      ],
    }),
    careful("bruno"),
    careful("carla", [
      {
        when: { user: "/^go/", step: 0 },
        calls: [{ ...append, arguments: { ...append.arguments, content: `To ${played(ADDRESS)}` } }],
      },
    ]),
    agent("fails", { rules: [{ fail: { code: "auth", message: `no mailbox ${played(ADDRESS)}` } }] }),
    agent("lead", {
      rules: [
        { when: { user: "/^ask both/", step: 0 }, calls: [ask("fails", "hm?"), ask("fails", "and now?")] },
        { when: { user: "/^ask/", step: 0 }, calls: [ask("fails", "hm?")] },
        { when: { user: "/^ask/" }, say: "{{results}}" },
      ],
    }),
  ]);
  for (const spelled of SPELLED) await chat("anna", `ask ${spelled}`);
  await chat("anna", `ask about ${OTHER}`);
  await chat("lead", "ask");
  await chat("lead", "ask both");
  await chat("anna", `ask ${"z".repeat(1_950_000)} ${ADDRESS}`);
  const { taskId } = await createTask({
    assignee: "@new:bruno",
    title: ADDRESS,
    description: `For ${ADDRESS}`,
  });
  await chat("carla", "go");
  await chat("bruno", "go");
  const { approvalId } = await waitingCall("bruno");
  await decide(approvalId, "reject", `Ask ${ADDRESS} first`);
  await eventually(async () => (await task(taskId)).status === "blocked");
  await delivered();
}

/** Cells of the record that never held it, in order. */
async function untouched(): Promise<string[]> {
  const texts = await storedTexts();
  return texts
    .filter(({ where, text }) => where.startsWith("D1 ") && !TRACE.test(text) && !text.includes("[erased]"))
    .map(({ where, text }) => `${where}: ${text}`)
    .filter((line) => !/^D1 (AdminLog|Mirror|QuestionGroups)/.test(line))
    .toSorted();
}

beforeAll(async () => {
  await work();
  await plantInRecord();
  await plantInObjects();
  await Promise.all([...watch.worlds.values()].map((world) => world.flushLog()));
}, 120_000);

describe("erasing one person's data", () => {
  it("is counted by a dry run, which changes nothing", async () => {
    const before = await traces();
    const { clean, found, files } = await erase({ address: ADDRESS, dryRun: true });
    expect(clean).toBe(false);
    expect(Object.entries(found).filter(([part, rows]) => rows === 0 && part !== "files")).toEqual([]);
    expect(files).toEqual([`test/agents/bruno/${ADDRESS}.txt`]);
    expect(await traces()).toEqual(before);
  });

  it("leaves it nowhere, changes nothing else, and goes on where it was cut short, at whatever step", async () => {
    const [before, had] = [await untouched(), await traces()];
    expect(new Set(had).size).toBeGreaterThan(30);
    const stores = eraseStores(env, createReader(env.DB), ADDRESS);
    const needle = needleOf(ADDRESS);
    let state: EraseState = newErasure(false, 1);
    while (!isDone(state)) {
      const kept: EraseState = JSON.parse(JSON.stringify(state));
      // Made once, its outcome lost, and made again.
      await eraseStep(stores, needle, { state: kept, now: 1 });
      state = await eraseStep(stores, needle, { state: kept, now: 1 });
    }
    expect(state.remaining).toBe(0);
    expect(await traces()).toEqual([]);
    expect(await untouched()).toEqual(before);
    expect(await messages(`?q=${encodeURIComponent("öztürk@mail")}`)).toEqual([]);
    expect((await messages(`?q=${encodeURIComponent("Ötzi@mail")}`)).length).toBeGreaterThan(0);
    await env.DB.prepare("INSERT INTO AgentMessagesFts (AgentMessagesFts) VALUES ('integrity-check')").run();
    const rows = (await readPart(env.TEXTS, PART))?.rows ?? [];
    expect(rows).toEqual([archived('Ask "{\\"to\\":\\"[erased]\\"}"'), archived(`Ask ${OTHER}`)]);
    const bruno = env.AGENTS.get(env.AGENTS.idFromName("bruno"));
    await runInDurableObject(bruno, (_, { storage }) => {
      const value = readState(objectDatabase(storage), "Mail", "thread:[erased]");
      expect(value).toBe(`${"x".repeat(20)}[erased] and so on`);
    });
    const groups = await env.DB.prepare(
      "SELECT GroupId AS id FROM QuestionGroups WHERE Print LIKE '%stems%'",
    ).all();
    expect(groups.results).toEqual([{ id: 1002 }]);
    expect((await env.TEXTS.head("messages/planted"))?.customMetadata).toEqual({ kept: "yes" });
    expect((await env.FILES.list()).objects.map(({ key }) => key)).toContain(
      `test/agents/bruno/${ADDRESS}.txt`,
    );
  }, 120_000);

  it("leaves agents, their conversation in memory too, and what waits for a person at work", async () => {
    expect(JSON.stringify(await get("/api/agents/anna/conversation"))).not.toMatch(TRACE);
    expect((await chat("anna", "hello again")).status).toBe("completed");
    expect(await traces()).toEqual([]);
    const { approvalId } = await waitingCall("carla");
    expect((await decide(approvalId, "approve")).status).toBe(200);
    await delivered();
  });

  it("is proved by a second look, and kept in the log of administration by a hash alone", async () => {
    await chat("bruno", `One more of ${ADDRESS}`);
    await delivered();
    const result = await erase({ text: ADDRESS });
    expect(result).toMatchObject({ clean: true, remaining: 0 });
    expect(result.found.agents).toBeGreaterThan(0);
    expect(await traces()).toEqual([]);
    const logged = async () =>
      z
        .object({ acts: z.array(z.looseObject({ target: z.string(), details: z.string() })) })
        .parse(await get("/api/admin/log?action=erase")).acts;
    await eventually(async () => (await logged()).length === 2);
    const [act] = await logged();
    expect(act?.target).toBe(result.sha256);
    expect(JSON.parse(act?.details ?? "")).toMatchObject({ clean: true, remaining: 0, pass: 2 });
  }, 120_000);

  it("says whose config names it, drops old versions that do, and leaves the one in force", async () => {
    const named = (prompt: string) => agent("dorte", { systemPrompt: prompt });
    await send("PUT", "/api/agents/dorte", named(`Old: ${ADDRESS}`));
    await send("PUT", "/api/agents/dorte", named(`Ask ${ADDRESS}`));
    expect(await erase({ address: ADDRESS })).toMatchObject({ inConfig: ["dorte"] });
    const kept = z.object({ versions: z.array(z.looseObject({ version: z.number() })) });
    expect(
      kept.parse(await get("/api/agents/dorte/versions")).versions.map(({ version }) => version),
    ).toEqual([2]);
    await send("PUT", "/api/agents/dorte", named("Ask nobody"));
    expect(await erase({ address: ADDRESS })).toMatchObject({ inConfig: [], clean: true });
    expect(await traces()).toEqual([]);
  }, 120_000);

  it("leaves nothing in the documents of who is out of service, nor in who put them in force, and names the instance's own", async () => {
    await send("PUT", "/api/agents/dorte", agent("dorte", { systemPrompt: `Ask ${ADDRESS}` }));
    await chat("dorte", "hello");
    await delivered();
    await send("DELETE", "/api/agents/dorte");
    const hub = env.HUB.get(env.HUB.idFromName("hub"));
    const inHub = (statement: string, ...values: string[]) =>
      runInDurableObject(hub, (_, { storage: { sql } }) => {
        sql.exec(statement, ...values);
      });
    // As of one that went before the hub kept such a list.
    await inHub("DELETE FROM Retired WHERE agentId = 'dorte'");
    await inHub("UPDATE ConfigVersions SET actor = ?", `access:${ADDRESS}`);
    await inHub("UPDATE Instance SET json = json_set(json, '$.planted', ?)", ADDRESS);
    expect(await erase({ text: ADDRESS })).toMatchObject({ clean: true, inConfig: ["instance"] });
    await inHub("UPDATE Instance SET json = json_remove(json, '$.planted')");
    expect(await traces()).toEqual([]);
    expect(await erase({ text: ADDRESS })).toMatchObject({ clean: true, inConfig: [] });
  }, 120_000);

  it("reaches fresh workers and chains of which the record says nothing any more, and a worker's old documents", async () => {
    await send("PUT", "/api/agents/bruno", { ...agent("bruno"), systemPrompt: `Ask ${ADDRESS}` });
    const { taskId } = await createTask({ assignee: "@new:bruno", description: `For ${ADDRESS}` });
    await eventually(async () => (await task(taskId)).status === "blocked");
    await send("PUT", "/api/agents/bruno", agent("bruno"));
    const { rootRunId } = await chat("lead", "ask both");
    await delivered();
    await env.DB.batch(["Tasks", "TaskEvents"].map((table) => env.DB.prepare(`DELETE FROM "${table}"`)));
    await env.DB.prepare(`DELETE FROM "RunReceipts" WHERE "RootRunId" = ?`).bind(rootRunId).run();
    await plantFacts(rootRunId);
    expect((await traces()).join("\n")).toMatch(/Members\.receipt/);
    expect(await erase({ text: ADDRESS })).toMatchObject({ clean: true, inConfig: [] });
    expect(await traces()).toEqual([]);
  }, 120_000);

  it("adds the figures of names that become the same", async () => {
    for (const [name, count] of [
      [ADDRESS, 3],
      [ADDRESS.toUpperCase(), 4],
    ])
      await env.DB.prepare(
        `INSERT INTO "MessageRollups" ("Period", "FromAgentId", "ToAgentId", "Channel", "Requests", "FirstAt", "LastAt", "ByHour")
         VALUES ('2020-01', ?, 'anna', 'ask', ?, ?, ?, ?)`,
      )
        .bind(name, count, `2020-01-0${count}`, `2020-01-0${count}`, JSON.stringify({ m13: count }))
        .run();
    expect(await erase({ text: ADDRESS })).toMatchObject({ clean: true, found: { MessageRollups: 2 } });
    const { results } = await env.DB.prepare(
      `SELECT "FromAgentId", "Requests", "FirstAt", "LastAt", "ByHour" FROM "MessageRollups" WHERE "Period" = '2020-01'`,
    ).all();
    expect(results).toEqual([
      {
        FromAgentId: "[erased]",
        Requests: 7,
        FirstAt: "2020-01-03",
        LastAt: "2020-01-04",
        ByHour: '{"m13":7}',
      },
    ]);
  }, 120_000);

  it("goes on from the furthest of two clients, and forgets one that nobody goes on with", async () => {
    const hub = env.HUB.get(env.HUB.idFromName("hub"));
    const ahead = { ...newErasure(false, 1_000), steps: 5, files: [ADDRESS] };
    await hub.keepErasure("two", ahead);
    expect(await hub.keepErasure("two", { ...ahead, steps: 4 })).toEqual(ahead);
    expect(await hub.keepErasure("two", { ...ahead, steps: 6 })).toMatchObject({ steps: 6 });
    await hub.minute(1_000 + 86_400_000, null);
    expect(await hub.erasure("two")).toMatchObject({ steps: 6 });
    await hub.minute(1_001 + 86_400_000, null);
    expect(await hub.erasure("two")).toBeNull();
  });

  it("goes through the memory of a run that is under way, and counts what is held there only", async () => {
    const needle = needleOf(ADDRESS);
    await runInDurableObject(env.AGENTS.get(env.AGENTS.idFromName("anna")), () => {
      const world = watch.worlds.get("anna");
      if (world === undefined) throw new Error("anna is not there");
      const run = heldRun(`see ${ADDRESS}`);
      world.active.set("held", run);
      const count = () => eraseInAgent(world, needle, { from: null, write: false }).found;
      expect(count()).toBe(1);
      eraseInAgent(world, needle, { from: null, write: true });
      expect(count()).toBe(0);
      world.active.delete("held");
      expect(JSON.stringify([run.messages, run.openStep, run.recentCalls])).not.toMatch(TRACE);
      expect(run.chars).toBe(countChars(run.messages));
    });
  });

  it.each([
    ["is too short", { text: "abc" }],
    ["is a part of an agent's id", { text: "BRUN" }],
    ["is given twice", { text: "abcd", address: "abcd" }],
    ["is missing", {}],
  ])("is refused when the text %s", async (_name, body) => {
    expect((await send("POST", "/api/admin/erase", body)).status).toBe(400);
  });
});
