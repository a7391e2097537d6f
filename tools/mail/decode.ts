/** From the bytes of a message to text. */
import PostalMime from "postal-mime";
import { MARKS } from "../../protocols/smtp/automatic-marks.ts";
import { htmlToText } from "../../protocols/smtp/html.ts";
import type { Leaf } from "./structure.ts";

/** Addresses, subject and the like as they are shown, decoded; ids and marks as they stand. */
export interface Head {
  readonly from: readonly Sender[];
  readonly replyTo: readonly Sender[];
  readonly to: readonly Sender[];
  readonly cc: readonly Sender[];
  readonly subject: string;
  /** ISO 8601, or what stands there when it is no date; null without one. */
  readonly date: string | null;
  /** With angle brackets; null when missing. */
  readonly messageId: string | null;
  readonly inReplyTo: string;
  readonly references: string;
  /** Names in lower case, in order. */
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** Reads the lines of a header; a mail in which they are broken has an empty one. */
export async function decodeHead(bytes: Uint8Array): Promise<Head> {
  const email = await PostalMime.parse(`${wantedLines(headerText(bytes))}\r\n`);
  return {
    from: sendersOf(email.from ? [email.from] : []),
    replyTo: sendersOf(email.replyTo ?? []),
    to: sendersOf(email.to ?? []),
    cc: sendersOf(email.cc ?? []),
    subject: email.subject ?? "",
    date: email.date ?? null,
    messageId: email.messageId ?? null,
    inReplyTo: email.inReplyTo ?? "",
    references: email.references ?? "",
    headers: email.headers.map(({ key, value }) => ({ key, value })),
  };
}

/** What is read of a header; the many lines that servers add on the way are of no use here. */
const WANTED: ReadonlySet<string> = new Set([
  ...["from", "reply-to", "to", "cc", "subject", "date", "message-id", "in-reply-to", "references"],
  ...MARKS,
]);
/** Characters of one line, and lines of one name: parsing a list of addresses takes longer than it is long. */
const MAX_LINE_CHARS = 4_000;
const MAX_SAME_LINES = 3;

function wantedLines(header: string): string {
  const counts = new Map<string, number>();
  let wanted = "";
  for (const line of header.split(/\r?\n(?![ \t])/)) {
    if (line === "") break;
    const name = line
      .slice(0, Math.max(0, line.indexOf(":")))
      .trim()
      .toLowerCase();
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (WANTED.has(name) && count <= MAX_SAME_LINES) wanted += `${line.slice(0, MAX_LINE_CHARS)}\r\n`;
  }
  return wanted;
}

/** Headers are ASCII by rule, UTF-8 by a newer one, and one byte a letter where no rule was kept. */
function headerText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

interface ParsedAddress {
  readonly name: string;
  readonly address?: string | undefined;
  readonly group?: readonly ParsedAddress[] | undefined;
}

function sendersOf(addresses: readonly ParsedAddress[]): Sender[] {
  return addresses.flatMap(({ name, address, group }) => {
    if (group !== undefined) return sendersOf(group);
    return address === undefined ? [] : [{ name, address }];
  });
}

/** Parameters that say how a text is written; only these reach the parser. */
const TEXT_PARAMETERS: readonly string[] = ["charset", "format", "delsp"];
const TOKEN = /^[\w.:+-]{1,60}$/;

/** Encodings in which the bytes are the content. */
const IDENTITY: readonly string[] = ["7bit", "8bit", "binary"];

/** What a part may say of its letters when it says nothing. */
const UNSAID: readonly string[] = ["", "us-ascii"];
const REPLACED = "\ufffd";

/** The text of a part whose bytes may end early; HTML as readable text. */
export async function decodeText(leaf: Leaf, bytes: Uint8Array): Promise<string> {
  if (!UNSAID.includes(leaf.parameters.charset?.toLowerCase() ?? "")) return decodeAs(leaf, bytes);
  const read = (charset: string) => decodeAs({ ...leaf, parameters: { ...leaf.parameters, charset } }, bytes);
  const text = await read("utf-8");
  // At the end it may only be the cut.
  return text.slice(0, -4).includes(REPLACED) ? read("windows-1252") : text;
}

async function decodeAs(leaf: Leaf, bytes: Uint8Array): Promise<string> {
  const type = leaf.type === "text/html" ? "text/html" : "text/plain";
  // The library takes lines of plain content one by one, which is slow for a mail of very many: base64 has one.
  const plain = IDENTITY.includes(leaf.encoding);
  const body = plain ? new TextEncoder().encode(Buffer.from(bytes).toString("base64")) : bytes;
  const header = partHeader({ ...leaf, encoding: plain ? "base64" : leaf.encoding }, type);
  const email = await PostalMime.parse(joined(`${header}\r\n`, body));
  return type === "text/plain" ? (email.text ?? "") : htmlToText(email.html ?? "");
}

function partHeader({ parameters, encoding }: Leaf, type: string): string {
  const told = TEXT_PARAMETERS.flatMap((name) => {
    const value = parameters[name] ?? "";
    return TOKEN.test(value) ? [`; ${name}=${value}`] : [];
  });
  const transfer = TOKEN.test(encoding) ? `Content-Transfer-Encoding: ${encoding}\r\n` : "";
  return `Content-Type: ${type}${told.join("")}\r\n${transfer}`;
}

function joined(header: string, body: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(header);
  const whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}
