import { fail, ok, type ToolContext, type ToolResult } from "../../core/tool.ts";
import { type SendInput, type SendResult, sendText } from "../../protocols/telegram/send.ts";
import { isAllowedChat, type TelegramConfig } from "./config.ts";

export interface Clock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Resolves after that many milliseconds, or once the signal aborts. */
  readonly sleep: SendInput["sleep"];
}

type Message = Pick<SendInput, "chatId" | "text">;

/** Part of the call's time that may be spent in waiting: sending takes time too. */
const WAITING_SHARE = 0.5;

export async function send(
  message: Message,
  context: ToolContext<TelegramConfig>,
  clock: Clock,
): Promise<ToolResult> {
  const { toolConfig, signal, state } = context;
  const { chatId } = message;
  if (!isAllowedChat(toolConfig, chatId))
    return fail(`The chat ${chatId} is not among this agent's allowedChats. Nothing was sent.`);
  const stillClosed = await secondsLeft(context, chatId, clock);
  if (stillClosed > 0)
    return fail(`Telegram asked to wait; try again in ${stillClosed} seconds. Nothing was sent.`);
  const { botToken, apiBaseUrl } = toolConfig;
  const bot = { token: botToken, apiBaseUrl, fetch: context.fetch, signal };
  const maxWaitSeconds = context.seconds * WAITING_SHARE;
  const result = await sendText(bot, { ...message, maxWaitSeconds, sleep: clock.sleep });
  if (result.failure?.code === "rate_limited")
    await state.set(closedKey(chatId), String(clock.now() + result.failure.retryAfter * 1000));
  return answer(result);
}

const closedKey = (chatId: string) => `closed:${chatId.toLowerCase()}`;

/** Until then the next call does not even try: each attempt before would make Telegram wait longer. */
async function secondsLeft(
  { state }: ToolContext<TelegramConfig>,
  chatId: string,
  clock: Clock,
): Promise<number> {
  const until = Number((await state.get(closedKey(chatId))) ?? 0);
  return Math.ceil((until - clock.now()) / 1000);
}

function answer({ sent, parts, failure }: SendResult): ToolResult {
  if (failure === null) return ok(parts === 1 ? "Sent." : `Sent as ${parts} messages.`);
  const done = `${sent} of ${parts} messages were sent`;
  switch (failure.code) {
    case "rate_limited":
      return fail(`${done}. Telegram asks to wait ${failure.retryAfter} seconds; send the rest after that.`);
    case "migrated":
      return fail(
        `${done}. The group has become a supergroup with the id ${failure.chatId}; a person must allow that id.`,
      );
    case "unknown":
      return fail(
        `Unknown outcome: ${failure.reason} ${done} for certain, the next one may or may not have arrived. Do not repeat it without checking.`,
      );
    default:
      return fail(`${done}. ${failure.reason}`);
  }
}
