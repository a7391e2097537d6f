/**
 * A real HTTP server that speaks chat completions, well or badly. No dependencies but Node, so that it also
 * runs by itself: `node test/support/model-server-main.ts`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** A request as it came in; `body` is the parsed JSON, or null when it was none. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | null;
}

/** A response in pieces, sent as they come. */
export interface ModelReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: Iterable<string> | AsyncIterable<string>;
  /** `cut` closes the connection in the middle, `hang` keeps it open and says nothing more. */
  readonly end: "end" | "cut" | "hang";
}

/** May await whatever a test wants to hold it by; `"reset"` closes the connection without a response. */
export type ModelHandler = (
  request: ReceivedRequest,
  /** How many requests came before this one. */
  earlier: number,
) => ModelReply | "reset" | Promise<ModelReply | "reset">;

export interface ModelServer {
  /** What a client takes as its base URL. */
  readonly baseUrl: string;
  /** All requests so far, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

/** Listens on loopback, on a free port unless one is given. */
export async function startModelServer(handler: ModelHandler, port = 0): Promise<ModelServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((message, response) => {
    void receive(message)
      .then((request) => handler(request, requests.push(request) - 1))
      .then(async (reply) => {
        if (reply === "reset") message.socket.destroy();
        else await send(response, reply);
      })
      .catch(() => message.socket.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

export interface GoodAnswer {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Null leaves the usage out. Default 100 tokens in, 80 of them cached, 20 out. */
  readonly usage?: Readonly<Record<string, unknown>> | null;
  readonly finishReason?: string;
}

export const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 80 },
  completion_tokens_details: { reasoning_tokens: 5 },
} as const;

/** A well-behaved answer: a stream when the request asks for one, else one JSON document. */
export function answer(request: ReceivedRequest, good: GoodAnswer): ModelReply {
  return request.body?.stream === true ? streamed(good) : whole(good);
}

/** A well-behaved answer as one JSON document. */
export function whole(good: GoodAnswer): ModelReply {
  const { text = null, calls = [] } = good;
  const message = {
    role: "assistant",
    content: text,
    ...(calls.length > 0 ? { tool_calls: calls.map(wireCall) } : {}),
  };
  return json({
    id: "chatcmpl-1",
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: finishOf(good) }],
    ...(good.usage === null ? {} : { usage: good.usage ?? USAGE }),
  });
}

/** A well-behaved answer as a stream: text by words, arguments in two pieces, usage in a last chunk. */
export function streamed(good: GoodAnswer): ModelReply {
  const words = (good.text ?? "").match(/\S+\s*|\s+/g) ?? [];
  const calls = (good.calls ?? []).flatMap((call, index) => {
    const half = Math.ceil(call.arguments.length / 2);
    const { function: named, ...rest } = wireCall(call);
    return [
      deltaChunk({
        tool_calls: [{ index, ...rest, function: { ...named, arguments: call.arguments.slice(0, half) } }],
      }),
      deltaChunk({ tool_calls: [{ index, function: { arguments: call.arguments.slice(half) } }] }),
    ];
  });
  return events([
    deltaChunk({ role: "assistant", content: "" }),
    ...words.map((content) => deltaChunk({ content })),
    ...calls,
    deltaChunk({}, finishOf(good)),
    ...(good.usage === null ? [] : [{ id: "chatcmpl-1", choices: [], usage: good.usage ?? USAGE }]),
    "[DONE]",
  ]);
}

/** Any value as a JSON response. */
export function json(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): ModelReply {
  return text(JSON.stringify(value), status, { "content-type": "application/json", ...headers });
}

export function text(body: string, status = 200, headers: Readonly<Record<string, string>> = {}): ModelReply {
  return { status, headers, pieces: body === "" ? [] : [body], end: "end" };
}

/** A stream of server-sent events; strings go out as they are, all else as JSON. */
export function events(chunks: readonly unknown[], end: ModelReply["end"] = "end"): ModelReply {
  const pieces = chunks.map(
    (chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`,
  );
  return { status: 200, headers: { "content-type": "text/event-stream" }, pieces, end };
}

/** One chunk of a stream. */
export function deltaChunk(delta: Readonly<Record<string, unknown>>, finishReason: string | null = null) {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

/**
 * Asks for `call` until a tool has answered, then says `text`: one turn with one tool call, for ever.
 * The id is the call's, with the number of the request behind it.
 */
export function oneCallThen(call: ScriptedCall, text: string): ModelHandler {
  return (request, earlier) => {
    const numbered = { ...call, id: `${call.id}_${earlier}` };
    return answer(request, lastRole(request) === "tool" ? { text } : { calls: [numbered] });
  };
}

function lastRole(request: ReceivedRequest): unknown {
  const messages = request.body?.messages;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : null;
  return typeof last === "object" && last !== null && "role" in last ? last.role : null;
}

function finishOf(good: GoodAnswer): string {
  return good.finishReason ?? ((good.calls?.length ?? 0) > 0 ? "tool_calls" : "stop");
}

function wireCall(call: ScriptedCall) {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } };
}

async function receive(message: IncomingMessage): Promise<ReceivedRequest> {
  const parts: Uint8Array[] = [];
  for await (const part of message) parts.push(part);
  const headers = Object.entries(message.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    method: message.method ?? "",
    path: message.url ?? "",
    headers: Object.fromEntries(headers),
    body: parseObject(Buffer.concat(parts).toString("utf8")),
  };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : null;
  } catch {
    return null;
  }
}

async function send(response: ServerResponse, reply: ModelReply): Promise<void> {
  response.writeHead(reply.status, reply.headers);
  response.flushHeaders();
  for await (const piece of reply.pieces) {
    await new Promise<void>((resolve) => response.write(piece, () => resolve()));
  }
  if (reply.end === "end") response.end();
  if (reply.end === "cut") response.destroy();
}
