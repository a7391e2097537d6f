/** What the tool needs of a mailbox; `imap.ts` has it on a server, tests may have it in memory. */
import type { ImapAccess } from "./config.ts";
import type { BodyNode } from "./structure.ts";

/** The top of a message. */
export interface MessageTop {
  readonly uid: number;
  readonly seen: boolean;
  /** Bytes of the whole message. */
  readonly size: number;
  /** When the server got it, in milliseconds; 0 when it does not say. */
  readonly receivedAt: number;
  /** Header lines as they are, at most {@link MAX_HEADER_BYTES} of them. */
  readonly header: Uint8Array;
}

/** Bytes of a message's header that are looked at; what stands below is passed over. */
export const MAX_HEADER_BYTES = 32_000;

export interface MessageQuery {
  readonly unseen?: boolean;
  /** UIDs from this one on. */
  readonly from?: number;
  /** UIDs up to this one. */
  readonly to?: number;
  /** With angle brackets. */
  readonly messageId?: string;
}

export interface PartRequest {
  readonly part: string;
  readonly maxBytes: number;
}

/** The inbox, open. All methods reject with a {@link MailboxError}. */
export interface MailboxSession {
  readonly uidValidity: string;
  /** Above every UID that was given out when the box was opened. */
  readonly uidNext: number;
  readonly count: number;
  /** UIDs in ascending order. */
  search(query: MessageQuery): Promise<readonly number[]>;
  /** Tops of those of the messages that are there, in the order of `uids`. */
  tops(uids: readonly number[]): Promise<readonly MessageTop[]>;
  /** Null when there is no such message. */
  structure(uid: number): Promise<BodyNode | null>;
  /** Beginnings of parts, still in their transfer encoding. Does not mark the message as read. */
  parts(uid: number, requests: readonly PartRequest[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Works only in a box that was opened to write. */
  markSeen(uid: number): Promise<void>;
}

export interface Opening {
  readonly write: boolean;
  /** Aborting closes the connection and rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/** Opens the inbox, lets `use` work in it and closes the connection, whatever happens. */
export type OpenMailbox = <T>(
  access: ImapAccess,
  opening: Opening,
  use: (session: MailboxSession) => Promise<T>,
) => Promise<T>;

export type MailboxErrorCode = "refused" | "tls" | "auth" | "timeout" | "gone" | "protocol";

/** The mailbox could not be used; the message is a sentence that can be shown. */
export class MailboxError extends Error {
  override readonly name = "MailboxError";
  readonly code: MailboxErrorCode;

  constructor(code: MailboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
