/** A run's server-sent events, as its object sends them, for the doors that tell them in another way. */
import { z } from "zod";
import { createEventParser } from "../core/model/events.ts";
import { RUN_STATUSES } from "../core/record/vocabulary.ts";

const tokens = z.number().nullable();

const eventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("run"), runId: z.string(), state: z.enum(["queued", "started"]) }),
  z.object({ type: z.literal("delta"), step: z.number(), attempt: z.number(), text: z.string() }),
  z.object({ type: z.literal("tool_call"), step: z.number(), name: z.string() }),
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

/** The others are not even read: a tool's result may be long. */
const PASSED_ON: readonly string[] = eventSchema.options.map(({ shape }) => shape.type.value);

/** What the doors pass on of a run; the last one is `done`, unless the stream breaks before. */
export type StreamedEvent = z.infer<typeof eventSchema> | { readonly type: "alive" };

/** A comment is only ever the sign of life of a run in which nothing happens. */
const COMMENT = /^:/m;

/**
 * Rejects when the run's object was moved or restarted; the run goes on then. Leaving the loop closes the stream, and
 * so does `left`, also while the next event is waited for: the loop is over then.
 */
export async function* runEvents(
  events: ReadableStream<Uint8Array>,
  left: AbortSignal,
): AsyncGenerator<StreamedEvent, undefined> {
  const reader = events.getReader();
  const close = () => {
    reader.cancel().catch(() => undefined);
  };
  left.addEventListener("abort", close, { once: true });
  if (left.aborted) close();
  const decoder = new TextDecoder();
  const parser = createEventParser();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const text = decoder.decode(piece.value, { stream: true });
      if (COMMENT.test(text)) yield { type: "alive" };
      for (const { name, data } of parser.push(text)) {
        if (PASSED_ON.includes(name)) yield eventSchema.parse({ ...Object(JSON.parse(data)), type: name });
      }
    }
  } finally {
    left.removeEventListener("abort", close);
    close();
  }
}
