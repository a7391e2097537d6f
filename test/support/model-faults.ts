/** Every way in which providers were seen to misbehave, as replies of the model server. */
import {
  answer,
  deltaChunk,
  events,
  json,
  type ModelHandler,
  type ModelReply,
  text,
  USAGE,
  whole,
} from "./model-server.ts";

const f = (args: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
  id: "call_f",
  type: "function",
  function: { name: "f", arguments: args },
  ...more,
});

/** One JSON completion around a message. */
const completion = (message: Readonly<Record<string, unknown>>, finish_reason = "stop") =>
  json({
    id: "c",
    choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason }],
    usage: USAGE,
  });

/** A stream around deltas: role first, then finish, usage and `[DONE]`. */
const stream = (deltas: readonly Readonly<Record<string, unknown>>[], finish = "stop") =>
  events([
    deltaChunk({ role: "assistant", content: "" }),
    ...deltas.map((delta) => deltaChunk(delta)),
    deltaChunk({}, finish),
    { choices: [], usage: USAGE },
    "[DONE]",
  ]);

const piece = (call: Readonly<Record<string, unknown>>) => ({ tool_calls: [call] });
const error = (
  status: number,
  fields: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
) => json({ error: fields }, status, headers);
const overflow = {
  code: "context_length_exceeded",
  message: "This model's maximum context length is 8192 tokens.",
};
const html = "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>x</body></html>";

/** The fixed replies, by name. Those of a whole response first, then those of streams. */
export const MODEL_FAULTS = {
  "html-200": text(html, 200, { "content-type": "text/html" }),
  "error-429-in-200": error(200, { code: 429, message: "Rate limited upstream" }),
  "error-502-in-200": error(200, { code: 502, message: "Provider returned error" }),
  "error-in-choice": json({
    choices: [{ error: { code: 502, message: "Upstream failed" }, message: { content: "Hel" } }],
  }),
  "error-null-beside-answer": json({
    error: null,
    choices: [{ message: { content: "Hello" }, finish_reason: "stop" }],
  }),
  "empty-200": text("", 200, { "content-type": "application/json" }),
  "truncated-json": text('{"id":"c","choices":[{"index":0,"mess', 200, {
    "content-type": "application/json",
  }),
  "choices-empty": json({ id: "c", choices: [], usage: USAGE }),
  "choices-null": json({ id: "c", choices: null, usage: USAGE }),
  "message-null": json({ id: "c", choices: [{ index: 0, message: null, finish_reason: "stop" }] }),
  "arguments-object": completion({ tool_calls: [f({ x: 1 })] }, "tool_calls"),
  "arguments-null-text": completion({ tool_calls: [f("null")] }, "tool_calls"),
  "arguments-array-text": completion({ tool_calls: [f("[]")] }, "tool_calls"),
  "arguments-string-text": completion({ tool_calls: [f('"x"')] }, "tool_calls"),
  "arguments-empty-text": completion({ tool_calls: [f("")] }, "tool_calls"),
  "call-without-id": completion(
    { tool_calls: [f("{}", { id: undefined }), f("{}", { id: "" })] },
    "tool_calls",
  ),
  "call-ids-doubled": completion({ tool_calls: [f('{"n":1}'), f('{"n":2}')] }, "tool_calls"),
  "call-id-one-character": completion({ tool_calls: [f("{}", { id: "a" })] }, "tool_calls"),
  "call-id-too-long": completion({ tool_calls: [f("{}", { id: "x".repeat(65) })] }, "tool_calls"),
  "calls-with-finish-stop": completion({ tool_calls: [f("{}")] }, "stop"),
  "finish-tool-calls-without-calls": completion({ content: "Hello" }, "tool_calls"),
  "length-with-cut-call": completion({ tool_calls: [f('{"x":"lo')] }, "length"),
  "length-with-whole-call": completion({ tool_calls: [f('{"path":"/a"}')] }, "length"),
  "content-in-parts": completion({
    content: [
      { type: "text", text: "Hel" },
      { type: "thinking", thinking: [] },
      { type: "text", text: "lo" },
    ],
  }),
  "content-empty": completion({ content: "" }),
  "content-filter": completion({ content: "Hel" }, "content_filter"),
  refusal: completion({ refusal: "I cannot help with that." }),
  "reasoning-field": completion({ content: "Hello", reasoning: "think" }),
  "usage-missing": whole({ text: "Hello", usage: null }),
  "usage-zero": whole({ text: "Hello", usage: { prompt_tokens: 0, completion_tokens: 0 } }),
  "usage-reasoning-beside-output": whole({
    text: "Hello",
    usage: {
      prompt_tokens: 10,
      completion_tokens: 2,
      total_tokens: 20,
      completion_tokens_details: { reasoning_tokens: 8 },
    },
  }),
  "stream-answered-with-json": whole({ text: "Hello" }),
  "json-called-event-stream": {
    ...whole({ text: "Hello" }),
    headers: { "content-type": "text/event-stream" },
  },
  "stream-called-json": {
    ...stream([{ content: "Hello" }]),
    headers: { "content-type": "application/json" },
  },

  "rate-limited-2s": error(
    429,
    { code: "rate_limit_exceeded", message: "Slow down" },
    { "retry-after": "2" },
  ),
  "rate-limited-120s": error(
    429,
    { code: "rate_limit_exceeded", message: "Slow down" },
    { "retry-after": "120" },
  ),
  "rate-limited-ms": error(429, { message: "Slow down" }, { "retry-after-ms": "1500", "retry-after": "9" }),
  "rate-limited-until": error(
    429,
    { message: "Slow down" },
    {
      date: "Tue, 01 Dec 2026 10:00:00 GMT",
      "retry-after": "Tue, 01 Dec 2026 10:02:00 GMT",
    },
  ),
  "insufficient-quota": error(429, {
    code: "insufficient_quota",
    type: "insufficient_quota",
    message: "You exceeded your current quota",
  }),
  "payment-required": error(402, { message: "Insufficient credits" }),
  "error-500": text(html, 500, { "content-type": "text/html" }),
  "error-529": error(529, { type: "overloaded_error", message: "Overloaded" }),
  "error-408": text("upstream timed out", 408),
  "context-length-code": error(400, overflow),
  "context-length-text": json({ message: "prompt is too long: 210000 tokens > 200000 maximum" }, 400),
  "payload-too-large": text("Payload Too Large", 413),
  "model-not-found": error(404, { code: "model_not_found", message: "The model `x` does not exist" }),
  unauthorized: error(401, { code: "invalid_api_key", message: "Incorrect API key provided" }),
  "bad-request": error(400, { type: "invalid_request_error", message: "Invalid value for 'temperature'" }),
  hang: {
    status: 200,
    headers: { "content-type": "text/event-stream" },
    pieces: [": waiting\n\n"],
    end: "hang",
  },

  "stream-call-without-index": stream(
    [piece(f('{"x":')), piece({ function: { arguments: "1}" } })],
    "tool_calls",
  ),
  "stream-call-without-id": stream(
    [
      piece({ index: 0, function: { name: "f", arguments: '{"x":' } }),
      piece({ index: 0, function: { arguments: "1}" } }),
    ],
    "tool_calls",
  ),
  "stream-call-without-index-and-id": stream(
    [
      { function: { name: "f", arguments: '{"x":' } },
      { function: { arguments: "1}" } },
      { function: { name: "g", arguments: "{}" } },
    ].map(piece),
    "tool_calls",
  ),
  "stream-same-index-two-ids": stream(
    [
      piece(f('{"x":1}', { index: 0, id: "a" })),
      piece({ index: 0, id: "b", function: { name: "g", arguments: '{"y":2}' } }),
    ],
    "tool_calls",
  ),
  "stream-index-gap": stream(
    [piece(f("{}", { index: 0, id: "a" })), piece(f("{}", { index: 2, id: "b" }))],
    "tool_calls",
  ),
  "stream-without-role": events([deltaChunk({ content: "Hello" }), deltaChunk({}, "stop"), "[DONE]"]),
  "stream-ends-early": events([deltaChunk({ role: "assistant", content: "Hel" })]),
  "stream-connection-cut": events([deltaChunk({ role: "assistant", content: "Hel" })], "cut"),
  "stream-cut-in-event": {
    ...events([deltaChunk({ content: "Hel" })]),
    pieces: [`data: ${JSON.stringify(deltaChunk({ content: "Hel" }))}\n\ndata: {"choi`],
  },
  "stream-done-in-call": events([deltaChunk(piece(f('{"x":"lo', { index: 0 }))), "[DONE]"]),
  "stream-without-done": events([deltaChunk({ content: "Hello" }, "stop")]),
  "stream-without-finish": events([deltaChunk({ content: "Hello" }), "[DONE]"]),
  "stream-error-chunk": events([
    deltaChunk({ content: "Hel" }),
    { error: { code: 502, message: "Upstream failed" } },
  ]),
  "stream-error-event": {
    ...events([]),
    pieces: ['event: error\ndata: {"message":"Overloaded","type":"overloaded_error"}\n\n'],
  },
  "stream-bad-json": events([
    deltaChunk({ content: "Hel" }),
    '{"choices":[{',
    deltaChunk({ content: "lo" }, "stop"),
    "[DONE]",
  ]),
  "stream-usage-chunk": stream([{ content: "Hello" }]),
  "stream-comments": {
    ...events([]),
    pieces: [
      ": PROCESSING\n\n",
      `data: ${JSON.stringify(deltaChunk({ content: "Hello" }, "stop"))}\n\n`,
      ": PROCESSING\n\ndata: [DONE]\n\n",
    ],
  },
  "stream-choices-null": events([
    { choices: null },
    deltaChunk({ content: "Hello" }, "stop"),
    { choices: null, usage: USAGE },
    "[DONE]",
  ]),
  "stream-reasoning-content": stream([
    { reasoning_content: "th" },
    { reasoning_content: "ink" },
    { content: "Hello" },
  ]),
  "stream-refusal": stream([{ refusal: "I cannot " }, { refusal: "help with that." }]),
  "stream-left-open": events([deltaChunk({ content: "Hello" }, "stop"), "[DONE]"], "hang"),
  "stream-empty": events(["[DONE]"]),
} as const satisfies Record<string, ModelReply>;

/** Faults that look at the request first: what they refuse in it, they refuse with a 400. */
const CONDITIONAL_FAULTS = {
  "refuses-stream-options": (request) =>
    request.body?.stream_options === undefined
      ? answer(request, { text: "Hello", usage: null })
      : error(400, { message: "Unrecognized request argument supplied: stream_options" }),
  "refuses-streaming": (request) =>
    request.body?.stream === true
      ? error(400, { param: "stream", message: "Your organization must be verified to stream this model." })
      : answer(request, { text: "Hello" }),
  "refuses-null-content": (request) =>
    contents(request.body).includes(null)
      ? error(400, { message: "invalid message content type: <nil>" })
      : answer(request, { text: "Hello" }),
  "refuses-empty-content": (request) =>
    contents(request.body).includes("")
      ? error(400, {
          message: "The text field in the ContentBlock object is blank; content must be non-empty",
        })
      : answer(request, { text: "Hello" }),
  "refuses-any-content": () => error(400, { message: "messages.1.content: field required" }),
  reset: () => "reset",
} as const satisfies Record<string, ModelHandler>;

export type ModelFault = keyof typeof MODEL_FAULTS | keyof typeof CONDITIONAL_FAULTS;

/** All faults by name. */
export const MODEL_FAULT_NAMES: readonly string[] = [
  ...Object.keys(MODEL_FAULTS),
  ...Object.keys(CONDITIONAL_FAULTS),
];

/** A handler that always shows this fault. */
export function fault(name: ModelFault): ModelHandler {
  return name in CONDITIONAL_FAULTS ? conditional(name) : () => fixed(name);
}

/**
 * For a server shared by many: a model named `fault/<name>` shows that fault, every other gets a good answer.
 * An unknown fault is a 404, as for any unknown model.
 */
export function faultByModel(good: ModelHandler): ModelHandler {
  return (request, earlier) => {
    const [, name] = /^fault\/(.+)$/.exec(String(request.body?.model ?? "")) ?? [];
    if (name === undefined) return good(request, earlier);
    return isFault(name) ? fault(name)(request, earlier) : MODEL_FAULTS["model-not-found"];
  };
}

function isFault(name: string): name is ModelFault {
  return name in MODEL_FAULTS || name in CONDITIONAL_FAULTS;
}

function conditional(name: string): ModelHandler {
  return new Map<string, ModelHandler>(Object.entries(CONDITIONAL_FAULTS)).get(name) ?? (() => "reset");
}

function fixed(name: string): ModelReply | "reset" {
  return new Map<string, ModelReply>(Object.entries(MODEL_FAULTS)).get(name) ?? "reset";
}

/** The contents of the assistant's messages. */
function contents(body: Readonly<Record<string, unknown>> | null): unknown[] {
  const messages: unknown = body?.messages;
  return Array.isArray(messages)
    ? messages.filter((message) => message.role === "assistant").map((message) => message.content)
    : [];
}
