import { describe, expect, expectTypeOf, it } from "vitest";
import type { ModelRequest } from "../../core/model/types.ts";
import { type AiLike, createWorkersAiClient } from "../../core/model/workers-ai.ts";

const request: ModelRequest = {
  messages: [
    { role: "user", content: "Hello?" },
    {
      role: "assistant",
      content: "",
      reasoning: "",
      toolCalls: [{ id: "earlier", name: "f", arguments: "{}" }],
    },
    { role: "tool", callId: "earlier", content: "done" },
  ],
  tools: [{ name: "f", description: "Does f.", parameters: { type: "object", properties: {} } }],
};

function eventStream(chunks: readonly unknown[]): ReadableStream<Uint8Array> {
  const lines = chunks.map(
    (chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`,
  );
  return new Blob(lines).stream();
}

async function attempt(
  run: AiLike["run"],
  more: { signal?: AbortSignal; onText?: (piece: string) => void } = {},
) {
  const client = createWorkersAiClient({ ai: { run }, model: "@cf/m" });
  return client.attempt(request, { signal: new AbortController().signal, ...more });
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const counted = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5, reasoningTokens: 0 };
const said = (text: string, more: object = {}) => ({ ok: true, answer: { text, finish: "stop", ...more } });
const openAi = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});

describe("the binding is asked", () => {
  it("as the platform declares it", () => {
    expectTypeOf<Ai>().toExtend<AiLike>();
  });

  it("with a stream, room for an answer, tools, and no null content", async () => {
    const asked: unknown[] = [];
    await attempt(async (model, inputs) => {
      asked.push({ model, inputs });
      return { response: "Hello" };
    });
    expect(asked).toMatchObject([
      {
        model: "@cf/m",
        inputs: {
          stream: true,
          max_tokens: 2_048,
          tools: [{ type: "function", function: { name: "f" } }],
          messages: [
            { content: "Hello?" },
            { content: "", tool_calls: [{ id: "earlier" }] },
            { content: "done" },
          ],
        },
      },
    ]);
  });
});

describe("the binding's answers", () => {
  const flat = [
    { name: "f", arguments: { x: 1 } },
    { name: "f", arguments: { x: 2 } },
  ];
  const twoCalls = {
    finish: "tool_calls",
    toolCalls: [
      { id: "call_1", name: "f", arguments: '{"x":1}' },
      { id: "call_2", name: "f", arguments: '{"x":2}' },
    ],
  };
  const cases: readonly [string, () => unknown, object][] = [
    ["whole, in its own shape", () => ({ response: "Hello", usage }), said("Hello", { usage: counted })],
    [
      "whole, with flat calls",
      () => ({ response: null, tool_calls: flat, usage }),
      { ok: true, answer: twoCalls },
    ],
    ["wrapped in a result", () => ({ result: { response: "Hello" }, success: true }), said("Hello")],
    [
      "whole, in OpenAI's shape",
      () => ({ choices: [{ message: { content: "Hello" }, finish_reason: "stop" }], usage }),
      said("Hello", { usage: counted }),
    ],
    ["a bare text", () => "Hello", said("Hello")],
    [
      "a stream in its own shape",
      () =>
        eventStream([
          { response: "Hel" },
          { response: "lo " },
          { response: 7 },
          { response: "", usage },
          "[DONE]",
        ]),
      said("Hello 7", { usage: counted }),
    ],
    [
      "a stream with flat calls",
      () =>
        eventStream([
          { response: "" },
          { response: "", tool_calls: flat },
          { response: "", usage },
          "[DONE]",
        ]),
      { ok: true, answer: twoCalls },
    ],
    [
      "a stream in OpenAI's shape",
      () =>
        eventStream([
          openAi({ content: "Hel", reasoning_content: "think" }),
          openAi({ content: "lo" }, "stop"),
          { choices: [], usage },
          "[DONE]",
        ]),
      said("Hello", { usage: counted, reasoning: "think" }),
    ],
    ["a response", () => Response.json({ response: "Hello" }), said("Hello")],
    [
      "an answer as long as was allowed is one that was cut",
      () => ({ response: "Hello", usage: { prompt_tokens: 10, completion_tokens: 2_048 } }),
      said("Hello", { finish: "length" }),
    ],
    [
      "a stream that ends early",
      () => eventStream([{ response: "Hel" }]),
      { ok: false, failure: { code: "network", partialText: "Hel" } },
    ],
    ["nothing", () => null, { ok: false, failure: { code: "bad_response" } }],
    [
      "another model's shape",
      () => ({ output: [{ type: "message" }] }),
      { ok: false, failure: { code: "bad_response" } },
    ],
    [
      "a refusing response",
      () => Response.json({ errors: [{ message: "x" }] }, { status: 429, headers: { "retry-after": "120" } }),
      { ok: false, failure: { code: "rate_limited", retryAfterMs: 120_000 } },
    ],
  ];
  it.each(cases)("%s", async (_, output, outcome) => {
    expect(await attempt(async () => output())).toMatchObject(outcome);
  });

  it("are heard piece by piece", async () => {
    const heard: string[] = [];
    await attempt(async () => eventStream([{ response: "Hel" }, { response: "lo" }, "[DONE]"]), {
      onText: (piece) => heard.push(piece),
    });
    expect(heard).toEqual(["Hel", "lo"]);
  });
});

describe("the binding's errors", () => {
  const cases: readonly [string, string][] = [
    ["3040: Capacity temporarily exceeded, please try again.", "rate_limited"],
    ["InferenceUpstreamError: 3040: out of capacity", "rate_limited"],
    ["3036: you have used up your daily free allocation", "quota"],
    ["5007: No such model @cf/m or task", "not_found"],
    ["3042: Invalid model", "not_found"],
    ["3006: Request is too large", "context_overflow"],
    ["5021: The estimated tokens exceeded this model context window limit", "context_overflow"],
    ["3007: Request timeout", "overloaded"],
    ["5016: Please submit the prompt 'agree'", "auth"],
    ["5004: Invalid data", "bad_request"],
    ["something else", "bad_response"],
  ];
  it.each(cases)("%s -> %s", async (message, code) => {
    const result = await attempt(() => Promise.reject(new Error(message)));
    expect(result).toMatchObject({ ok: false, failure: { code } });
  });

  it("an abort ends a call that does not listen", async () => {
    const controller = new AbortController();
    const deaf = () => new Promise<unknown>(() => controller.abort());
    expect(await attempt(deaf, { signal: controller.signal })).toMatchObject({
      failure: { code: "aborted" },
    });
  });
});
