/** A mailbox in memory that a test fills; behaves as far as the Mail tool looks. */
import type { MailboxSession, MessageTop, OpenMailbox } from "../../tools/mail/mailbox.ts";
import type { BodyNode } from "../../tools/mail/structure.ts";

interface Stored {
  readonly uid: number;
  readonly receivedAt: number;
  readonly header: string;
  readonly body: string;
  readonly structure: BodyNode;
  seen: boolean;
}

export interface MemoryMailbox {
  readonly open: OpenMailbox;
  /** Gives back the UID. */
  add(message: { readonly header: string; readonly body?: string; readonly receivedAt?: number }): number;
  remove(uid: number): void;
  /** Gives all messages new UIDs, from `first` on. */
  renumber(first?: number): void;
}

const PLAIN: BodyNode = { type: "text/plain", encoding: "7bit", parameters: { charset: "utf-8" } };

export function memoryMailbox(): MemoryMailbox {
  let validity = 1;
  let next = 1;
  let messages: Stored[] = [];
  const add: MemoryMailbox["add"] = ({ header, body = "Hello.", receivedAt = 0 }) => {
    const uid = next++;
    const structure = { ...PLAIN, size: body.length };
    messages.push({ uid, receivedAt, header, body, structure, seen: false });
    return uid;
  };
  return {
    add,
    remove: (uid) => {
      messages = messages.filter((message) => message.uid !== uid);
    },
    renumber: (first = 1) => {
      validity += 1;
      messages = messages.map((message, index) => ({ ...message, uid: first + index }));
      next = first + messages.length;
    },
    open: async (_access, { signal }, use) => {
      signal.throwIfAborted();
      return use(sessionOf({ uidValidity: String(validity), uidNext: next, messages }));
    },
  };
}

interface Box {
  readonly uidValidity: string;
  readonly uidNext: number;
  readonly messages: readonly Stored[];
}

function sessionOf({ uidValidity, uidNext, messages }: Box): MailboxSession {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const find = (uid: number) => messages.find((message) => message.uid === uid);
  return {
    uidValidity,
    uidNext,
    count: messages.length,
    search: async ({ unseen, from = 1, to = Number.POSITIVE_INFINITY, messageId }) =>
      messages
        .filter(({ uid, seen, header }) => {
          const wanted = messageId === undefined || header.includes(messageId);
          return uid >= from && uid <= to && wanted && !(unseen && seen);
        })
        .map(({ uid }) => uid),
    tops: async (uids) =>
      uids.flatMap((uid): MessageTop[] => {
        const found = find(uid);
        if (found === undefined) return [];
        const { seen, receivedAt, header, body } = found;
        return [{ uid, seen, receivedAt, size: header.length + body.length, header: bytes(header) }];
      }),
    structure: async (uid) => find(uid)?.structure ?? null,
    parts: async (uid, requests) =>
      new Map(
        requests.map(({ part, maxBytes }) => [part, bytes(find(uid)?.body ?? "").subarray(0, maxBytes)]),
      ),
    markSeen: async (uid) => {
      const found = find(uid);
      if (found !== undefined) found.seen = true;
    },
  };
}

/** A header with valid defaults; lines ended by CRLF. */
export function mailHeader(lines: Readonly<Record<string, string>> = {}): string {
  const all = {
    From: "Ann <ann@example.test>",
    To: "bot@example.test",
    Subject: "Question",
    "Message-ID": "<question@example.test>",
    ...lines,
  };
  return Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}
