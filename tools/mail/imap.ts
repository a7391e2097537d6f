/** The inbox on an IMAP server, by imapflow. */
import type { FetchMessageObject, ImapFlow, SearchObject } from "imapflow";
import { bounded } from "../../protocols/smtp/bounded.ts";
import type { ImapAccess } from "./config.ts";
import { type ImapStage, mailboxError } from "./imap-failure.ts";
import { workerTransport } from "./imap-transport.ts";
import {
  MAX_HEADER_BYTES,
  type MailboxSession,
  type MessageQuery,
  type MessageTop,
  type OpenMailbox,
} from "./mailbox.ts";

/** Milliseconds; the whole of a call, and of a tick. */
const LIMITS = {
  connect: 10_000,
  greeting: 10_000,
  silence: 15_000,
  total: 50_000,
  farewell: 1_000,
} as const;
/** Bytes and tokens of one answer: no server may fill the memory of an isolate. */
const MAX_ANSWER_BYTES = 8_000_000;
const MAX_ANSWER_TOKENS = 100_000;

export const openImapMailbox: OpenMailbox = async (access, { write, signal }, use) => {
  const stage: ImapStage = { transport: "connecting", socketError: null };
  try {
    return await bounded({ signal, totalMs: LIMITS.total }, async (onEnd) => {
      const client = await createClient(access, stage);
      onEnd(() => client.close());
      await client.connect();
      const box = await client.mailboxOpen("INBOX", { readOnly: !write });
      const result = await use(sessionOf(client, box));
      await sayGoodbye(client);
      return result;
    });
  } catch (error) {
    signal.throwIfAborted();
    throw mailboxError(error, access, stage);
  }
};

async function createClient(access: ImapAccess, stage: ImapStage): Promise<ImapFlow> {
  // Loaded when it is needed: it is the largest of the drivers, and most isolates never read a mail.
  const { ImapFlow } = await import("imapflow");
  const client = new ImapFlow({
    host: access.host,
    port: access.port,
    secure: access.security === "tls",
    ...(access.security === "tls" ? {} : { doSTARTTLS: access.security === "starttls" }),
    auth: { user: access.username, pass: access.password },
    logger: false,
    disableAutoIdle: true,
    // Parts come in their transfer encoding, the same from every server.
    disableBinary: true,
    connectionTimeout: LIMITS.connect,
    greetingTimeout: LIMITS.greeting,
    socketTimeout: LIMITS.silence,
    maxLiteralSize: MAX_ANSWER_BYTES,
    maxLineLength: MAX_ANSWER_BYTES,
    maxResponseSize: 2 * MAX_ANSWER_BYTES,
    maxResponseTokens: MAX_ANSWER_TOKENS,
    transport: await workerTransport((transport) => {
      stage.transport = transport;
    }),
  });
  // The socket's own errors are events; without a listener they would be thrown at nobody.
  client.on("error", (error) => {
    stage.socketError = error;
  });
  return client;
}

/** The server is told, and not waited for longer than manners demand. */
async function sayGoodbye(client: ImapFlow): Promise<void> {
  const { promise: tired, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, LIMITS.farewell);
  await Promise.race([client.logout().catch(() => {}), tired]);
  clearTimeout(timer);
}

interface OpenBox {
  readonly uidValidity: bigint;
  readonly uidNext: number;
  readonly exists: number;
}

function sessionOf(client: ImapFlow, box: OpenBox): MailboxSession {
  return {
    uidValidity: box.uidValidity.toString(),
    uidNext: box.uidNext,
    count: box.exists,
    search: (query) => search(client, query),
    tops: (uids) => tops(client, uids),
    structure: async (uid) => {
      const found = await client.fetchOne(uid, { uid: true, bodyStructure: true }, { uid: true });
      return found === false ? null : (found.bodyStructure ?? null);
    },
    parts: async (uid, requests) => {
      const bodyParts = requests.map(({ part, maxBytes }) => ({ key: part, start: 0, maxLength: maxBytes }));
      const found = await client.fetchOne(uid, { uid: true, bodyParts }, { uid: true });
      return found === false ? new Map() : (found.bodyParts ?? new Map());
    },
    markSeen: async (uid) => {
      await client.messageFlagsAdd(uid, ["\\Seen"], { uid: true });
    },
  };
}

async function search(
  client: ImapFlow,
  { unseen, from = 1, to, messageId }: MessageQuery,
): Promise<readonly number[]> {
  const query: SearchObject = {
    uid: `${from}:${to ?? "*"}`,
    ...(unseen ? { seen: false } : {}),
    ...(messageId === undefined ? {} : { header: { "message-id": messageId } }),
  };
  const found = (await client.search(query, { uid: true })) || [];
  // `from:*` names the last message also when its UID is below.
  return found.filter((uid) => uid >= from).sort((a, b) => a - b);
}

async function tops(client: ImapFlow, uids: readonly number[]): Promise<readonly MessageTop[]> {
  if (uids.length === 0) return [];
  const bodyParts = [{ key: "HEADER", start: 0, maxLength: MAX_HEADER_BYTES }];
  const query = { uid: true, flags: true, size: true, internalDate: true, bodyParts };
  const found = new Map<number, MessageTop>();
  for (const message of await client.fetchAll([...uids].join(","), query, { uid: true })) {
    found.set(message.uid, topOf(message));
  }
  return uids.flatMap((uid) => found.get(uid) ?? []);
}

function topOf({ uid, flags, size = 0, internalDate, headers }: FetchMessageObject): MessageTop {
  const received = internalDate === undefined ? 0 : new Date(internalDate).getTime();
  return {
    uid,
    size,
    seen: flags?.has("\\Seen") ?? false,
    receivedAt: Number.isFinite(received) ? received : 0,
    header: headers ?? new Uint8Array(),
  };
}
