import type { SendMessageRequest, StreamResponse } from "@a2a-js/sdk";
import { UnsupportedOperationError } from "@a2a-js/sdk/errors";
import type { A2ARequestHandler } from "@a2a-js/sdk/server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createLogger } from "../../core/log.ts";
import { answerRpc } from "../../workers/a2a/answer.ts";
import { agentCard } from "../../workers/a2a/card.ts";
import { readable } from "../../workers/a2a/readable.ts";
import { runStream } from "../../workers/a2a/run-stream.ts";
import { ApiError } from "../../workers/errors.ts";
import { eventStream } from "../../workers/event-stream.ts";
import { completionStream } from "../../workers/openai/stream.ts";
import { runEvents } from "../../workers/run-events.ts";

afterEach(() => {
  vi.useRealTimers();
});

const encoder = new TextEncoder();
const event = (type: string, data: unknown) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
const DELTA = event("delta", { step: 0, attempt: 1, text: "Hello" });
const tokens = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0 };
const receipt = { status: "completed", reason: null, error: null, ...tokens };
const DONE = event("done", { reply: "Hello", receipt });

/** A run's stream that stays open, and whether its reader has left. */
function openRun(...texts: readonly string[]) {
  const left = Promise.withResolvers<void>();
  const events = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const text of texts) controller.enqueue(encoder.encode(text));
    },
    cancel: () => left.resolve(),
  });
  return { events, left: left.promise };
}

const head = { runId: "a.1", agentId: "a", created: 0 };
const openAi = (events: ReadableStream<Uint8Array>) =>
  completionStream({ head, withUsage: false, events }).pipeThrough(new TextDecoderStream());

const key = { runId: "a.1", contextId: "c" };
const unused = () => {
  throw new UnsupportedOperationError("Not in these tests");
};
/** A server whose stream is of the test's making. */
function handlerOf(
  stream: (request: SendMessageRequest) => AsyncGenerator<StreamResponse, void, undefined>,
): A2ARequestHandler {
  return {
    getAgentCard: async () => agentCard({ agentId: "a", name: "A", description: "" }, "http://parley.test"),
    getAuthenticatedExtendedAgentCard: unused,
    sendMessage: unused,
    sendMessageStream: stream,
    getTask: unused,
    listTasks: unused,
    cancelTask: unused,
    resubscribe: unused,
    createTaskPushNotificationConfig: unused,
    getTaskPushNotificationConfig: unused,
    listTaskPushNotificationConfigs: unused,
    deleteTaskPushNotificationConfig: unused,
  };
}
const log = createLogger({ module: "Worker", now: () => 0, scrub: (text) => text, sink: () => undefined });
const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hello?" }] };
const rpc = (handler: A2ARequestHandler, leave = new AbortController()) =>
  answerRpc({
    door: readable(handler, log),
    leave,
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "SendStreamingMessage", params: { message } }),
    version: "1.0",
  });

describe("a client that leaves while nothing comes", () => {
  it("of OpenAI's leaves the run's stream at once", async () => {
    const run = openRun(DELTA);
    const reader = openAi(run.events).getReader();
    await reader.read();
    await reader.read();
    const waiting = reader.read();
    await reader.cancel();
    await waiting;
    await run.left;
  });

  it("of A2A leaves the run's stream at once", async () => {
    const run = openRun(DELTA);
    const leave = new AbortController();
    const response = await rpc(
      handlerOf(() => runStream(key, run.events, leave.signal)),
      leave,
    );
    const reader = response.body?.getReader();
    await reader?.read();
    const waiting = reader?.read();
    await reader?.cancel();
    await waiting;
    await run.left;
  });
});

describe("a stream", () => {
  it("says that it is still there when nothing comes", async () => {
    vi.useFakeTimers();
    async function* silence() {
      yield "data: 1\n\n";
      await new Promise(() => undefined);
    }
    const reader = eventStream(silence(), new AbortController()).getReader();
    const decoder = new TextDecoder();
    expect(decoder.decode((await reader.read()).value)).toBe("data: 1\n\n");
    const next = reader.read();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(decoder.decode((await next).value)).toBe(": still here\n\n");
    await reader.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("passes on that a run goes on in silence", async () => {
    const { events } = openRun(": still here\n\n", DELTA);
    const heard = runEvents(events, new AbortController().signal);
    expect((await heard.next()).value).toEqual({ type: "alive" });
    expect((await heard.next()).value).toMatchObject({ type: "delta", text: "Hello" });
    await heard.return(undefined);
  });

  it("of OpenAI's is over with [DONE], whatever its run's stream does", async () => {
    const run = openRun(DELTA, DONE, DONE);
    const text: string[] = [];
    for await (const piece of openAi(run.events)) text.push(piece);
    expect(text.join("").match(/\[DONE\]/g)).toHaveLength(1);
    await run.left;
  });
});

describe("a fault in A2A's door", () => {
  const begun: StreamResponse = {
    payload: {
      $case: "statusUpdate",
      value: { taskId: "a.1", contextId: "c", status: undefined, metadata: undefined },
    },
  };

  it("in the middle of a stream bears the request's id, and all that is wrong", async () => {
    async function* broken() {
      yield begun;
      throw new ApiError("bad_request", "Not accepted.", [{ path: "model", message: "Must be a name" }]);
    }
    const text = await (await rpc(handlerOf(broken))).text();
    const [, data = ""] = /event: error\ndata: (.*)\n/.exec(text) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      id: 7,
      error: { message: "Not accepted. model: Must be a name." },
    });
  });

  it("before there is a stream bears it too", async () => {
    // biome-ignore lint/correctness/useYield: it is refused before there is anything to yield
    async function* refused(): AsyncGenerator<StreamResponse, void, undefined> {
      throw new ApiError("queue_full", "The agent's queue is full.");
    }
    expect(await (await rpc(handlerOf(refused))).json()).toMatchObject({
      id: 7,
      error: { message: "The agent's queue is full." },
    });
  });

  it.each([
    ["{", null, -32_700],
    ["null", null, -32_600],
    ["[]", null, -32_600],
    [
      JSON.stringify({
        jsonrpc: "2.0",
        id: 7,
        method: "SendMessage",
        params: { message: { parts: [null] } },
      }),
      7,
      -32_602,
    ],
  ])("in %s is told in words of the door's own", async (body, id, code) => {
    for (const version of ["1.0", undefined]) {
      const old = body.replace("SendMessage", version === undefined ? "message/send" : "SendMessage");
      const door = readable(handlerOf(unused), log);
      const response = await answerRpc({ door, leave: new AbortController(), body: old, version });
      const answer: unknown = await response.json();
      expect(answer).toMatchObject({ id, error: { code } });
      expect(JSON.stringify(answer)).not.toMatch(/Cannot read|JSON at|Unexpected|undefined/);
    }
  });
});
