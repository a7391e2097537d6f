import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { chat, delivered, get, messageShape, request } from "./support/api.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch } from "./support/watched-world.ts";

const pageShape = z.object({
  messages: z.array(messageShape),
  older: z.string().nullable(),
  newer: z.string().nullable(),
  partial: z.boolean(),
});

const TEXTS = {
  german: "Zu den Rückfragen über die Straße: Grüße aus Köln",
  english: `He said "NOT now", asked for AB-123 and foo'bar * col:x`,
  short: "ja",
};
const ROUNDS = 7;

beforeAll(async () => {
  resetWatch();
  const asker = (agentId: string, colleague: string) =>
    agent(agentId, { rules: [{ when: { step: 0 }, calls: [ask(colleague, "{{user}}")] }, { say: "done" }] });
  const answerer = (agentId: string) => agent(agentId, { rules: [{ say: "verstanden" }] });
  await team([asker("a", "b"), answerer("b"), asker("c", "d"), answerer("d")]);
  for (const text of Object.values(TEXTS)) await chat("a", text);
  for (let round = 0; round < ROUNDS; round += 1) await chat("a", `Angebot ${round} geprüft`);
  await chat("c", "Rückfragen und das Angebot eines anderen Paars");
  await delivered();
});

async function search(q: string, rest: Readonly<Record<string, string>> = {}) {
  return pageShape.parse(await get(`/api/messages?${new URLSearchParams({ q, ...rest })}`));
}

async function found(q: string, rest: Readonly<Record<string, string>> = { a: "a", b: "b" }) {
  return (await search(q, rest)).messages.map(({ content }) => content);
}

describe("a search", () => {
  it.each([
    ["frage", TEXTS.german],
    ["uber", TEXTS.german],
    ["strasse", TEXTS.german],
    ["STRASSE", TEXTS.german],
    ["grusse koln", TEXTS.german],
    ["Straße", TEXTS.german],
    ["NOT", TEXTS.english],
    ['"not now"', TEXTS.english],
    ["ab-123", TEXTS.english],
    ["foo'bar", TEXTS.english],
    ["col:x", TEXTS.english],
    ["ja", TEXTS.short],
  ])("for %j finds the question that holds it", async (q, text) => {
    expect(await found(q)).toEqual([text]);
  });

  it("finds words that stand apart, and nothing that holds only one of them", async () => {
    expect(await found("koln fragen")).toEqual([TEXTS.german]);
    expect(await found("koln angebot")).toEqual([]);
  });

  it("finds answers as well as questions", async () => {
    const { messages } = await search("verstanden", { a: "a", b: "b" });
    expect(messages).toHaveLength(Object.keys(TEXTS).length + ROUNDS);
    expect(messages.every(({ direction }) => direction === "response")).toBe(true);
  });

  it("keeps to its pair, its agent, or to nobody", async () => {
    expect(await found("ruckfragen")).toHaveLength(1);
    expect(await found("ruckfragen", { a: "d" })).toEqual(["Rückfragen und das Angebot eines anderen Paars"]);
    expect(await found("ruckfragen", { a: "a", b: "d" })).toEqual([]);
    expect(await found("ruckfragen", {})).toHaveLength(2);
  });

  it("goes together with the other filters", async () => {
    expect(await found("angebot", { channel: "ask", status: "delivered", a: "c" })).toHaveLength(1);
    expect(await found("angebot", { status: "denied" })).toEqual([]);
    expect(await found("angebot", { until: "2020-01-01" })).toEqual([]);
    expect(await found("angebot", { since: "2020-01-01" })).toHaveLength(ROUNDS + 1);
  });
});

describe("a search for anything", () => {
  const anything = [
    '"',
    "'",
    "*",
    "-",
    "NOT",
    "NOT NOT",
    "col:x",
    "Content:x",
    "a OR b",
    "NEAR(a b)",
    "(",
    ")",
    "^x",
    "{}",
    "+",
    "\\",
    "%",
    "_",
    "\0",
    "fra\0ge",
    "x".repeat(10_000),
    "wort ".repeat(2_000),
    '"'.repeat(500),
    "\u0301",
    "\u200b",
    "🎉",
    "\u202e",
    "ß",
    "a'; DROP TABLE AgentMessages; --",
  ];

  it.each(anything.map((q) => [JSON.stringify(q).slice(0, 40), q]))(
    "%s is answered without an error",
    async (_name, q) => {
      const page = await search(q, { a: "a", b: "b" });
      expect(page.messages.every(({ pairKey }) => pairKey === "a|b")).toBe(true);
      expect((await search(q)).messages.length).toBeLessThanOrEqual(200);
    },
  );

  it.each(["%E0%A4%A", "%ED%A0%80", "%", "%00", "+", "frage%00"])(
    "%s in the address is answered too",
    async (q) => {
      const response = await request(`/api/messages?q=${q}`);
      expect(response.status).toBe(200);
      pageShape.parse(await response.json());
    },
  );

  it("is sane: nothing to look for shows all, and nothing that matches shows none", async () => {
    const all = (Object.keys(TEXTS).length + ROUNDS) * 2;
    for (const q of ["", " ", "\0"]) expect(await found(q)).toHaveLength(all);
    for (const q of ["x".repeat(10_000), "NOTHING", "col:y", "*x*"]) expect(await found(q)).toEqual([]);
  });

  it("says so when only the newest messages were compared, or not all that was asked for", async () => {
    expect((await search("j")).partial).toBe(true);
    expect((await search("x".repeat(10_000))).partial).toBe(true);
    expect((await search("frage")).partial).toBe(false);
    expect(await found("7")).toEqual([]);
    expect(await found("6")).toEqual(["Angebot 6 geprüft"]);
  });
});

describe("the pages of a search", () => {
  const expected = Array.from({ length: ROUNDS }, (_, round) => `Angebot ${round} geprüft`);
  const pair = { a: "b", b: "a", limit: "2" };

  it.each(["angebot", "gepruft an", "ü"])(
    "for %j go back to the oldest hit and forth to the newest",
    async (q) => {
      const wanted = q === "ü" ? [TEXTS.german, ...expected] : expected;
      const back: string[] = [];
      let page = await search(q, pair);
      expect(page.newer).toBeNull();
      for (;;) {
        back.unshift(...page.messages.map(({ content }) => content));
        if (page.older === null) break;
        page = await search(q, { ...pair, before: page.older });
      }
      expect(back).toEqual(wanted);
      const forth = page.messages.map(({ content }) => content);
      while (page.newer !== null) {
        page = await search(q, { ...pair, after: page.newer });
        forth.push(...page.messages.map(({ content }) => content));
      }
      expect(forth).toEqual(wanted);
    },
  );

  it("may be asked for with the cursor of another search, and refuses what is none", async () => {
    const { older } = await search("angebot", pair);
    expect((await search("verstanden", { ...pair, before: older ?? "" })).messages).toHaveLength(2);
    for (const before of ["x", "'", "\0", "MTIz", "x".repeat(200)]) {
      const response = await request(`/api/messages?${new URLSearchParams({ q: "angebot", before })}`);
      expect(response.status).toBe(400);
    }
  });
});
