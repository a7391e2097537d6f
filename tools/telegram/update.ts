/** What is read of Telegram's updates. Everything in them was written by strangers. */
import { z } from "zod";
import { untrustedJson } from "../../core/tool.ts";

const chatSchema = z.object({
  id: z.number(),
  type: z.string().optional(),
  title: z.string().optional(),
  username: z.string().optional(),
});
const senderSchema = z.object({
  id: z.number(),
  username: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
});
const messageSchema = z.object({
  message_id: z.number(),
  chat: chatSchema,
  from: senderSchema.optional(),
  sender_chat: chatSchema.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
});
type Message = z.infer<typeof messageSchema>;

/** A kind of message that is not understood must not hold up the others, so it is looked at later. */
export const updateSchema = z.object({
  update_id: z.number().int(),
  message: z.unknown().optional(),
  channel_post: z.unknown().optional(),
});
export type Update = z.infer<typeof updateSchema>;

export interface Incoming {
  /** The chat's id and, where it has one, its @name. */
  readonly chats: readonly string[];
  /** One line of JSON that cannot end the frame around it. */
  readonly line: string;
}

/** Null for what is no message. */
export function incomingOf(update: Update): Incoming | null {
  const message = messageSchema.safeParse(update.message ?? update.channel_post).data;
  if (message === undefined) return null;
  const { chat } = message;
  const name = chat.username === undefined ? [] : [`@${chat.username}`];
  return { chats: [String(chat.id), ...name], line: lineOf(message) };
}

function lineOf(message: Message): string {
  const { chat } = message;
  const line = {
    chatId: String(chat.id),
    chat: chat.title ?? chat.username ?? chat.type ?? "",
    messageId: message.message_id,
    sender: senderOf(message),
    text: message.text ?? message.caption ?? "[no text: a picture, a file, or something else]",
  };
  return untrustedJson(line);
}

function senderOf({ from, sender_chat: chat }: Message): string {
  if (from === undefined) return chat?.title ?? "";
  const name = [from.first_name, from.last_name].filter((part) => part !== undefined).join(" ");
  const handle = from.username === undefined ? "" : `@${from.username}`;
  return [name, handle, `id ${from.id}`].filter((part) => part !== "").join(", ");
}
