import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { forgetApprovals, openApprovalsOf, unfinishedApprovals } from "../../core/approval/store.ts";
import type { Database } from "../../core/journal/database.ts";
import { objectDatabase } from "../../durable-objects/sqlite.ts";
import { allBaits, credentialBaits } from "../support/leaks.ts";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { chat, delivered, eventually, get, request, send } from "./support/api.ts";
import { append, careful, decide, waitingCall } from "./support/approvals.ts";
import { answeredTexts, leaks, modelRequests, storedTexts } from "./support/exposure.ts";
import { createTask, task } from "./support/tasks.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const actShape = z.object({
  id: z.number(),
  uid: z.string(),
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  details: z.string(),
  occurredAt: z.string(),
  restoredBy: z.string().nullable(),
  restoredAt: z.string().nullable(),
});
const logShape = z.object({ acts: z.array(actShape), older: z.string().nullable() });
const log = async (query = "") => logShape.parse(await get(`/api/admin/log${query}`));
/** Waits until the log shows that many acts of the kind; they come a moment after the answer. */
async function acts(action: string, target: string, count = 1) {
  const found = async () => (await log(`?action=${action}`)).acts.filter((act) => act.target === target);
  await eventually(async () => (await found()).length >= count);
  return found();
}

const versionsShape = z.object({
  versions: z.array(z.object({ version: z.number(), at: z.string(), actor: z.string().nullable() })),
});
const versions = async (of: string) => versionsShape.parse(await get(`/api/${of}/versions`)).versions;
const saying = (agentId: string, text: string) => agent(agentId, { rules: [{ say: text }] });
const put = (document: Record<string, unknown>) => send("PUT", `/api/agents/${document.agentId}`, document);
const rollback = (of: string, version: number) => send("POST", `/api/${of}/rollback`, { version });

describe("the versions of an agent's document", () => {
  it("are kept with time and author, and going back to one makes it the newest and puts it in force", async () => {
    await team([saying("vera", "first")]);
    await put(saying("vera", "second"));
    const [newest, oldest] = await versions("agents/vera");
    expect(newest).toMatchObject({ version: 2, actor: "API_TOKEN" });
    expect((await chat("vera", "hello")).reply).toBe("second");
    const kept = await get(`/api/agents/vera/versions/${oldest?.version}`);
    expect(JSON.stringify(kept)).toContain("first");
    expect((await rollback("agents/vera", 1)).status).toBe(200);
    expect((await chat("vera", "hello")).reply).toBe("first");
    expect((await versions("agents/vera")).map(({ version }) => version)).toEqual([3, 2, 1]);
    expect(await acts("config.rollback", "vera")).toMatchObject([{ details: '{"version":1}' }]);
  });

  it("that is gone back to is in force whatever KV still says, and an old answer of KV undoes nothing", async () => {
    await team([saying("kurt", "old")]);
    const stale = (await env.CONFIG.get("agent:kurt")) ?? "";
    await put(saying("kurt", "new"));
    await rollback("agents/kurt", 1);
    await put(saying("kurt", "newest"));
    await rollback("agents/kurt", 2);
    await env.CONFIG.put("agent:kurt", stale);
    expect((await chat("kurt", "hello")).reply).toBe("new");
    // As a request does that found the object empty a moment ago.
    const { revision, agents, instance } = await env.HUB.get(env.HUB.idFromName("hub")).directory();
    if (instance === null) throw new Error("There is no config");
    const stub = env.AGENTS.get(env.AGENTS.idFromName("kurt"));
    await stub.restore({ agent: JSON.parse(stale), directory: agents, instance }, revision + 1);
    expect((await chat("kurt", "hello")).reply).toBe("new");
  });

  it("are not made by a document that says the same", async () => {
    await team([saying("same", "once")]);
    await team([saying("same", "once")]);
    await put(saying("same", "once"));
    expect(await versions("agents/same")).toHaveLength(1);
  });

  it("are the last twenty", async () => {
    for (let n = 1; n <= 23; n += 1) await put(saying("many", `text ${n}`));
    const numbers = (await versions("agents/many")).map(({ version }) => version);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => 23 - index));
    expect((await rollback("agents/many", 3)).status).toBe(404);
  });

  it("bring back an agent that was taken out of service", async () => {
    await put(saying("gone", "here again"));
    await send("DELETE", "/api/agents/gone");
    expect((await send("POST", "/api/agents/gone/chat", { message: "hello" })).status).toBe(404);
    expect(await versions("agents/gone")).toHaveLength(1);
    expect((await rollback("agents/gone", 1)).status).toBe(200);
    expect((await chat("gone", "hello")).reply).toBe("here again");
  });

  it("that is no valid document any more is refused with the paths, and nothing changes", async () => {
    await put(agent("tool", { tools: { Probe: { token: { $secret: "TEST_SECRET_C" } } } }));
    const stub = env.AGENTS.get(env.AGENTS.idFromName("tool"));
    await put(saying("tool", "without it"));
    const { revision, agents, instance } = await env.HUB.get(env.HUB.idFromName("hub")).directory();
    if (instance === null) throw new Error("There is no config");
    const odd = { ...JSON.parse((await stub.documents()) ?? "").agent, tools: { Gone: {} } };
    await stub.configure({ agent: odd, directory: agents, instance }, revision + 1);
    await put(saying("tool", "after it"));
    const refused = await rollback("agents/tool", 3);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("tools.Gone");
    expect((await chat("tool", "hello")).reply).toBe("after it");
  });

  it.each(["agents/nobody", "agents/No|Agent"])("are none of %s", async (of) => {
    expect((await send("GET", `/api/${of}/versions`)).status).toBe(404);
    expect((await rollback(of, 1)).status).toBe(404);
  });
});

describe("the versions of the instance's document", () => {
  it("are kept, and going back to one is in force for every agent at its next run", async () => {
    await team([agent("ines")], { perDay: { costUsd: 11 } });
    await team([agent("ines")], { perDay: { costUsd: 22 } });
    const [newest, before] = await versions("config");
    expect(newest?.actor).toBe("API_TOKEN");
    expect((await rollback("config", before?.version ?? 0)).status).toBe(200);
    const documents = await env.AGENTS.get(env.AGENTS.idFromName("ines")).documents();
    expect(JSON.parse(documents ?? "").instance.perDay.costUsd).toBe(11);
    expect(await get("/api/config")).toMatchObject({ instance: { perDay: { costUsd: 11 } } });
    expect(await versions("config")).toHaveLength((newest?.version ?? 0) + 1);
  });
});

describe("what a push would change", () => {
  it("L5 is told by agent and key path, with secrets masked, and nothing is written", async () => {
    const document = (prompt: string) => agent("dora", { systemPrompt: prompt });
    await team([document("one\ntwo"), agent("leaves")]);
    const before = await get("/api/config");
    const file = {
      instance: { id: "test" },
      agents: [document(`one\n${TEST_SECRETS.TEST_SECRET_C}`), agent("comes")],
    };
    const answer = await send("POST", "/api/config/diff", file);
    const text = await answer.text();
    const { changes } = z
      .object({ changes: z.array(z.looseObject({ agentId: z.string().nullable(), kind: z.string() })) })
      .parse(JSON.parse(text));
    expect(changes.map(({ agentId, kind }) => `${agentId} ${kind}`)).toEqual([
      "comes added",
      "dora changed",
      "leaves removed",
    ]);
    expect(text).toContain('"path":"systemPrompt","kind":"changed","before":"one\\ntwo"');
    expect(text).not.toContain(TEST_SECRETS.TEST_SECRET_C);
    expect(await get("/api/config")).toEqual(before);
    expect(await (await send("POST", "/api/config/diff", before)).json()).toMatchObject({ changes: [] });
  });
});

describe("the log of administration", () => {
  it("says who changed what, where, and nothing of what stands there", async () => {
    await team([saying("otto", "quiet")]);
    await put(saying("otto", "a sentence that nobody should find in the log"));
    await send("POST", "/api/agents/otto/pause");
    await send("POST", "/api/agents/otto/resume");
    await send("DELETE", "/api/agents/otto/conversation");
    const { runId } = await chat("otto", "hello");
    await send("POST", `/api/runs/${runId}/cancel`);
    expect(await acts("run.cancel", runId)).toHaveLength(1);
    await send("DELETE", "/api/agents/otto");
    const [change] = await acts("config.put", "otto");
    expect(change).toMatchObject({ actor: "API_TOKEN", details: '{"changed":["model.script"]}' });
    for (const action of ["agent.pause", "agent.resume", "conversation.reset", "config.delete"])
      expect(await acts(action, "otto")).toHaveLength(1);
    expect(JSON.stringify((await log()).acts)).not.toContain("nobody should find");
  });

  it("is asked for by time, actor and action, in pages, newest first", async () => {
    await team([agent("page")]);
    for (let n = 0; n < 5; n += 1) await send("POST", `/api/agents/page/${n % 2 === 0 ? "pause" : "resume"}`);
    await acts("agent.pause", "page", 3);
    const seen: string[] = [];
    let before = "";
    do {
      const page = await log(`?limit=2${before}`);
      seen.push(...page.acts.map(({ uid }) => uid));
      before = page.older === null ? "" : `&before=${page.older}`;
    } while (before !== "");
    const all = (await log("?limit=500")).acts;
    expect(seen).toEqual(all.map(({ uid }) => uid));
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((a, b) => b - a));
    expect((await log("?actor=token:nobody")).acts).toEqual([]);
    expect((await log("?since=2001-01-01&until=2001-02-01")).acts).toEqual([]);
    expect((await send("GET", "/api/admin/log?since=yesterday")).status).toBe(400);
  });

  it("only grows: no statement changes, deletes or replaces a row", async () => {
    await team([agent("fixed")]);
    await send("POST", "/api/agents/fixed/pause");
    const [act] = await acts("agent.pause", "fixed");
    for (const sql of [
      "UPDATE AdminLog SET Actor = 'somebody else'",
      "DELETE FROM AdminLog",
      `DELETE FROM AdminLog WHERE Id = ${act?.id}`,
    ])
      await expect(env.DB.prepare(sql).run(), sql).rejects.toThrow("append-only");
    await env.DB.prepare(
      "INSERT OR REPLACE INTO AdminLog (Id, Uid, Actor, Action, Target, Details, OccurredAt) VALUES (?, ?, 'x', 'x', 'x', 'x', 'x')",
    )
      .bind(act?.id ?? 0, act?.uid ?? "")
      .run();
    expect(await acts("agent.pause", "fixed")).toEqual([act]);
  });

  it("has its row of a change during an outage of D1 once D1 is back", async () => {
    await env.DB.prepare("ALTER TABLE AdminLog RENAME TO Away").run();
    await team([saying("late", "in force all the same")]);
    expect((await chat("late", "hello")).reply).toBe("in force all the same");
    await env.DB.prepare("ALTER TABLE Away RENAME TO AdminLog").run();
    await eventually(async () =>
      (await log("?action=config.push")).acts.some(({ details }) => details.includes('"late"')),
    );
  });

  it("says who has put rows into it from a backup, and who has read or emptied a table, once an hour", async () => {
    const columns = ["Id", "Uid", "Actor", "Action", "Target", "Details", "OccurredAt", "RestoredBy"];
    const rows = [[1, "forged", "token:somebody", "erase", "all", "{}", "2001-01-01T00:00:00.000Z", null]];
    expect((await send("POST", "/api/backup/AdminLog", { columns, rows })).status).toBe(200);
    const [forged] = (await log("?actor=token:somebody")).acts;
    expect(forged).toMatchObject({ restoredBy: "API_TOKEN", restoredAt: expect.stringContaining("T") });
    for (let n = 0; n < 3; n += 1) {
      await get("/api/backup/JobTicks?after=[0]");
      await send("POST", "/api/backup/Notices/empty");
    }
    expect(await acts("restore", "AdminLog")).toMatchObject([{ actor: "API_TOKEN", restoredBy: null }]);
    expect(await acts("backup", "JobTicks")).toHaveLength(1);
    expect(await acts("restore.empty", "Notices")).toHaveLength(1);
  });

  it("is not held up by a row that D1 will never take: a person is told of that one", async () => {
    await team([saying("plain", "hello")]);
    await env.DB.prepare(
      "CREATE TRIGGER Refusing BEFORE INSERT ON AdminLog WHEN NEW.Action = 'agent.resume' BEGIN SELECT RAISE(ABORT, 'no'); END",
    ).run();
    for (const act of ["pause", "resume", "pause"]) await send("POST", `/api/agents/plain/${act}`);
    expect(await acts("agent.pause", "plain", 2)).toHaveLength(2);
    const notices = z
      .array(z.looseObject({ kind: z.string(), text: z.string() }))
      .parse(await get("/api/notices"));
    expect(notices.filter(({ kind }) => kind === "act_unwritten")).toMatchObject([
      { text: expect.stringContaining("API_TOKEN did agent.resume to plain") },
    ]);
    await env.DB.prepare("DROP TRIGGER Refusing").run();
    await send("POST", "/api/agents/plain/resume");
    expect(await acts("agent.resume", "plain")).toHaveLength(1);
  });
});

describe("a chain as a file", () => {
  it("holds everything that is on record of it, with all texts whole, and is in the log", async () => {
    const long = "x".repeat(1_950_000);
    await team([
      careful("asks", [
        { when: { user: "/^long/", step: 0 }, calls: [ask("told", `{{repeat:x:${long.length}}}`), append] },
        { when: { user: "/^long/" }, say: "done" },
      ]),
      agent("told"),
    ]);
    const { rootRunId } = await chat("asks", "long");
    await waitingCall("asks");
    await delivered();
    const response = await request(`/api/chains/${rootRunId}/export`);
    expect(response.headers.get("Content-Disposition")).toBe(
      `attachment; filename="chain-${rootRunId}.json"`,
    );
    const rows = z.array(z.looseObject({}));
    const chain = z
      .object({
        rootRunId: z.string(),
        complete: z.boolean(),
        runs: rows,
        receipts: rows,
        audit: rows,
        messages: z.array(z.looseObject({ content: z.string(), direction: z.string() })),
        tasks: rows,
        taskEvents: rows,
        approvals: rows,
        notices: rows,
      })
      .loose()
      .parse(await response.json());
    expect(chain.messages[0]).toMatchObject({ content: long, truncated: false, channel: "ask" });
    expect([chain.runs, chain.receipts, chain.audit, chain.messages].map(({ length }) => length)).toEqual([
      2, 2, 2, 2,
    ]);
    expect(chain.approvals).toMatchObject([{ tool: "FileRW", decision: null }]);
    expect(chain.notices).toMatchObject([{ kind: "approval", rootRunId }]);
    await request(`/api/chains/${rootRunId}/export`, { method: "HEAD" });
    await delivered();
    expect(await acts("export", rootRunId), "once an hour").toHaveLength(1);
  });

  it("holds the tasks that a person gave, with their history", async () => {
    await team([agent("works")]);
    const { rootRunId, taskId } = await createTask({ assignee: "works" });
    await eventually(async () => (await task(taskId)).status === "blocked");
    const chain = z
      .looseObject({ tasks: z.array(z.looseObject({})), taskEvents: z.array(z.looseObject({})) })
      .parse(await get(`/api/chains/${rootRunId}/export`));
    expect(chain.tasks).toMatchObject([{ taskId, status: "blocked" }]);
    expect(chain.taskEvents.map((event) => event.kind).slice(0, 1)).toEqual(["created"]);
  });

  it("is refused for a chain that never was", async () => {
    for (const id of ["nobody.0000000000", "junk", "%00"])
      expect((await send("GET", `/api/chains/${id}/export`)).status, id).toBe(404);
  });
});

describe("L5 what a person writes", () => {
  const baits = [...allBaits(), ...credentialBaits()];
  const everything = baits.map((bait) => bait.text).join("\n\n");

  it("L5 about an approval is masked wherever it is kept, told or shown", async () => {
    await team([careful("nina")]);
    await chat("nina", "go");
    const { approvalId } = await waitingCall("nina");
    expect((await decide(approvalId, "reject", everything.slice(0, 10_000))).status).toBe(200);
    await eventually(async () =>
      JSON.stringify(await get("/api/agents/nina/conversation")).includes("heard: "),
    );
    await delivered();
    const shown = await answeredTexts([
      "/api/agents/nina/conversation",
      "/api/audit?agentId=nina",
      "/api/notices",
    ]);
    const texts = [...(await storedTexts()), ...modelRequests(), ...shown];
    expect(leaks(texts, baits)).toEqual([]);
    const comments = texts.filter(({ where }) => where === "D1 Approvals.Comment");
    expect(comments.some(({ text }) => text.includes("[secret:TEST_SECRET_B]"))).toBe(true);
  });

  it("L5 as a function's name is masked and cut in the answer, the audit and the log", async () => {
    await team([careful("hand")]);
    const name = `${TEST_SECRETS.TEST_SECRET_C}${"x".repeat(5_000)}`;
    const answer = await send("POST", `/api/agents/hand/tools/${encodeURIComponent(name)}`, {});
    const text = await answer.text();
    await delivered();
    await acts("tool.call", "hand");
    expect(leaks([...(await storedTexts()), { where: "answer", text }], baits)).toEqual([]);
    const [entry] = z.array(z.object({ tool: z.string() })).parse(await get("/api/audit?agentId=hand"));
    expect(entry?.tool).toMatch(/^\[secret:TEST_SECRET_C\]x+$/);
    expect([text.length < 1_000, (entry?.tool.length ?? 0) <= 200]).toEqual([true, true]);
  });
});

describe("approvals that are over", () => {
  it("cost nothing when the object looks for open ones, and are forgotten after a while", async () => {
    await team([careful("pile")]);
    await chat("pile", "go");
    const { taskId, approvalId } = await waitingCall("pile");
    expect(taskId).toBeNull();
    await runInDurableObject(env.AGENTS.get(env.AGENTS.idFromName("pile")), (_, { storage }) => {
      storage.sql.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO Approvals (approvalId, runId, taskId, tool, functionName, arguments, requestedAt, expiresAt, state, decidedAt)
        SELECT 'pile.x:' || i, 'pile.x', 't', 'FileRW', 'FileRW', '=', i, i, 'closed', i FROM n`);
      let read = 0;
      const db: Database = {
        ...objectDatabase(storage),
        all: (sql, ...params) => {
          const cursor = storage.sql.exec(sql, ...params);
          const rows = cursor.toArray();
          read += cursor.rowsRead;
          return rows;
        },
      };
      expect([unfinishedApprovals(db), openApprovalsOf(db, "t")]).toEqual([[], 0]);
      expect(read).toBeLessThan(10);
      forgetApprovals(db, 4_001, 10_000);
      expect(storage.sql.exec("SELECT count(*) AS n, min(decidedAt) AS oldest FROM Approvals").one()).toEqual(
        {
          n: 1_001,
          oldest: 4_001,
        },
      );
    });
    expect((await decide(approvalId, "reject")).status, "what waits stays").toBe(200);
  });
});
