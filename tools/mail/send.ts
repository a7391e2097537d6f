import { MAX_MESSAGE_BYTES, type OutgoingAttachment } from "../../protocols/smtp/compose.ts";
import type { SendOutcome } from "../../protocols/smtp/outcome.ts";
import { copiesOf, deliverCopies } from "./copies.ts";
import { type Desk, Refusal } from "./desk.ts";
import { type Original, originalOf } from "./original.ts";
import { type AddressInput, allowedRecipients } from "./recipients.ts";
import { takeSend } from "./reply-limit.ts";

export interface SendRequest {
  /** Missing in an answer: whoever the original's author wants to have it. */
  readonly to?: AddressInput | undefined;
  readonly cc?: AddressInput | undefined;
  readonly bcc?: AddressInput | undefined;
  readonly subject?: string | undefined;
  readonly text: string;
  readonly html?: string | undefined;
  readonly inReplyTo?: string | number | undefined;
  readonly attachments?: readonly AttachmentInput[] | undefined;
}

export interface AttachmentInput {
  readonly filename: string;
  readonly content: string;
  readonly encoding?: "text" | "base64" | undefined;
  readonly contentType?: string | undefined;
}

/** Sends one mail; the answer, as JSON, says who took it. Rejects with a {@link Refusal} when nobody did. */
export async function sendMail(desk: Desk, request: SendRequest): Promise<string> {
  const original = request.inReplyTo === undefined ? null : await originalOf(desk, request.inReplyTo);
  const to = request.to ?? original?.answerTo ?? [];
  const { html } = request;
  const recipients = allowedRecipients({ to, cc: request.cc, bcc: request.bcc }, desk.config);
  const copies = await copiesOf(desk, {
    ...recipients,
    from: desk.config.from,
    subject: request.subject ?? original?.subject ?? "",
    text: request.text,
    ...(html === undefined ? {} : { html }),
    ...(original === null
      ? {}
      : { inReplyTo: original.thread.inReplyTo, references: original.thread.references }),
    attachments: (request.attachments ?? []).map(attachmentOf),
    date: new Date(desk.now()),
  });
  await countSend(desk, original, copies.whole.recipients);
  return report(await deliverCopies(desk, copies));
}

const USED_UP = {
  thread: "reply_limit: This thread was answered too often within an hour; it may be going round in a loop.",
  recipient:
    "send_limit: A recipient was written to too often within an hour; it may be going round in a loop. Nothing was sent.",
} as const;

/** Call it right before sending. */
async function countSend(
  desk: Desk,
  original: Original | null,
  recipients: readonly string[],
): Promise<void> {
  const sending = { root: original?.thread.root ?? null, recipients };
  const usedUp = await takeSend(desk.state, sending, desk.now());
  if (usedUp !== null) throw new Refusal(USED_UP[usedUp]);
}

function attachmentOf({ filename, content, encoding, contentType }: AttachmentInput): OutgoingAttachment {
  const typed = { filename, ...(contentType === undefined ? {} : { contentType }) };
  if (encoding === "base64") return { ...typed, content: fromBase64(filename, content) };
  return { ...typed, content: new TextEncoder().encode(content), charset: "utf-8" };
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function fromBase64(filename: string, content: string): Uint8Array {
  const text = content.replace(/\s+/g, "");
  if (text.length > 2 * MAX_MESSAGE_BYTES || text.length % 4 !== 0 || !BASE64.test(text)) {
    throw new Refusal(
      `attachment_refused: The content of ${JSON.stringify(filename.slice(0, 100))} is not base64. Nothing was sent.`,
    );
  }
  return new Uint8Array(Buffer.from(text, "base64"));
}

function report(outcome: SendOutcome): string {
  const { rejected } = outcome;
  if (outcome.ok) {
    const { messageId, accepted } = outcome;
    const note = "Only those in accepted will get it.";
    return JSON.stringify({ messageId, accepted, ...(rejected.length === 0 ? {} : { rejected, note }) });
  }
  const end = outcome.mayHaveBeenSent
    ? "The mail may have been sent all the same: ask before sending it again."
    : "Nothing was sent.";
  const named = rejected.map(({ address, reason }) => `${address}: ${reason}`).join("; ");
  throw new Refusal(`${outcome.code}: ${outcome.reason}${named === "" ? "" : ` (${named})`}. ${end}`);
}
