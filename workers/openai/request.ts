/** What a client of OpenAI's sends, and what of it is taken. */
import { z } from "zod";

const part = z.discriminatedUnion(
  "type",
  [
    z.looseObject({ type: z.literal("text"), text: z.string() }),
    z.looseObject({ type: z.literal("refusal"), refusal: z.string() }),
  ],
  { error: "Only text is taken: no images, audio or files" },
);

/** A text, or a list of parts. */
const content = z
  .preprocess(
    (value) => (typeof value === "string" ? [{ type: "text", text: value }] : value),
    z.array(part).max(1_000).nullish(),
  )
  .transform((parts) =>
    (parts ?? []).map((item) => (item.type === "text" ? item.text : item.refusal)).join(""),
  );

const messageSchema = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content,
});

const isFalse = (value: unknown) => value === false;
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;
const isOneOf =
  (...allowed: readonly unknown[]) =>
  (value: unknown) =>
    allowed.includes(value);
const never = () => false;

/** Parameters without which the answer would not be what the client expects, and the values that say nothing. */
const REFUSED: Readonly<
  Record<string, { readonly harmless: (value: unknown) => boolean; readonly why: string }>
> = {
  tools: { harmless: isEmptyList, why: "The agent has tools of its own; a client's are not called" },
  functions: { harmless: isEmptyList, why: "The agent has tools of its own; a client's are not called" },
  tool_choice: { harmless: isOneOf("none", "auto"), why: "A client's tools are not called" },
  function_call: { harmless: isOneOf("none", "auto"), why: "A client's tools are not called" },
  n: { harmless: isOneOf(1), why: "There is one answer" },
  audio: { harmless: never, why: "There is no audio" },
  modalities: {
    harmless: (value) => Array.isArray(value) && value.every((item) => item === "text"),
    why: "There is only text",
  },
  response_format: {
    harmless: (value) => z.looseObject({ type: z.literal("text") }).safeParse(value).success,
    why: "Only text is promised; say in the message what the answer should look like",
  },
  logprobs: { harmless: isFalse, why: "There are none" },
  web_search_options: { harmless: never, why: "The agent searches with the tools of its own config" },
};

/** What is read; the rest is ignored or refused. */
const USED = ["model", "messages", "stream", "stream_options", "metadata"];

export const completionBody = z
  .looseObject({
    model: z.string().min(1),
    messages: z.array(messageSchema).min(1).max(5_000),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    metadata: z
      .looseObject({
        conversation: z
          .literal("agent", { error: 'Must be "agent", or missing for a run of its own' })
          .exactOptional(),
      })
      .nullish(),
  })
  .superRefine((body, context) => {
    for (const [name, { harmless, why }] of Object.entries(REFUSED)) {
      const value = body[name];
      if (value === undefined || value === null || harmless(value)) continue;
      context.addIssue({ code: "custom", path: [name], message: `Is not taken. ${why}` });
    }
    if (body.stream_options != null && body.stream !== true)
      context.addIssue({
        code: "custom",
        path: ["stream_options"],
        message: "Only together with stream: true",
      });
  });

export type CompletionBody = z.infer<typeof completionBody>;

/** Names of parameters that had no effect; only those that a header can hold. */
export function ignoredParameters(body: CompletionBody): string[] {
  return Object.entries(body)
    .filter(([name, value]) => value !== null && value !== undefined && !USED.includes(name))
    .map(([name]) => name)
    .filter((name) => !Object.hasOwn(REFUSED, name) && /^[a-z][a-z0-9_]{0,49}$/.test(name))
    .slice(0, 30);
}
