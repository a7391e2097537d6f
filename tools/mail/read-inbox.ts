import { AUTOMATIC_SIGNS, automaticSign } from "../../protocols/smtp/automatic.ts";
import { decodeHead } from "./decode.ts";
import { type Desk, inMailbox, ownAddresses, Refusal } from "./desk.ts";
import type { MailboxSession, MessageTop } from "./mailbox.ts";
import { line, OUTSIDE_NOTE, senderLines } from "./shown.ts";

export interface InboxRequest {
  readonly unreadOnly: boolean;
  /** Messages; large values are lowered. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export const DEFAULT_MESSAGES = 20;
/** With subjects and senders of full length they fit the engine's default cap. */
export const MAX_MESSAGES = 25;
const MAX_SUBJECT_CHARS = 150;

/** A page of the inbox, newest first, as JSON. */
export async function readInbox(desk: Desk, request: InboxRequest): Promise<string> {
  const page = await inMailbox(desk, (session) => pageOf(session, request));
  const messages = await Promise.all(page.tops.map((top) => entryOf(top, desk)));
  return JSON.stringify({ note: OUTSIDE_NOTE, total: page.total, messages, nextCursor: page.nextCursor });
}

async function pageOf(session: MailboxSession, request: InboxRequest) {
  const to = lastUid(request.cursor, session.uidValidity);
  const unseen = request.unreadOnly ? { unseen: true } : {};
  const uids =
    to === 0 || session.count === 0
      ? []
      : await session.search({ ...unseen, ...(to === null ? {} : { to }) });
  const chosen = uids.slice(-Math.min(request.limit, MAX_MESSAGES)).toReversed();
  const last = chosen.at(-1);
  const more = last !== undefined && chosen.length < uids.length;
  return {
    total: session.count,
    tops: await session.tops(chosen),
    nextCursor: more ? `${session.uidValidity}:${last - 1}` : null,
  };
}

/** UID that the page begins with; null for the newest. */
function lastUid(cursor: string | undefined, uidValidity: string): number | null {
  if (cursor === undefined) return null;
  const [, validity, uid] = /^(\d{1,20}):(\d{1,10})$/.exec(cursor) ?? [];
  if (uid === undefined) throw new Refusal("cursor_refused: Not a cursor of read_inbox.");
  if (validity === uidValidity) return Number(uid);
  throw new Refusal("cursor_stale: The mailbox was set up anew since; read it from the start.");
}

async function entryOf(top: MessageTop, { mask, config }: Desk) {
  const head = await decodeHead(top.header);
  const sign = automaticSign(head, ownAddresses(config));
  return {
    uid: top.uid,
    unread: !top.seen,
    from: senderLines(head.from, 1, mask)[0] ?? "",
    subject: line(head.subject, MAX_SUBJECT_CHARS, mask),
    receivedAt: top.receivedAt === 0 ? null : new Date(top.receivedAt).toISOString(),
    bytes: top.size,
    ...(sign === null ? {} : { automatic: AUTOMATIC_SIGNS[sign] }),
  };
}
