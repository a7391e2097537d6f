/** Speaks Telegram's Bot API as far as a bot needs it that writes to chats and polls for updates. */
import { z } from "zod";
import { startWebServer, type WebAnswer, type WebServer } from "./web-server.ts";

const entitySchema = z.looseObject({ type: z.string(), offset: z.number(), length: z.number() });
const sendSchema = z.object({
  chat_id: z.union([z.string(), z.number()]).transform(String),
  text: z.string(),
  entities: z.array(entitySchema).default([]),
});
const pollSchema = z.object({
  offset: z.number().optional(),
  limit: z.number().default(100),
  allowed_updates: z.array(z.string()).optional(),
});

export type SentMessage = z.infer<typeof sendSchema>;

export interface ChatUpdate {
  readonly update_id: number;
  readonly [kind: string]: unknown;
}

/** What happens to the next call instead of, or after, what should: `done_then_cut` sends it and loses the answer. */
export type Fault = "cut" | "cut_answer" | "done_then_cut" | "junk" | "bad_gateway" | "hang" | "no_entities";

export interface TelegramServer extends WebServer {
  /** Messages that have arrived in their chats. */
  readonly sent: readonly SentMessage[];
  /** Put in front of the next calls, one each. */
  readonly faults: Fault[];
  /** Updates that no poll has confirmed. */
  readonly updates: ChatUpdate[];
  /** Seconds that calls are told to wait, one each; 0 lets one through. */
  readonly waits: number[];
}

export const BOT_TOKEN = "123456789:AAtest-token_of-the-bot-000000000000";

/** What becomes of a message, by chat; a chat that is not listed does not exist. */
const CHATS: Readonly<Record<string, "open" | "blocked" | "migrated">> = {
  "100": "open",
  "-1001": "open",
  "@news": "open",
  "403": "blocked",
  "-5": "migrated",
};

export async function startTelegram(): Promise<TelegramServer> {
  const state: Mutable = { sent: [], faults: [], updates: [], waits: [] };
  const server = await startWebServer(({ path, body }) => {
    const fault = state.faults.shift();
    if (fault === "cut" || fault === "hang") return fault;
    if (fault === "junk") return { status: 200, body: "<html>welcome</html>" };
    if (fault === "bad_gateway") return { status: 502, body: "<html>502 Bad Gateway</html>" };
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
    const answer = token === BOT_TOKEN ? call(state, { method, body, fault }) : error(401, "Unauthorized");
    if (fault === "done_then_cut") return "cut";
    return fault === "cut_answer" ? { ...answer, end: "cut" } : answer;
  });
  return { ...server, ...state };
}

interface Mutable {
  readonly sent: SentMessage[];
  readonly faults: Fault[];
  readonly updates: ChatUpdate[];
  readonly waits: number[];
}

interface Call {
  readonly method: string | undefined;
  readonly body: string;
  readonly fault: Fault | undefined;
}

function call(state: Mutable, { method, body, fault }: Call): WebAnswer {
  const params: unknown = JSON.parse(body);
  if (method === "sendMessage") return sendMessage(state, sendSchema.parse(params), fault);
  return method === "getUpdates" ? getUpdates(state, pollSchema.parse(params)) : error(404, "Not Found");
}

function sendMessage(state: Mutable, message: SentMessage, fault: Fault | undefined): WebAnswer {
  const wait = state.waits.shift() ?? 0;
  if (wait > 0) return error(429, `Too Many Requests: retry after ${wait}`, { retry_after: wait });
  const problem = problemOf(message, fault);
  if (problem !== null) return problem;
  state.sent.push(message);
  return ok({ message_id: state.sent.length, chat: { id: message.chat_id }, text: message.text });
}

function problemOf({ chat_id, text, entities }: SentMessage, fault: Fault | undefined): WebAnswer | null {
  const chat = CHATS[chat_id];
  if (chat === undefined) return error(400, "Bad Request: chat not found");
  if (chat === "blocked") return error(403, "Forbidden: bot was blocked by the user");
  if (chat === "migrated")
    return error(400, "Bad Request: group chat was upgraded to a supergroup chat", {
      migrate_to_chat_id: -1001,
    });
  if (text.trim() === "") return error(400, "Bad Request: message text is empty");
  if (text.length > 4_096) return error(400, "Bad Request: message is too long");
  const outside = entities.some(({ offset, length }) => length < 1 || offset + length > text.length);
  if (outside || (fault === "no_entities" && entities.length > 0))
    return error(400, "Bad Request: can't parse entities: unsupported entity at byte offset 0");
  return null;
}

/** Asking for what comes after an update confirms it, and it is never given out again. */
function getUpdates(
  { updates }: Mutable,
  { offset, limit, allowed_updates: kinds }: z.infer<typeof pollSchema>,
) {
  if (offset !== undefined) {
    const kept = updates.filter(({ update_id }) => update_id >= offset);
    updates.splice(0, updates.length, ...kept);
  }
  const wanted = updates.filter((update) => kinds === undefined || kinds.some((kind) => kind in update));
  return ok(wanted.slice(0, limit));
}

function ok(result: unknown): WebAnswer {
  return { status: 200, body: JSON.stringify({ ok: true, result }) };
}

function error(status: number, description: string, parameters?: object): WebAnswer {
  const body = {
    ok: false,
    error_code: status,
    description,
    ...(parameters === undefined ? {} : { parameters }),
  };
  return { status, body: JSON.stringify(body) };
}
