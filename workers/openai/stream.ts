/** A run's events as the chunks of an answer that streams. */
import { eventStream } from "../event-stream.ts";
import { runEvents } from "../run-events.ts";
import { SpokenText } from "../spoken-text.ts";
import { deltaChunk, type Head, usageChunk } from "./completion.ts";
import { completionEnding, usageOf } from "./ending.ts";
import type { OpenAiError } from "./errors.ts";

export interface StreamOrder {
  readonly head: Head;
  readonly withUsage: boolean;
  /** The run's server-sent events, as its object sends them. */
  readonly events: ReadableStream<Uint8Array>;
}

/** Server-sent events for the client. A reader that leaves ends nothing but the stream. */
export function completionStream(order: StreamOrder): ReadableStream<Uint8Array> {
  const leave = new AbortController();
  return eventStream(frames(order, leave.signal), leave);
}

async function* frames(order: StreamOrder, left: AbortSignal): AsyncGenerator<string, undefined> {
  for await (const line of dataLines(order, left)) yield `data: ${line}\n\n`;
}

const BROKEN: OpenAiError = {
  error: {
    message: "The stream broke. The run goes on; its id is in the header X-Parley-Run.",
    type: "server_error",
    param: null,
    code: "stream_broken",
  },
};

async function* dataLines(order: StreamOrder, left: AbortSignal): AsyncGenerator<string, undefined> {
  const { head, withUsage } = order;
  const opening = { role: "assistant", content: "", refusal: null } as const;
  yield JSON.stringify(deltaChunk(head, opening, { finish: null, withUsage }));
  try {
    let ended = false;
    for await (const chunk of chunks(order, left)) {
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

async function* chunks({ head, withUsage, events }: StreamOrder, left: AbortSignal) {
  const spoken = new SpokenText();
  const say = (content: string) => deltaChunk(head, { content }, { finish: null, withUsage });
  for await (const event of runEvents(events, left)) {
    if (event.type === "delta") {
      const text = spoken.hear(event);
      if (text !== "") yield say(text);
    }
    if (event.type !== "done") continue;
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
    return;
  }
}
