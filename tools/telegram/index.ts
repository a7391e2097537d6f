/** Writes to Telegram chats, and wakes on what is written there. */
import { z } from "zod";
import { defineTool, type Tool } from "../../core/tool.ts";
import { chatSchema, configSchema } from "./config.ts";
import { poll } from "./poll.ts";
import { type Clock, send } from "./send.ts";

const MAX_TEXT_CHARS = 40_000;

const inputSchema = z.strictObject({
  action: z.enum(["send"]),
  chatId: chatSchema.describe("The chat's id, or the @name of a public chat"),
  text: z
    .string()
    .max(MAX_TEXT_CHARS)
    .refine((text) => text.trim() !== "", "Must not be empty")
    .describe("Plain text or Markdown; a long one arrives as several messages"),
});

const platformClock: Clock = { now: Date.now, sleep };

export function createTelegram(clock: Clock = platformClock): Tool {
  return defineTool({
    name: "Telegram",
    description: "Sends a text to a Telegram chat that this agent may write to.",
    config: configSchema,
    input: inputSchema,
    // A message cannot be taken back from a chat, and Telegram knows no key by which it would tell a second one.
    repeatable: [],
    parallel: [],
    execute: ({ chatId, text }, context) => send({ chatId, text }, context, clock),
    jobs: [
      {
        jobTypeId: "telegram_poll",
        name: "New messages",
        description:
          "Looks for new messages in the allowed chats and wakes the agent with all of them at once.",
        run: poll,
      },
    ],
  });
}

/** Resolves after that time or as soon as the signal aborts. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
