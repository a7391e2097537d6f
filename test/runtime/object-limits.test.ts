/** What an object keeps and hands out stays within the platform's limits, however much there is of it. */
import { runInDurableObject } from "cloudflare:test";
import { DurableObject, env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { Delivery } from "../../core/agent/delivery.ts";
import { Chain } from "../../core/chain/chain.ts";
import type { World } from "../../core/engine/world.ts";
import { DayLedger } from "../../core/hub/day-ledger.ts";
import { countOutbox, putOutbox } from "../../core/journal/outbox.ts";
import { objectDatabase } from "../../durable-objects/sqlite.ts";
import { noticeRow, receiptRow } from "../support/record-rows.ts";
import { chat, delivered, get, request } from "./support/api.ts";
import { countedHub, door, elsewhere } from "./support/door.ts";
import { agent, team } from "./support/team.ts";
import { makeToken } from "./support/tokens.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const stubOf = (name: string) => env.AGENTS.get(env.AGENTS.idFromName(name));
const conversation = z.object({ turns: z.array(z.looseObject({ input: z.string() })) });

/** Far under the 32 MiB that a call between objects carries, at two bytes a character. */
const MAX_ANSWER_CHARS = 8_000_000;

interface Filling {
  readonly turns: number;
  readonly steps: number;
  readonly callsPerStep: number;
}

/** Puts ended turns with long results into an agent's journal. */
async function fill(name: string, filling: Filling): Promise<void> {
  const calls = Array.from({ length: filling.callsPerStep }, (_, index) => ({
    id: `c${index}`,
    name: "Probe",
    arguments: "{}",
  }));
  const answer = `=${JSON.stringify({ text: "", reasoning: "", toolCalls: calls, finish: "tool_calls", usage: null })}`;
  const result = `=${"ü".repeat(20_000)}`;
  await runInDurableObject(stubOf(name), (_, state) => {
    const { sql } = state.storage;
    for (let turn = 1; turn <= filling.turns; turn += 1) {
      const runId = `${name}.000000turn${turn}`;
      const lineage = { runId, parentRunId: null, rootRunId: runId, depth: 1, path: [] };
      sql.exec(
        `INSERT INTO Runs (runId, trigger, lane, priority, lineage, input, conversation, state, acceptedAt, settled, turn, reply, receipt)
         VALUES (?, 'chat', 'conversation', 0, ?, ?, 1, 'ended', 1, 1, ?, '=done', ?)`,
        runId,
        JSON.stringify(lineage),
        `=turn ${turn}`,
        turn,
        JSON.stringify(receiptRow(runId)),
      );
      for (let step = 0; step < filling.steps; step += 1) {
        sql.exec("INSERT INTO Steps (runId, step, answer) VALUES (?, ?, ?)", runId, step, answer);
        for (const position of calls.keys())
          sql.exec(
            "INSERT INTO Calls (runId, step, position, state, outcome, result) VALUES (?, ?, ?, 'done', 'ok', ?)",
            runId,
            step,
            position,
            result,
          );
      }
    }
  });
}

describe("what an agent's object hands out", () => {
  it("is the newest turns of a large conversation, as many as fit", async () => {
    await team([agent("talker")]);
    await fill("talker", { turns: 100, steps: 1, callsPerStep: 5 });
    const response = await request("/api/agents/talker/conversation");
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text.length).toBeLessThan(MAX_ANSWER_CHARS);
    const { turns } = conversation.parse(JSON.parse(text));
    expect(turns.length).toBeGreaterThan(10);
    expect(turns.map((turn) => turn.input).slice(-2)).toEqual(["turn 99", "turn 100"]);
  });

  it("is every step of a large run, with its texts cut to fit", async () => {
    await team([agent("runner")]);
    await fill("runner", { turns: 1, steps: 25, callsPerStep: 20 });
    const text = await (await request("/api/runs/runner.000000turn1")).text();
    expect(text.length).toBeLessThan(MAX_ANSWER_CHARS);
    const { run } = z
      .object({ run: z.object({ steps: z.array(z.object({ calls: z.array(z.unknown()) })) }) })
      .parse(JSON.parse(text));
    expect(run.steps.map((step) => step.calls.length)).toEqual(Array.from({ length: 25 }, () => 20));
  });
});

describe("the hub", () => {
  it("keeps a large team in rows under the platform's limit", async () => {
    const hub = env.HUB.get(env.HUB.idFromName("hub of many"));
    await team([agent("a")]);
    const { instance } = await env.HUB.get(env.HUB.idFromName("hub")).directory();
    if (instance === null) throw new Error("No instance");
    const agents = Array.from({ length: 500 }, (_, index) => ({
      agentId: `agent${index}`,
      name: "名".repeat(200),
      description: "字".repeat(2_000),
    }));
    const documents = agents.map((entry) => ({ entry, json: JSON.stringify(entry) }));
    await hub.setDirectory({ agents: documents, instance });
    expect((await hub.directory()).agents.length).toBe(500);
    const largest = await runInDurableObject(hub, (_, state) =>
      ["Entries", "Instance"].map((table) =>
        Number(state.storage.sql.exec(`SELECT max(length(CAST(json AS BLOB))) AS n FROM ${table}`).one().n),
      ),
    );
    expect(Math.max(...largest)).toBeLessThan(1_900_000);
  });

  it("L10 counts a run's cost once, to the day it ended, also when it is told again after midnight", async () => {
    await runInDurableObject(env.HUB.get(env.HUB.idFromName("ledger of a test")), (_, state) => {
      let now = Date.parse("2026-05-01T23:59:00.000Z");
      const ledger = new DayLedger(objectDatabase(state.storage), () => now);
      const run = { runId: "a.1", costMicros: 1_000_000, finishedAt: "2026-05-01T23:58:00.000Z" };
      ledger.tell({ live: [], ended: [run] });
      expect(ledger.permit({ costUsd: 1 }).ok).toBe(false);
      now = Date.parse("2026-05-02T00:01:00.000Z");
      ledger.tell({ live: [], ended: [run] });
      expect(ledger.permit({ costUsd: 1 }).ok).toBe(true);
    });
  });
});

it("L10 counts nothing to the next day of a run that spent all before midnight and ended after it, told twice", async () => {
  await runInDurableObject(env.HUB.get(env.HUB.idFromName("midnight of a test")), (_, state) => {
    let now = Date.parse("2026-05-01T23:59:00.000Z");
    const ledger = new DayLedger(objectDatabase(state.storage), () => now);
    ledger.tell({ live: [{ runId: "a.1", costMicros: 1_000_000 }], ended: [] });
    expect(ledger.permit({ costUsd: 1 }).ok).toBe(false);
    now = Date.parse("2026-05-02T00:01:00.000Z");
    const run = { runId: "a.1", costMicros: 1_000_000, finishedAt: "2026-05-02T00:00:30.000Z" };
    for (let told = 0; told < 2; told += 1) ledger.tell({ live: [], ended: [run] });
    expect(ledger.permit({ costUsd: 1 })).toMatchObject({ ok: true, roomMicros: 1_000_000 });
  });
});

describe("a chain", () => {
  it("L10 counts a member's end once, however often it is told", async () => {
    await runInDurableObject(env.CHAINS.get(env.CHAINS.idFromName("chain of a test")), (_, state) => {
      const chain = new Chain(objectDatabase(state.storage), () => 1_000);
      const limits = { runs: 10, depth: 5, tokens: 1_000, costUsd: 1 };
      const member = (runId: string) =>
        ({ runId, agentId: "a", parentRunId: null, depth: 1, trigger: "run" }) as const;
      const spent = { tokens: 0, costMicros: 0 };
      for (let told = 0; told < 3; told += 1)
        chain.settle([
          { member: member("a.1"), receipt: receiptRow("a.1", { inputTokens: 600, outputTokens: 0 }) },
        ]);
      expect(chain.permit(member("a.2"), spent, limits).ok).toBe(true);
      chain.settle([
        { member: member("a.2"), receipt: receiptRow("a.2", { inputTokens: 400, outputTokens: 0 }) },
      ]);
      expect(chain.permit(member("a.3"), spent, limits)).toMatchObject({ ok: false, code: "tokens" });
    });
  });
});

/** The world of an object that is up, with its record in the test's hands. */
function worldOf(name: string, writeRecord: World["writeRecord"]): World {
  const world = watch.worlds.get(name);
  if (world === undefined) throw new Error(`${name} is not up`);
  return new Proxy(world, {
    get: (target, key) => (key === "writeRecord" ? writeRecord : Reflect.get(target, key)),
  });
}

describe("the outbox", () => {
  it("L3 leaves no row behind, at whatever moment of a delivery it comes", async () => {
    await team([agent("sender")]);
    await chat("sender", "hello");
    await delivered();
    await runInDurableObject(stubOf("sender"), async () => {
      const world = worldOf("sender", async () => undefined);
      const delivery = new Delivery(world);
      const put = (uid: string) => putOutbox(world.db, { kind: "notices", row: noticeRow(uid) }, uid);
      for (let ticks = 0; ticks < 60; ticks += 1) {
        put(`first${ticks}`);
        const first = delivery.kick();
        for (let tick = 0; tick < ticks; tick += 1) await null;
        put(`second${ticks}`);
        await Promise.all([first, delivery.kick()]);
        expect(countOutbox(world.db), `after ${ticks} ticks`).toBe(0);
      }
    });
  });
});

describe("a summary", () => {
  it("that is longer than what it condenses does not fill the context for good", async () => {
    const rules = [{ when: { system: "Condense the following" }, say: "SUMMARY ".repeat(10_000) }];
    const model = {
      provider: "scripted",
      script: JSON.stringify({ rules, otherwise: { say: "noted" } }),
      contextTokens: 4_000,
    };
    await team([agent("wordy", { model })]);
    for (let turn = 0; turn < 6; turn += 1) await chat("wordy", `turn ${turn} ${"lorem ipsum ".repeat(250)}`);
    const own = watch.requests.filter((item) => !item.text.includes("Condense the following"));
    expect(own.at(-1)?.text).toContain("SUMMARY");
    expect(Math.max(...own.map((item) => item.text.length))).toBeLessThan(4_000 * 4);
    expect(await get("/api/agents/wordy/conversation")).toMatchObject({ turns: { length: 6 } });
  });
});

describe("what callers may reach of an object", () => {
  const reachable = async <T extends Rpc.DurableObjectBranded>(stub: DurableObjectStub<T>) =>
    runInDurableObject(stub, (instance) => {
      const names = new Set<string>();
      let level: unknown = Object.getPrototypeOf(instance);
      while (level instanceof Object && level !== DurableObject.prototype) {
        for (const name of Object.getOwnPropertyNames(level)) names.add(name);
        level = Object.getPrototypeOf(level);
      }
      return [...names]
        .filter((name) => name !== "constructor")
        .sort()
        .join(" ");
    });

  it("is what is listed here and nothing else", async () => {
    expect(await reachable(stubOf("listed"))).toBe(
      "accept alarm approvalArguments asBase ask callTool cancel configure conversation decideApproval documents earlierInContext edition erase execute expire hookLocks jobs joinChain noteWorkers outsideTask outsideTasks refusedMail resetConversation restore result run runDueJobs runJob runState setPaused share shownChars status stream takeDelivery takeMail version versions workers",
    );
    expect(await reachable(env.HUB.get(env.HUB.idFromName("hub")))).toBe(
      "access agentIds alarm armDue countFailure createToken deleteEntry directory documentRevision endErasure erase erasure everyAgentId handedOver has identifyToken keepErasure keepReport keepStill live minute owed publish putEntry recordAct recordActOnce revokeToken setDirectory setInstance tellDay tokenHashes tokens unreached version versions",
    );
    expect(await reachable(env.CHAINS.get(env.CHAINS.idFromName("listed")))).toBe(
      "admit alarm cancel erase permit release remove settle view",
    );
  });

  it("is none of its parts", async () => {
    const stub: object = stubOf("listed");
    await expect(async () => Reflect.get(stub, "parts")).rejects.toThrow("does not implement");
  });
});

describe("guessing", () => {
  it("by a flood from everywhere is no flood for the hub, and a right token passes in the middle of it", async () => {
    const hub = countedHub();
    const knockThere = async (credential: string) => {
      const headers = { ...elsewhere(), Authorization: `Bearer ${credential}` };
      return (await door.request("http://parley.test/api/me", { headers }, hub.env)).status;
    };
    const late = await makeToken("late", "read");
    const guesses = Array.from({ length: 800 }, (_, n) => `parley_${String(n).padStart(48, "0")}`);
    const flood = Promise.all(guesses.map(knockThere));
    expect(await knockThere(late)).toBe(200);
    expect(new Set(await flood)).toEqual(new Set([401]));
    expect(hub.calls()).toBeLessThan(700);
  });

  it("opens nothing to an API_TOKEN that anybody could try out", async () => {
    const headers = { Authorization: "Bearer abcdefg" };
    const short = await door.request(
      "http://parley.test/api/me",
      { headers },
      { ...env, API_TOKEN: "abcdefg" },
    );
    expect(short.status).toBe(401);
  });
});
