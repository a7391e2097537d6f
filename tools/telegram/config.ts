import { z } from "zod";
import { secret } from "../../core/tool.ts";

const CHAT = /^(-?\d{1,19}|@[A-Za-z]\w{3,31})$/;

/** A chat's id, as number or text, or the @name of a public chat. */
export const chatSchema = z.union([
  z.number().int().transform(String),
  z.string().regex(CHAT, "Must be a chat's id, as -1001234567890, or an @name"),
]);

export const configSchema = z.strictObject({
  botToken: secret(),
  /** Whom it may write to and hear from; none by default. */
  allowedChats: z.array(chatSchema).max(1_000).default([]),
  /** Of a Bot API server of one's own; missing: Telegram's. */
  apiBaseUrl: z.url({ protocol: /^https?$/ }).exactOptional(),
});

export type TelegramConfig = z.infer<typeof configSchema>;

/** Names are the same whatever their case; ids and names are different things, even of the same chat. */
export function isAllowedChat(config: TelegramConfig, chat: string): boolean {
  return config.allowedChats.some((allowed) => allowed.toLowerCase() === chat.toLowerCase());
}
