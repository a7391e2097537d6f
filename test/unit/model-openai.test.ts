import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOpenAiClient, type OpenAiClientOptions } from "../../core/model/openai.ts";
import type { ChatMessage, ModelRequest, ModelResult } from "../../core/model/types.ts";
import { fault, faultByModel, type ModelFault } from "../support/model-faults.ts";
import {
  answer,
  deltaChunk,
  type ModelHandler,
  type ModelServer,
  startModelServer,
  streamed,
} from "../support/model-server.ts";

const servers: ModelServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function serve(handler: ModelHandler): Promise<ModelServer> {
  const server = await startModelServer(handler);
  servers.push(server);
  return server;
}

function clientOf(server: { baseUrl: string }, more: Partial<OpenAiClientOptions> = {}) {
  return createOpenAiClient({ baseUrl: server.baseUrl, apiKey: "key-for-tests", model: "m", ...more });
}

const request = (...messages: ChatMessage[]): ModelRequest => ({
  messages: messages.length > 0 ? messages : [{ role: "user", content: "Hello?" }],
  tools: [{ name: "f", description: "Does f.", parameters: { type: "object", properties: {} } }],
});

const callsOnly: ChatMessage = {
  role: "assistant",
  content: "",
  reasoning: "I thought",
  toolCalls: [{ id: "earlier", name: "f", arguments: "{}" }],
};
const afterCall = request({ role: "user", content: "Hello?" }, callsOnly, {
  role: "tool",
  callId: "earlier",
  content: "done",
});

const never = () => new AbortController().signal;
const fullUsage = { inputTokens: 100, cachedInputTokens: 80, outputTokens: 20, reasoningTokens: 5 };

const said = (text: string, more: object = {}) => ({ ok: true, answer: { text, finish: "stop", ...more } });
const fails = (code: string, more: object = {}) => ({ ok: false, failure: { code, ...more } });
const calls = (
  list: readonly (readonly [id: string, args: string, name?: string])[],
  finish = "tool_calls",
) => ({
  ok: true,
  answer: { finish, toolCalls: list.map(([id, args, name = "f"]) => ({ id, name, arguments: args })) },
});

/** What becomes of each fault; the type asks for every one. */
const OUTCOMES: Record<ModelFault, object> = {
  "html-200": fails("bad_response", { status: null, partialText: "" }),
  "error-429-in-200": fails("rate_limited", { status: 429 }),
  "error-502-in-200": fails("overloaded", { status: 502 }),
  "error-in-choice": fails("overloaded", { status: 502 }),
  "error-null-beside-answer": said("Hello"),
  "empty-200": fails("bad_response"),
  "truncated-json": fails("bad_response"),
  "choices-empty": fails("bad_response"),
  "choices-null": fails("bad_response"),
  "message-null": fails("bad_response"),
  "arguments-object": calls([["call_f", '{"x":1}']]),
  "arguments-null-text": calls([["call_f", "null"]]),
  "arguments-array-text": calls([["call_f", "[]"]]),
  "arguments-string-text": calls([["call_f", '"x"']]),
  "arguments-empty-text": calls([["call_f", ""]]),
  "call-without-id": calls([
    ["call_1", "{}"],
    ["call_2", "{}"],
  ]),
  "call-ids-doubled": calls([
    ["call_f", '{"n":1}'],
    ["call_2", '{"n":2}'],
  ]),
  "call-id-one-character": calls([["a", "{}"]]),
  "call-id-too-long": calls([["call_1", "{}"]]),
  "calls-with-finish-stop": calls([["call_f", "{}"]]),
  "finish-tool-calls-without-calls": said("Hello", { toolCalls: [] }),
  "length-with-cut-call": calls([["call_f", '{"x":"lo']], "length"),
  "length-with-whole-call": calls([["call_f", '{"path":"/a"}']], "length"),
  "content-in-parts": said("Hello"),
  "content-empty": said(""),
  "content-filter": said("Hel", { finish: "content_filter" }),
  refusal: said("I cannot help with that.", { finish: "refusal" }),
  "reasoning-field": said("Hello", { reasoning: "think" }),
  "usage-missing": said("Hello", { usage: null }),
  "usage-zero": said("Hello", { usage: null }),
  "usage-reasoning-beside-output": said("Hello", {
    usage: { inputTokens: 10, cachedInputTokens: 0, outputTokens: 10, reasoningTokens: 8 },
  }),
  "stream-answered-with-json": said("Hello", { usage: fullUsage }),
  "json-called-event-stream": said("Hello", { usage: fullUsage }),
  "stream-called-json": said("Hello", { usage: fullUsage }),

  "rate-limited-2s": fails("rate_limited", { status: 429, retryAfterMs: 2_000 }),
  "rate-limited-120s": fails("rate_limited", { retryAfterMs: 120_000 }),
  "rate-limited-ms": fails("rate_limited", { retryAfterMs: 1_500 }),
  "rate-limited-until": fails("rate_limited", { retryAfterMs: 120_000 }),
  "insufficient-quota": fails("quota", { status: 429 }),
  "payment-required": fails("quota", { status: 402 }),
  "error-500": fails("overloaded", { status: 500 }),
  "error-529": fails("overloaded", { status: 529 }),
  "error-408": fails("overloaded", { status: 408 }),
  "context-length-code": fails("context_overflow", { status: 400 }),
  "context-length-text": fails("context_overflow", { status: 400 }),
  "payload-too-large": fails("context_overflow", { status: 413 }),
  "model-not-found": fails("not_found", { status: 404 }),
  unauthorized: fails("auth", { status: 401 }),
  "bad-request": fails("bad_request", { status: 400 }),
  hang: fails("aborted"),

  "stream-call-without-index": calls([["call_f", '{"x":1}']]),
  "stream-call-without-id": calls([["call_1", '{"x":1}']]),
  "stream-call-without-index-and-id": calls([
    ["call_1", '{"x":1}'],
    ["call_2", "{}", "g"],
  ]),
  "stream-same-index-two-ids": calls([
    ["a", '{"x":1}'],
    ["b", '{"y":2}', "g"],
  ]),
  "stream-index-gap": calls([
    ["a", "{}"],
    ["b", "{}"],
  ]),
  "stream-without-role": said("Hello"),
  "stream-ends-early": fails("network", { partialText: "Hel" }),
  "stream-connection-cut": fails("network", { partialText: "Hel" }),
  "stream-cut-in-event": fails("network", { partialText: "Hel" }),
  "stream-done-in-call": fails("bad_response"),
  "stream-without-done": said("Hello"),
  "stream-without-finish": said("Hello"),
  "stream-error-chunk": fails("overloaded", { status: 502, partialText: "Hel" }),
  "stream-error-event": fails("overloaded"),
  "stream-bad-json": fails("bad_response", { partialText: "Hel" }),
  "stream-usage-chunk": said("Hello", { usage: fullUsage }),
  "stream-comments": said("Hello"),
  "stream-choices-null": said("Hello", { usage: fullUsage }),
  "stream-reasoning-content": said("Hello", { reasoning: "think" }),
  "stream-refusal": said("I cannot help with that.", { finish: "refusal" }),
  "stream-left-open": said("Hello"),
  "stream-empty": fails("bad_response"),

  "refuses-stream-options": said("Hello", { usage: null }),
  "refuses-streaming": said("Hello", { usage: fullUsage }),
  "refuses-null-content": said("Hello"),
  "refuses-empty-content": said("Hello"),
  "refuses-any-content": fails("bad_request"),
  reset: fails("network", { status: null }),
};

describe("a provider that misbehaves ends in the right result", () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await serve(faultByModel((received) => answer(received, { text: "Hello" })));
  });

  it.each(Object.entries(OUTCOMES))("%s", async (name, outcome) => {
    const controller = new AbortController();
    const pending = clientOf(server, { model: `fault/${name}` }).attempt(afterCall, {
      signal: controller.signal,
    });
    if (name === "hang") {
      while (!server.requests.some(({ body }) => body?.model === "fault/hang")) await pause();
      controller.abort();
    }
    expect(await pending).toMatchObject(outcome);
  });

  it("gives short messages without markup, headers and stacks", async () => {
    const messages = await Promise.all(
      Object.keys(OUTCOMES)
        .filter((name) => name !== "hang")
        .map((name) => clientOf(server, { model: `fault/${name}` }).attempt(afterCall, { signal: never() })),
    );
    for (const result of messages) {
      if (result.ok) continue;
      expect(result.failure.message).toMatch(/^[^\n]{5,600}$/);
      expect(result.failure.message).not.toMatch(/<html|\bat \S+:\d+|Bearer|key-for-tests/i);
    }
  });
});

/** Lets pending input and output happen, without waiting for any particular time. */
const pause = () => new Promise((resolve) => setImmediate(resolve));

describe("a well-behaved provider", () => {
  it("is asked with a stream, usage, tools, key and the conversation", async () => {
    const server = await serve((received) => answer(received, { text: "Hello you" }));
    const result = await clientOf(server).attempt(afterCall, { signal: never() });
    expect(result).toEqual({
      ok: true,
      answer: { text: "Hello you", reasoning: "", toolCalls: [], finish: "stop", usage: fullUsage },
    });
    expect(server.requests).toMatchObject([
      {
        method: "POST",
        path: "/v1/chat/completions",
        headers: { authorization: "Bearer key-for-tests" },
        body: {
          model: "m",
          stream: true,
          stream_options: { include_usage: true },
          tools: [{ type: "function", function: { name: "f" } }],
          messages: [
            { role: "user", content: "Hello?" },
            { role: "assistant", content: null, tool_calls: [{ id: "earlier", type: "function" }] },
            { role: "tool", tool_call_id: "earlier", content: "done" },
          ],
        },
      },
    ]);
  });

  it("gets no key when there is none, and no empty list of tools", async () => {
    const server = await serve((received) => answer(received, { text: "Hello" }));
    await clientOf(server, { apiKey: null }).attempt({ ...request(), tools: [] }, { signal: never() });
    expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
    expect(server.requests[0]?.body).not.toHaveProperty("tools");
  });

  it("gets reasoning back only when the model wants it", async () => {
    const server = await serve((received) => answer(received, { text: "Hello" }));
    await clientOf(server).attempt(afterCall, { signal: never() });
    await clientOf(server, { sendReasoning: true }).attempt(afterCall, { signal: never() });
    const sent = server.requests.map(({ body }) => JSON.stringify(body?.messages).includes("I thought"));
    expect(sent).toEqual([false, true]);
  });

  it("may call several tools at once, and their order stays", async () => {
    const three = ["a", "b", "c"].map((id) => ({ id, name: "f", arguments: JSON.stringify({ id }) }));
    const server = await serve((received) => answer(received, { text: "On it", calls: three }));
    const result = await clientOf(server).attempt(request(), { signal: never() });
    expect(result).toMatchObject({ ok: true, answer: { text: "On it", toolCalls: three } });
  });

  it("shows its first words before it has finished", async () => {
    const gate = Promise.withResolvers<void>();
    const heard: string[] = [];
    const server = await serve(() => ({ ...streamed({}), pieces: heldBack(gate.promise) }));
    const result = await clientOf(server).attempt(request(), {
      signal: never(),
      onText: (piece) => {
        heard.push(piece);
        gate.resolve();
      },
    });
    expect(result).toMatchObject(said("first second"));
    expect(heard).toEqual(["first ", "second"]);
  });

  it("never gets two calls of one conversation with the same id from us", async () => {
    const server = await serve(fault("call-without-id"));
    const history: ChatMessage = { ...callsOnly, toolCalls: [{ id: "call_1", name: "f", arguments: "{}" }] };
    const result = await clientOf(server).attempt(request(history), { signal: never() });
    expect(result).toMatchObject(
      calls([
        ["call_2", "{}"],
        ["call_3", "{}"],
      ]),
    );
  });
});

async function* heldBack(gate: Promise<void>): AsyncGenerator<string> {
  yield `data: ${JSON.stringify(deltaChunk({ content: "first " }))}\n\n`;
  await gate;
  yield `data: ${JSON.stringify(deltaChunk({ content: "second" }, "stop"))}\n\n`;
}

describe("a refused trait of the request", () => {
  const remembered: readonly [ModelFault, number][] = [
    ["refuses-stream-options", 3],
    ["refuses-streaming", 3],
    ["refuses-null-content", 3],
    ["refuses-empty-content", 2],
    ["refuses-any-content", 4],
    ["bad-request", 2],
  ];
  it.each(remembered)("%s: two attempts make %i requests", async (name, expected) => {
    const server = await serve(fault(name));
    const client = clientOf(server);
    await client.attempt(afterCall, { signal: never() });
    await client.attempt(afterCall, { signal: never() });
    expect(server.requests).toHaveLength(expected);
  });

  it("a retryable failure is not repeated by the client itself", async () => {
    const server = await serve(fault("rate-limited-2s"));
    await clientOf(server).attempt(request(), { signal: never() });
    expect(server.requests).toHaveLength(1);
  });
});

describe("aborting", () => {
  it("ends an attempt in the middle of a stream and keeps what was said", async () => {
    const server = await serve(() => ({ ...streamed({}), pieces: heldBack(new Promise(() => undefined)) }));
    const controller = new AbortController();
    const result = await clientOf(server).attempt(request(), {
      signal: controller.signal,
      onText: () => controller.abort(),
    });
    expect(result).toMatchObject(fails("aborted", { partialText: "first " }));
  });

  it("ends an attempt whose network call does not listen", async () => {
    const controller = new AbortController();
    const deaf = () => new Promise<Response>(() => controller.abort());
    const result = await clientOf({ baseUrl: "http://127.0.0.1:9/v1" }, { fetch: deaf }).attempt(request(), {
      signal: controller.signal,
    });
    expect(result).toMatchObject(fails("aborted"));
  });

  it("makes no call at all when it came before", async () => {
    const server = await serve((received) => answer(received, { text: "Hello" }));
    const result = await clientOf(server).attempt(request(), { signal: AbortSignal.abort() });
    expect(result).toMatchObject(fails("aborted"));
    expect(server.requests).toEqual([]);
  });
});

describe("a provider that is not there", () => {
  const attempt = (baseUrl: string): Promise<ModelResult> =>
    clientOf({ baseUrl }).attempt(request(), { signal: never() });

  it("is a network failure that names the reason", async () => {
    const server = await startModelServer(() => "reset");
    await server.close();
    const result = await attempt(server.baseUrl);
    expect(result).toMatchObject(fails("network"));
    expect(result).toMatchObject({ failure: { message: expect.stringContaining("ECONNREFUSED") } });
  });

  it("is a network failure when its name is unknown", async () => {
    expect(await attempt("http://nowhere.invalid/v1")).toMatchObject(fails("network"));
  });

  it("is a bad request when its address is none", async () => {
    expect(await attempt("not an address")).toMatchObject(fails("bad_request"));
  });
});
