/** Makes a message in MIME of parts that were checked one by one. */
import { type Mailbox, normaliseAddress } from "./address.ts";
import { HEADER_PROBLEMS, headerProblem, isAttachmentType, isMessageId } from "./header-text.ts";

export interface OutgoingAttachment {
  readonly filename: string;
  readonly content: Uint8Array;
  /** `type/subtype`; by the file's extension when missing. */
  readonly contentType?: string;
  /** In which a text is written; says so to the reader. */
  readonly charset?: "utf-8";
}

export interface OutgoingMail {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[];
  /** Receive it, and stand in no header. */
  readonly bcc?: readonly Mailbox[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** Message-ID of what is answered, with angle brackets. */
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
  readonly attachments?: readonly OutgoingAttachment[];
  /** Where answers should go, when not to `from`. */
  readonly replyTo?: Mailbox;
  /** Why no person wrote it: by itself, when missing, or as an answer (RFC 3834). */
  readonly autoSubmitted?: AutoSubmitted;
  /** Missing: a new one. With angle brackets; the same for copies of one mail. */
  readonly messageId?: string;
  /** Further headers. */
  readonly headers?: readonly ExtraHeader[];
  readonly date: Date;
}

export type AutoSubmitted = "auto-generated" | "auto-replied";

export interface ExtraHeader {
  /** Begins with `X-`. */
  readonly name: string;
  readonly value: string;
}

/** Ready to be handed to a server. */
export interface ComposedMail {
  readonly from: string;
  /** Each address once; To, Cc and Bcc. */
  readonly recipients: readonly string[];
  readonly messageId: string;
  /** The message, lines ended by CRLF. */
  readonly raw: Uint8Array;
}

export type Composed =
  | { readonly ok: true; readonly mail: ComposedMail }
  | {
      readonly ok: false;
      readonly code: "no_recipients" | "too_many_recipients" | "header_refused" | "too_large";
      readonly reason: string;
    };

/** Recipients of one mail; Cloudflare's limit, and more than any agent has reason to write to at once. */
export const MAX_RECIPIENTS = 50;
const MAX_SUBJECT_CHARS = 500;
const MAX_FILENAME_CHARS = 200;
/** Bytes of the whole message; common servers take 20 to 25 MB. */
export const MAX_MESSAGE_BYTES = 20_000_000;

const EXTRA_NAME = /^X-[A-Za-z0-9-]{1,60}$/;
const MAX_EXTRA_CHARS = 4_000;

/** Checks every text that becomes part of a header, addresses too, then builds the message. */
export async function composeMail(mail: OutgoingMail): Promise<Composed> {
  const recipients = recipientsOf(mail);
  if (recipients.length === 0) return refused("no_recipients", "there is nobody to send it to");
  if (recipients.length > MAX_RECIPIENTS) {
    return refused("too_many_recipients", `${recipients.length} recipients, at most ${MAX_RECIPIENTS}`);
  }
  const problem = problemOf(mail);
  if (problem !== null) return refused("header_refused", problem);
  const messageId = mail.messageId ?? newMessageId(mail.from);
  const raw = await build(mail, messageId);
  if (raw.length > MAX_MESSAGE_BYTES) {
    return refused("too_large", `the message has ${raw.length} bytes, at most ${MAX_MESSAGE_BYTES}`);
  }
  return { ok: true, mail: { from: mail.from.address, recipients, messageId, raw } };
}

function newMessageId({ address }: Mailbox): string {
  return `<${crypto.randomUUID()}${address.slice(address.lastIndexOf("@"))}>`;
}

function refused(code: Extract<Composed, { ok: false }>["code"], reason: string): Composed {
  return { ok: false, code, reason };
}

function recipientsOf({ to, cc = [], bcc = [] }: OutgoingMail): string[] {
  return [...new Set([...to, ...cc, ...bcc].map(({ address }) => address))];
}

function problemOf(mail: OutgoingMail): string | null {
  const { to, cc = [], bcc = [], attachments = [] } = mail;
  if (mail.subject.length > MAX_SUBJECT_CHARS)
    return `the subject is longer than ${MAX_SUBJECT_CHARS} characters`;
  const replyTo = mail.replyTo === undefined ? [] : [mail.replyTo];
  if (![mail.from, ...replyTo, ...to, ...cc, ...bcc].every(isPlain)) return "an address is not a plain one";
  const texts: readonly (readonly [string, string])[] = [
    ["the subject", mail.subject],
    ...[mail.from, ...replyTo, ...to, ...cc].map(({ name }) => ["a name", name] as const),
    ...attachments.map(({ filename }) => ["a file's name", filename] as const),
  ];
  for (const [what, text] of texts) {
    const problem = headerProblem(text);
    if (problem !== null) return `${what} ${HEADER_PROBLEMS[problem]}`;
  }
  const ids = [mail.messageId, mail.inReplyTo, ...(mail.references ?? [])].filter((id) => id !== undefined);
  if (!ids.every(isMessageId)) return "a Message-ID is not one";
  if (!(mail.headers ?? []).every(isExtraHeader)) return "a further header is none";
  return attachments.map(attachmentProblem).find((problem) => problem !== null) ?? null;
}

function isPlain({ address }: Mailbox): boolean {
  return normaliseAddress(address) === address;
}

function isExtraHeader({ name, value }: ExtraHeader): boolean {
  return EXTRA_NAME.test(name) && value.length <= MAX_EXTRA_CHARS && headerProblem(value) === null;
}

function attachmentProblem({ filename, contentType }: OutgoingAttachment): string | null {
  if (filename.trim() === "" || filename.length > MAX_FILENAME_CHARS || /[/\\]/.test(filename)) {
    return `a file's name is empty, longer than ${MAX_FILENAME_CHARS} characters or has a slash`;
  }
  return contentType === undefined || isAttachmentType(contentType)
    ? null
    : "a content type is not type/subtype";
}

/** The library writes CRLF for line feeds; a lone carriage return would stay, and some servers take it for a line's end. */
const oneLineEnd = (text: string) => text.replace(/\r\n?/g, "\n");

async function build(mail: OutgoingMail, messageId: string): Promise<Uint8Array> {
  // Loaded when it is needed: the Worker's start would pay for it in every isolate, also those that send nothing.
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const { detectMimeType } = await import("nodemailer/lib/mime-funcs");
  const named = ({ name, address }: Mailbox) => ({ name, address });
  const message = new MailComposer({
    from: named(mail.from),
    to: mail.to.map(named),
    cc: (mail.cc ?? []).map(named),
    subject: mail.subject,
    text: oneLineEnd(mail.text),
    ...(mail.html === undefined ? {} : { html: oneLineEnd(mail.html) }),
    ...(mail.replyTo === undefined ? {} : { replyTo: named(mail.replyTo) }),
    ...(mail.inReplyTo === undefined ? {} : { inReplyTo: mail.inReplyTo }),
    references: [...(mail.references ?? [])],
    attachments: (mail.attachments ?? []).map((attachment) => ({
      filename: attachment.filename,
      content: Buffer.from(attachment.content),
      contentType: fullType(attachment, detectMimeType),
    })),
    messageId,
    date: mail.date,
    headers: headersOf(mail),
    newline: "win",
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return message.compile().build();
}

/** The first one says that no person typed it, so that polite machines do not answer. */
function headersOf({ autoSubmitted = "auto-generated", headers = [] }: OutgoingMail): Record<string, string> {
  return Object.fromEntries([
    ["Auto-Submitted", autoSubmitted],
    ...headers.map(({ name, value }) => [name, value] as const),
  ]);
}

function fullType(
  { filename, contentType, charset }: OutgoingAttachment,
  detect: (name: string) => string,
): string {
  const type = contentType ?? detect(filename);
  return charset !== undefined && type.startsWith("text/") ? `${type}; charset=${charset}` : type;
}
