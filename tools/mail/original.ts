/** The message that is answered. */

import { AUTOMATIC_SIGNS, automaticSign } from "../../protocols/smtp/automatic.ts";
import { isMessageId } from "../../protocols/smtp/header-text.ts";
import { replySubject, type Thread, threadOf } from "../../protocols/smtp/thread.ts";
import { decodeHead, type Head } from "./decode.ts";
import { type Desk, inMailbox, ownAddresses, Refusal } from "./desk.ts";
import type { MailboxSession } from "./mailbox.ts";

export interface Original {
  readonly thread: Thread;
  /** Where its author wants answers, as header-like texts: Reply-To, else From. */
  readonly answerTo: readonly string[];
  readonly subject: string;
}

/**
 * Finds the message by UID or Message-ID. Rejects with a {@link Refusal} when it is not in the inbox or when it is
 * automatic.
 */
export async function originalOf(desk: Desk, reference: string | number): Promise<Original> {
  const top = await inMailbox(desk, async (session) => {
    const uid = await uidOf(session, reference);
    return uid === null || session.count === 0 ? null : ((await session.tops([uid]))[0] ?? null);
  });
  if (top === null) throw new Refusal("not_found: The message to answer is not in the inbox.");
  const head = await decodeHead(top.header);
  const sign = automaticSign(head, ownAddresses(desk.config));
  if (sign !== null)
    throw new Refusal(`automatic_mail: It is not answered, because ${AUTOMATIC_SIGNS[sign]}.`);
  const thread = threadOf(head);
  if (thread === null) throw new Refusal("no_message_id: The message has no usable Message-ID to refer to.");
  return { thread, answerTo: answerToOf(head), subject: replySubject(desk.mask(head.subject)) };
}

async function uidOf(session: MailboxSession, reference: string | number): Promise<number | null> {
  const text = String(reference).trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) > 0 ? Number(text) : null;
  if (!isMessageId(text))
    throw new Refusal("not_a_message: inReplyTo is a uid or a Message-ID such as <id@host>.");
  return session.count === 0 ? null : ((await session.search({ messageId: text })).at(-1) ?? null);
}

/** Plain addresses: a name would be the sender's own text in our headers. */
function answerToOf({ replyTo, from }: Head): string[] {
  return (replyTo.length > 0 ? replyTo : from).map(({ address }) => address);
}
