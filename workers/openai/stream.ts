/** A run's events as the chunks of an answer that streams. */
import { z } from "zod";
import { RUN_STATUSES } from "../../core/record/vocabulary.ts";
import { deltaChunk, type Head, usageChunk } from "./completion.ts";
import { completionEnding, usageOf } from "./ending.ts";
import type { OpenAiError } from "./errors.ts";
import { SpokenText } from "./spoken-text.ts";

export interface StreamOrder {
  readonly head: Head;
  readonly withUsage: boolean;
  /** The run's server-sent events, as its object sends them. */
  readonly events: ReadableStream<Uint8Array>;
}

/** Server-sent events for the client. A reader that leaves ends nothing but the stream. */
export function completionStream(order: StreamOrder): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const lines = dataLines(order);
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next = await lines.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(`data: ${next.value}\n\n`));
    },
    cancel: async () => {
      await lines.return(undefined);
    },
  });
}

const BROKEN: OpenAiError = {
  error: {
    message: "The stream broke. The run goes on; its id is in the header X-Parley-Run.",
    type: "server_error",
    param: null,
    code: "stream_broken",
  },
};

async function* dataLines(order: StreamOrder): AsyncGenerator<string, undefined> {
  const { head, withUsage } = order;
  const opening = { role: "assistant", content: "", refusal: null } as const;
  yield JSON.stringify(deltaChunk(head, opening, { finish: null, withUsage }));
  try {
    let ended = false;
    for await (const chunk of chunks(order)) {
      ended ||= chunk === DONE || "error" in chunk;
      yield chunk === DONE ? DONE : JSON.stringify(chunk);
    }
    if (!ended) yield JSON.stringify(BROKEN);
  } catch {
    // The run's object was moved or restarted: there is no more to read here.
    yield JSON.stringify(BROKEN);
  }
}

const DONE = "[DONE]" as const;

async function* chunks({ head, withUsage, events }: StreamOrder) {
  const spoken = new SpokenText();
  const say = (content: string) => deltaChunk(head, { content }, { finish: null, withUsage });
  for await (const event of runEvents(events)) {
    if (event.type === "delta") {
      const text = spoken.hear(event);
      if (text !== "") yield say(text);
      continue;
    }
    const ending = completionEnding(event.receipt);
    if (!ending.ok) {
      yield ending.body;
      return;
    }
    const rest = spoken.end(event.reply);
    if (rest !== "") yield say(rest);
    yield deltaChunk(head, {}, { finish: ending.finish, withUsage });
    if (withUsage) yield usageChunk(head, usageOf(event.receipt));
    yield DONE;
  }
}

const tokens = z.number().nullable();
const eventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("delta"), step: z.number(), attempt: z.number(), text: z.string() }),
  z.object({
    type: z.literal("done"),
    reply: z.string(),
    receipt: z.object({
      status: z.enum(RUN_STATUSES),
      reason: z.string().nullable(),
      error: z.string().nullable(),
      inputTokens: tokens,
      cachedInputTokens: tokens,
      outputTokens: tokens,
      reasoningTokens: tokens,
    }),
  }),
]);

const EVENT = /^event: (delta|done)\ndata: (.*)$/s;

/** The two kinds of events that a client of OpenAI's gets to see something of. */
async function* runEvents(events: ReadableStream<Uint8Array>) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of events) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const [, type, data] = EVENT.exec(part) ?? [];
      if (data !== undefined) yield eventSchema.parse({ ...Object(JSON.parse(data)), type });
    }
  }
}
