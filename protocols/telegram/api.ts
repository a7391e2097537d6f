/** Telegram's Bot API: one call, and what its answers mean. */
import { z } from "zod";
import { OutboundError } from "../../core/outbound/guarded-fetch.ts";
import { readCappedText } from "../../core/outbound/read-text.ts";

const OFFICIAL = "https://api.telegram.org";
const ANSWER_BYTES = 4_000_000;
const DESCRIPTION_CHARS = 300;

export interface TelegramBot {
  readonly token: string;
  /** Of a Bot API server of one's own; missing: Telegram's. */
  readonly apiBaseUrl?: string | undefined;
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>;
  readonly signal: AbortSignal;
}

/** `reason` is a sentence without the token. */
export type TelegramFailure =
  /** Nothing may be sent before `retryAfter` seconds are over. */
  | {
      readonly ok: false;
      readonly code: "rate_limited";
      readonly reason: string;
      readonly retryAfter: number;
    }
  /** The group has become another chat. */
  | { readonly ok: false; readonly code: "migrated"; readonly reason: string; readonly chatId: string }
  | {
      readonly ok: false;
      /** `unknown`: it may or may not have been done. `refused`: it was not, and will not be. */
      readonly code: "bad_entities" | "refused" | "unknown";
      readonly reason: string;
    };

type TelegramAnswer = { readonly ok: true; readonly result: unknown } | TelegramFailure;

/** `params` go as JSON. Never rejects, unless the signal aborts. */
export async function callTelegram(
  bot: TelegramBot,
  method: string,
  params: object,
): Promise<TelegramAnswer> {
  if (!/^[\w:-]+$/.test(bot.token))
    return { ok: false, code: "refused", reason: "The bot token does not look like one." };
  const base = (bot.apiBaseUrl ?? OFFICIAL).replace(/\/+$/, "");
  try {
    const response = await bot.fetch(`${base}/bot${bot.token}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(params),
      redirect: "error",
      signal: bot.signal,
    });
    const { text } = await readCappedText(response, ANSWER_BYTES);
    return answerOf(response.status, text);
  } catch (error) {
    bot.signal.throwIfAborted();
    const refused = error instanceof OutboundError && error.code !== "unreachable";
    return refused
      ? { ok: false, code: "refused", reason: error.message }
      : { ok: false, code: "unknown", reason: "The connection to Telegram failed or broke off." };
  }
}

const answerSchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    description: z.string().default("no reason given"),
    parameters: z
      .object({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() })
      .optional(),
  }),
]);

type Refusal = Extract<z.infer<typeof answerSchema>, { ok: false }>;

function answerOf(status: number, text: string): TelegramAnswer {
  const answer = answerSchema.safeParse(parseJson(text)).data;
  if (answer?.ok === true) return answer;
  if (status >= 500)
    return { ok: false, code: "unknown", reason: `Telegram's server is in trouble (${status}).` };
  if (answer === undefined)
    return { ok: false, code: "unknown", reason: `Telegram's answer (${status}) could not be read.` };
  return failureOf(status, answer);
}

const DEFAULT_WAIT_SECONDS = 30;

function failureOf(status: number, { description, parameters }: Refusal): TelegramFailure {
  const said = `Telegram answered ${status}: ${description.slice(0, DESCRIPTION_CHARS)}`;
  if (status === 429) {
    const retryAfter = Math.max(1, Math.ceil(parameters?.retry_after ?? DEFAULT_WAIT_SECONDS));
    return { ok: false, code: "rate_limited", reason: said, retryAfter };
  }
  const moved = parameters?.migrate_to_chat_id;
  if (moved !== undefined) return { ok: false, code: "migrated", reason: said, chatId: String(moved) };
  if (status === 400 && /entit/i.test(description)) return { ok: false, code: "bad_entities", reason: said };
  return { ok: false, code: "refused", reason: said + hintFor(status, description) };
}

function hintFor(status: number, description: string): string {
  if (status === 401 || status === 404) return " (the bot token is wrong)";
  if (status === 403) return " (the bot was blocked, removed, or never started in this chat)";
  if (status === 409) return " (the bot has a webhook, or something else polls with the same token)";
  return /chat not found/i.test(description)
    ? " (the bot must be in the chat, or the person must write first)"
    : "";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
