/** From a mail as it comes in to what decisions rest on, and to what an agent reads. */
import PostalMime, { type Email } from "postal-mime";
import { CHAIN_HEADER } from "../../core/email/chain-header.ts";
import type { MailFacts } from "../../core/email/decide.ts";
import { normaliseAddress } from "../../protocols/smtp/address.ts";
import { AUTOMATIC_SIGNS, automaticSign } from "../../protocols/smtp/automatic.ts";
import { authorOf, mailboxOf } from "../../protocols/smtp/from-line.ts";
import { type Header, onlyValue, valuesOf } from "../../protocols/smtp/headers.ts";
import { htmlToText } from "../../protocols/smtp/html.ts";
import { replySubject, type Thread, threadOf } from "../../protocols/smtp/thread.ts";

interface Envelope {
  readonly from: string;
  readonly to: string;
}

export function factsOf(envelope: Envelope, headers: readonly Header[]): MailFacts {
  const author = authorOf(headers);
  const from = author === null ? [] : [{ address: author.address }];
  const sign = automaticSign({ from, headers }, []);
  const replyTo = onlyValue(headers, "reply-to");
  return {
    recipient: normaliseAddress(envelope.to),
    envelopeFrom: envelope.from,
    author: author?.address ?? null,
    replyTo: replyTo === null ? null : (mailboxOf(replyTo)?.address ?? null),
    automatic: sign === null ? null : AUTOMATIC_SIGNS[sign],
    results: valuesOf(headers, "authentication-results"),
    chain: onlyValue(headers, CHAIN_HEADER.toLowerCase()),
  };
}

export interface ReadMail {
  readonly authorName: string;
  readonly subject: string;
  readonly replySubject: string;
  readonly text: string;
  readonly attachments: readonly Attached[];
  /** Null without a usable Message-ID. */
  readonly thread: Thread | null;
}

export interface Attached {
  /** As the sender calls it, masked; may be empty. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const MAX_DEPTH = 30;
/** The library takes plain lines one by one, at ten microseconds each; 25 MB of base64 have fewer. */
const MAX_LINES = 350_000;
const MAX_PART_HEADER_BYTES = 1_000_000;
const MAX_SUBJECT_CHARS = 1_000;

/**
 * Null for what cannot be read as a message. A message within the message counts as attached. `mask` takes the
 * secrets out before anything is cut (L5).
 */
export async function readMail(
  raw: Uint8Array,
  headers: readonly Header[],
  mask: (text: string) => string,
): Promise<ReadMail | null> {
  const email = await parsed(raw);
  if (email === null) return null;
  const whole = mask(email.subject ?? "");
  const subject = whole.slice(0, MAX_SUBJECT_CHARS).toWellFormed();
  return {
    authorName: authorOf(headers)?.name ?? "",
    subject,
    replySubject: replySubject(whole),
    text: email.text ?? (await htmlToText(email.html ?? "")),
    attachments: email.attachments.map(({ filename, mimeType, content }) => ({
      name: mask(filename ?? (mimeType === "message/rfc822" ? "message.eml" : "")),
      bytes: typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content),
    })),
    thread: threadOf({
      messageId: onlyValue(headers, "message-id"),
      references: valuesOf(headers, "references").join(" "),
      inReplyTo: valuesOf(headers, "in-reply-to").join(" "),
    }),
  };
}

function hasTooManyLines(raw: Uint8Array): boolean {
  let lines = 0;
  for (let at = raw.indexOf(10); at >= 0 && lines <= MAX_LINES; at = raw.indexOf(10, at + 1)) lines += 1;
  return lines > MAX_LINES;
}

async function parsed(raw: Uint8Array): Promise<Email | null> {
  if (hasTooManyLines(raw)) return null;
  try {
    return await PostalMime.parse(raw, {
      forceRfc822Attachments: true,
      maxNestingDepth: MAX_DEPTH,
      maxHeadersSize: MAX_PART_HEADER_BYTES,
    });
  } catch {
    return null;
  }
}
