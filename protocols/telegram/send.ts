/** Sends a text of any length to a chat, as as many messages as it takes. */
import { callTelegram, type TelegramBot, type TelegramFailure } from "./api.ts";
import { cutText } from "./cut-text.ts";
import { type FormattedText, formatMarkdown } from "./markdown.ts";

export interface SendInput {
  readonly chatId: string;
  /** Markdown or plain. */
  readonly text: string;
  /** Seconds that may be spent in waiting because Telegram asks for it. */
  readonly maxWaitSeconds: number;
  /** Resolves after that many milliseconds, or once the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface SendResult {
  /** Messages that were sent for certain. */
  readonly sent: number;
  readonly parts: number;
  /** Why it went no further; null when all were sent. */
  readonly failure: TelegramFailure | null;
}

/** Stops at the first message that could not be sent. Never rejects, unless the signal aborts. */
export async function sendText(bot: TelegramBot, input: SendInput): Promise<SendResult> {
  const parts = cutText(formatMarkdown(input.text));
  let waitLeft = input.maxWaitSeconds;
  for (let sent = 0; sent < parts.length; ) {
    const part = parts[sent];
    if (part === undefined) break;
    const failure = await sendPart(bot, input.chatId, part);
    if (failure === null) {
      sent += 1;
      continue;
    }
    if (failure.code !== "rate_limited" || failure.retryAfter > waitLeft)
      return { sent, parts: parts.length, failure };
    waitLeft -= failure.retryAfter;
    await input.sleep(failure.retryAfter * 1000, bot.signal);
    bot.signal.throwIfAborted();
  }
  return { sent: parts.length, parts: parts.length, failure: null };
}

async function sendPart(
  bot: TelegramBot,
  chatId: string,
  part: FormattedText,
): Promise<TelegramFailure | null> {
  const { text, entities } = part;
  const plain = { chat_id: chatId, text };
  const answer = await callTelegram(
    bot,
    "sendMessage",
    entities.length === 0 ? plain : { ...plain, entities },
  );
  if (answer.ok) return null;
  if (answer.code !== "bad_entities" || entities.length === 0) return answer;
  // Refused as a whole, so the words alone are no second copy.
  const again = await callTelegram(bot, "sendMessage", plain);
  return again.ok ? null : again;
}
