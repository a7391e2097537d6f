import { AUTOMATIC_SIGNS, automaticSign } from "../../protocols/smtp/automatic.ts";
import { decodeHead, decodeText, type Head } from "./decode.ts";
import { type Desk, inMailbox, ownAddresses, Refusal } from "./desk.ts";
import type { MailboxSession, MessageTop } from "./mailbox.ts";
import { fitting, line, type Mask, OUTSIDE_NOTE, senderLines } from "./shown.ts";
import { isText, type Layout, type Leaf, layoutOf } from "./structure.ts";

export interface MessageRequest {
  readonly uid: number;
  readonly cursor?: string | undefined;
}

/** Bytes of a mail's text that are fetched, in their transfer encoding; pages are cut from that. */
const MAX_TEXT_BYTES = 200_000;
/** Bytes of an attached text that are fetched; a glance, not the file. */
const MAX_ATTACHED_BYTES = 20_000;
/** Attached texts that are fetched at all. */
const MAX_ATTACHED_TEXTS = 5;
const MAX_LISTED = 20;
/** Characters in JSON: of the whole, at most of one attached text, and at least for the mail's own text. */
const ROOM = { whole: 19_000, attached: 2_500, text: 3_000 } as const;
/** Where a text was cut by bytes, a secret may be cut as well, and a half one is recognised by nobody. */
const CUT_MARGIN_CHARS = 4_000;

interface Fetched {
  readonly top: MessageTop;
  readonly layout: Layout;
  readonly bytes: ReadonlyMap<string, Uint8Array>;
}

/** A message as JSON: who, what, a page of its text and what is attached. It stays unread. */
export async function readMessage(desk: Desk, { uid, cursor }: MessageRequest): Promise<string> {
  const offset = cursor === undefined ? 0 : offsetOf(cursor);
  const fetched = await inMailbox(desk, (session) => fetchMessage(session, uid));
  if (fetched === null) throw new Refusal(`not_found: There is no message ${uid} in the inbox.`);
  const head = await decodeHead(fetched.top.header);
  const shown = { ...headOf(fetched.top, head, desk), attachments: await attachmentsOf(fetched, desk.mask) };
  const text = await bodyOf(fetched, desk.mask);
  const room = Math.max(ROOM.text, ROOM.whole - JSON.stringify(shown).length);
  return JSON.stringify({ ...shown, ...pageOf(text, offset, room) });
}

function offsetOf(cursor: string): number {
  if (/^\d{1,7}$/.test(cursor)) return Number(cursor);
  throw new Refusal("cursor_refused: Not a cursor of read_message.");
}

async function fetchMessage(session: MailboxSession, uid: number): Promise<Fetched | null> {
  const [top] = session.count === 0 ? [] : await session.tops([uid]);
  const structure = top === undefined ? null : await session.structure(uid);
  if (top === undefined || structure === null) return null;
  const layout = layoutOf(structure);
  const bodies = [layout.plain, layout.html].filter((leaf) => leaf !== null);
  const attached = layout.attachments.filter(isText).slice(0, MAX_ATTACHED_TEXTS);
  const requests = [
    ...bodies.map(({ part }) => ({ part, maxBytes: MAX_TEXT_BYTES })),
    ...attached.map(({ part }) => ({ part, maxBytes: MAX_ATTACHED_BYTES })),
  ];
  return { top, layout, bytes: requests.length === 0 ? new Map() : await session.parts(uid, requests) };
}

function headOf(top: MessageTop, head: Head, { mask, config }: Desk) {
  const sign = automaticSign(head, ownAddresses(config));
  return {
    note: OUTSIDE_NOTE,
    uid: top.uid,
    unread: !top.seen,
    from: senderLines(head.from, 2, mask),
    ...(head.replyTo.length === 0 ? {} : { replyTo: senderLines(head.replyTo, 3, mask) }),
    to: senderLines(head.to, 8, mask),
    ...(head.cc.length === 0 ? {} : { cc: senderLines(head.cc, 8, mask) }),
    subject: line(head.subject, 500, mask),
    date: line(head.date ?? "", 60, mask),
    messageId: line(head.messageId ?? "", 250, mask),
    bytes: top.size,
    ...(sign === null ? {} : { automatic: `Not answered by this tool: ${AUTOMATIC_SIGNS[sign]}.` }),
  };
}

interface Body {
  readonly text: string;
  /** Whether there was more than is fetched. */
  readonly cut: boolean;
  readonly from: "plain" | "html" | "none";
}

async function bodyOf({ layout, bytes }: Fetched, mask: Mask): Promise<Body> {
  for (const [from, leaf] of [
    ["plain", layout.plain],
    ["html", layout.html],
  ] as const) {
    const fetched = leaf === null ? undefined : bytes.get(leaf.part);
    if (leaf === null || fetched === undefined) continue;
    const { text, cut } = await textOf(leaf, fetched, { mask, maxBytes: MAX_TEXT_BYTES });
    if (text.trim() !== "") return { text, cut, from };
  }
  return { text: "", cut: false, from: "none" };
}

async function textOf(
  leaf: Leaf,
  bytes: Uint8Array,
  limit: { readonly mask: Mask; readonly maxBytes: number },
) {
  const text = limit.mask((await decodeText(leaf, bytes)).replaceAll("\r\n", "\n")).trimEnd();
  const cut = bytes.length >= limit.maxBytes;
  return { cut, text: cut ? text.slice(0, Math.max(0, text.length - CUT_MARGIN_CHARS)) : text };
}

function pageOf({ text, cut, from }: Body, offset: number, room: number) {
  if (offset > text.length) throw new Refusal("cursor_refused: The text ends before.");
  const page = fitting(text.slice(offset), room);
  const next = offset + page.length;
  const ended = next >= text.length;
  return {
    textFrom: from,
    text: page,
    nextCursor: ended ? null : String(next),
    ...(ended && cut
      ? { cut: `The text is longer; only its beginning (${MAX_TEXT_BYTES} bytes) can be read here.` }
      : {}),
  };
}

async function attachmentsOf({ layout, bytes }: Fetched, mask: Mask) {
  const listed = await Promise.all(
    layout.attachments.slice(0, MAX_LISTED).map(async (leaf) => ({
      name: leaf.name === null ? null : line(leaf.name, 100, mask),
      type: line(leaf.type, 60, mask),
      bytes: leaf.size,
      ...(await contentOf(leaf, bytes.get(leaf.part), mask)),
    })),
  );
  const more = layout.attachments.length - listed.length;
  return more > 0 ? [...listed, { note: `and ${more} more` }] : listed;
}

async function contentOf(leaf: Leaf, bytes: Uint8Array | undefined, mask: Mask) {
  if (!isText(leaf)) return { note: "Not a text, it cannot be read here." };
  if (bytes === undefined) return { note: "Not read, there are too many attached texts." };
  const { text, cut } = await textOf(leaf, bytes, { mask, maxBytes: MAX_ATTACHED_BYTES });
  const shown = fitting(text, ROOM.attached);
  return { text: shown, ...(cut || shown.length < text.length ? { note: "Only the beginning." } : {}) };
}
