import { describe, expect, it } from "vitest";
import { parseScenario, type Scenario } from "../../core/model/scenario.ts";
import { createScriptedClient } from "../../core/model/scripted.ts";
import type { ChatMessage, ModelAnswer, ModelResult } from "../../core/model/types.ts";

function scenario(document: unknown): Scenario {
  const parsed = parseScenario(JSON.stringify(document));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.scenario;
}

const user = (content: string): ChatMessage => ({ role: "user", content });
const tool = (callId: string, content: string): ChatMessage => ({ role: "tool", callId, content });
const assistant = (...names: string[]): ChatMessage => ({
  role: "assistant",
  content: "",
  reasoning: "",
  toolCalls: names.map((name, n) => ({ id: `c${n}`, name, arguments: "{}" })),
});

interface Played {
  result: ModelResult;
  pieces: string[];
  pauses: number[];
}

async function play(document: unknown, ...messages: ChatMessage[]): Promise<Played> {
  const pieces: string[] = [];
  const pauses: number[] = [];
  const client = createScriptedClient({
    scenario: document === null ? null : scenario(document),
    agentId: "desk",
    sleep: async (ms) => {
      pauses.push(ms);
    },
  });
  const result = await client.attempt(
    { messages, tools: [] },
    { signal: new AbortController().signal, onText: (piece) => pieces.push(piece) },
  );
  return { result, pieces, pauses };
}

async function answer(document: unknown, ...messages: ChatMessage[]): Promise<ModelAnswer> {
  const { result } = await play(document, ...messages);
  if (!result.ok) throw new Error(result.failure.code);
  return result.answer;
}

const text = async (document: unknown, ...messages: ChatMessage[]) =>
  (await answer(document, ...messages)).text;

describe("which rule answers", () => {
  it("is the first whose conditions all hold", async () => {
    const document = {
      rules: [
        { when: { user: "tea", step: 1 }, say: "later" },
        { when: { user: "tea" }, say: "first" },
        { when: {}, say: "second" },
      ],
    };
    expect(await text(document, user("some tea"))).toBe("first");
    expect(await text(document, user("some tea"), assistant())).toBe("later");
    expect(await text(document, user("milk"))).toBe("second");
  });

  it("depends on the last user message only, and on what followed it", async () => {
    const document = { rules: [{ when: { user: "tea", step: 0 }, say: "tea" }], otherwise: { say: "other" } };
    const earlier = [user("milk"), assistant("ask_agent"), tool("c0", "x"), assistant()];
    expect(await text(document, ...earlier, user("tea"))).toBe("tea");
    expect(await text(document, user("tea"), assistant(), user("milk"))).toBe("other");
  });

  it("reads a plain text as it stands and a text between slashes as an expression", async () => {
    const rules = (pattern: string) => ({
      rules: [{ when: { user: pattern }, say: "yes" }],
      otherwise: { say: "no" },
    });
    expect(await text(rules("a.c"), user("abc"))).toBe("no");
    expect(await text(rules("/a.c/i"), user("ABC"))).toBe("yes");
  });

  it("can be chosen by system prompt, turn, range of steps, last tool and results", async () => {
    const rules = [
      { when: { turn: 1 }, say: "second turn" },
      { when: { system: "strict" }, say: "strict" },
      { when: { calls: { "0.1": "/(\\d+) kg/", "1.0": "ok" } }, say: "{{call.0.1.1}}" },
      { when: { lastTool: "FileRW", result: "gone" }, say: "gone" },
      { when: { step: { from: 1, to: 2 } }, say: "between" },
      { when: { step: { from: 3 } }, say: "late" },
    ];
    const asked = [user("a"), assistant("ask_agent", "ask_agent"), tool("c0", "none"), tool("c1", "12 kg")];
    expect(await text({ rules }, user("a"), assistant(), user("b"))).toBe("second turn");
    expect(await text({ rules }, { role: "system", content: "be strict" }, user("a"))).toBe("strict");
    expect(await text({ rules }, ...asked, assistant("FileRW"), tool("c0", "ok"))).toBe("12");
    expect(await text({ rules }, user("a"), assistant("FileRW"), tool("c0", "gone"))).toBe("gone");
    expect(await text({ rules }, ...asked)).toBe("between");
    expect(await text({ rules }, user("a"), assistant(), assistant(), assistant())).toBe("late");
  });

  it("finds each result with its own step although call ids repeat", async () => {
    const rules = [{ when: {}, say: "{{call.0.0}} {{call.1.0}} {{lastResult:ask_agent}}" }];
    const messages = [
      user("a"),
      assistant("ask_agent"),
      tool("c0", "one"),
      assistant("FileRW"),
      tool("c0", "two"),
    ];
    expect(await text({ rules }, ...messages)).toBe("one two one");
  });
});

describe("what a rule says", () => {
  const say = (template: string, when = {}) => ({ rules: [{ when, say: template }] });

  it("fills placeholders from the user message, results and JSON in them", async () => {
    const messages = [
      user("ask bob about 7"),
      assistant("ask_agent"),
      tool("c0", '{"sum":{"eur":[3,"4"]},"ok":true}'),
    ];
    const when = { user: "/ask (\\w+) about (\\d)/", result: '/"eur":\\[(\\d)/' };
    expect(await text(say("{{user}}|{{user.1}}|{{user.2}}|{{result.1}}", when), ...messages)).toBe(
      "ask bob about 7|bob|7|3",
    );
    expect(await text(say("{{result.json.sum.eur.1}}|{{lastResult:ask_agent.json.sum}}"), ...messages)).toBe(
      '4|{"eur":[3,"4"]}',
    );
    expect(await text(say("{{agent}} {{turn}} {{step}}"), ...messages)).toBe("desk 0 1");
    expect(
      await text(say("{{results}}"), user("a"), assistant("f", "g"), tool("c1", "b"), tool("c0", "a")),
    ).toBe("- f: a\n- g: b");
  });

  it("shows a gap where a value is missing", async () => {
    expect(await text(say("{{result}} {{user.3}} {{call.9.9}} {{user.json.a}}"), user("x"))).toBe(
      "[missing result] [missing user.3] [missing call.9.9] [missing user.json.a]",
    );
  });

  it("never reads an inserted text for placeholders", async () => {
    expect(await text(say("{{user}}"), user("{{repeat:x:3}} $& {{agent}}"))).toBe(
      "{{repeat:x:3}} $& {{agent}}",
    );
    expect(await text(null, user("{{agent}}"))).toContain("{{agent}}");
  });

  it("makes very large texts", async () => {
    const large = await text(say("{{repeat:😀:700000}}"), user("x"));
    expect(large.length).toBe(1_400_000);
    expect(large.isWellFormed()).toBe(true);
  });

  it("makes several calls with ids by step and position", async () => {
    const calls = [
      { name: "ask_agent", arguments: { agentId: "{{user}}", tags: ["{{step}}", 1, null] } },
      { name: "FileRW", arguments: '{"path": {{user}}' },
      { name: "task_list" },
    ];
    const reply = await answer({ rules: [{ when: { step: 1 }, calls }] }, user('"b"'), assistant());
    expect(reply.toolCalls).toEqual([
      {
        id: "call_1_0",
        name: "ask_agent",
        arguments: JSON.stringify({ agentId: '"b"', tags: ["1", 1, null] }),
      },
      { id: "call_1_1", name: "FileRW", arguments: '{"path": "b"' },
      { id: "call_1_2", name: "task_list", arguments: "{}" },
    ]);
    expect(reply.finish).toBe("tool_calls");
  });

  it("ends as the rule wants", async () => {
    const ends = async (finish: string) =>
      (await answer({ rules: [{ when: {}, say: "a", finish }] }, user("x"))).finish;
    expect(await ends("length")).toBe("length");
    expect(await ends("refusal")).toBe("refusal");
    expect((await answer(say("a"), user("x"))).finish).toBe("stop");
  });

  it("estimates its tokens by length, or reports what the rule says", async () => {
    const measured = await answer(say("12345678"), user("1234"), assistant("abcd"));
    expect(measured.usage).toEqual({
      inputTokens: 3,
      cachedInputTokens: 0,
      outputTokens: 2,
      reasoningTokens: 0,
    });
    const usage = { inputTokens: 7, outputTokens: 9 };
    expect((await answer({ rules: [{ when: {}, say: "a", usage }] }, user("x"))).usage).toEqual({
      ...usage,
      cachedInputTokens: 0,
      reasoningTokens: 0,
    });
    expect((await answer({ rules: [{ when: {}, say: "a", usage: null }] }, user("x"))).usage).toBeNull();
  });

  it("is the same for the same messages, however often it is asked", async () => {
    const client = createScriptedClient({
      scenario: scenario({
        rules: [{ when: { user: "/(a)/i" }, say: "{{user.1}}", calls: [{ name: "f" }] }],
      }),
      agentId: "desk",
      sleep: async () => undefined,
    });
    const ask = () =>
      client.attempt({ messages: [user("A")], tools: [] }, { signal: new AbortController().signal });
    expect([await ask(), await ask()]).toEqual([await ask(), await ask()]);
    expect(await ask()).toMatchObject({ ok: true, answer: { text: "A" } });
  });
});

describe("how a rule behaves", () => {
  it("gives its text in pieces, with a pause before and between them, and cuts no character in two", async () => {
    const rule = { when: {}, say: "ab😀cd", delayMs: 100, stream: { chars: 3, delayMs: 5 } };
    const { pieces, pauses } = await play({ rules: [rule] }, user("x"));
    expect(pieces).toEqual(["ab😀", "cd"]);
    expect(pauses).toEqual([100, 5]);
  });

  it("gives its text in one piece when it is not told to stream, and none when it says nothing", async () => {
    expect((await play({ rules: [{ when: {}, say: "abc" }] }, user("x"))).pieces).toEqual(["abc"]);
    expect((await play({ rules: [{ when: {}, say: "" }] }, user("x"))).pieces).toEqual([]);
  });

  it("fails with the code of the rule and tells what it had said before", async () => {
    const fail = { code: "rate_limited", message: "slow down, {{user}}", status: 429, retryAfterMs: 1500 };
    const { result, pieces } = await play({ rules: [{ when: {}, say: "so", fail }] }, user("x"));
    expect(result).toEqual({
      ok: false,
      failure: {
        code: "rate_limited",
        message: "slow down, x",
        status: 429,
        retryAfterMs: 1500,
        partialText: "so",
      },
    });
    expect(pieces).toEqual(["so"]);
  });

  it.each(["resolves", "rejects"])(
    "answers aborted when the signal ends its sleep, which %s",
    async (how) => {
      const cancel = new AbortController();
      let pauses = 0;
      const client = createScriptedClient({
        scenario: scenario({
          rules: [{ when: {}, say: "abcd", delayMs: 9, stream: { chars: 2, delayMs: 60_000 } }],
        }),
        agentId: "desk",
        sleep: async () => {
          pauses += 1;
          if (pauses === 1) return;
          cancel.abort();
          if (how === "rejects") throw new Error("aborted");
        },
      });
      const result = await client.attempt({ messages: [user("x")], tools: [] }, { signal: cancel.signal });
      expect(result).toMatchObject({ ok: false, failure: { code: "aborted", partialText: "ab" } });
    },
  );

  it("says nothing at all when the signal was aborted before", async () => {
    const pieces: string[] = [];
    const client = createScriptedClient({
      scenario: null,
      agentId: "desk",
      sleep: () => Promise.reject(new Error("must not sleep")),
    });
    const result = await client.attempt(
      { messages: [user("x")], tools: [] },
      { signal: AbortSignal.abort(), onText: (piece) => pieces.push(piece) },
    );
    expect(result).toMatchObject({ ok: false, failure: { code: "aborted", partialText: "" } });
    expect(pieces).toEqual([]);
  });
});

describe("without a fitting rule", () => {
  it("says that it is the scripted model and repeats the message briefly", async () => {
    const echo = await text(null, user(`hello ${"x".repeat(5000)}`));
    expect(echo).toContain("scripted model");
    expect(echo).toContain("hello");
    expect(echo.length).toBeLessThan(400);
    expect(await text({ rules: [] }, user("hello"))).toContain("hello");
  });

  it("does so without any message", async () => {
    expect((await answer(null)).text).toContain("scripted model");
  });
});
