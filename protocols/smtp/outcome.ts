/** What came of sending a mail, whichever way it went. */

export interface RejectedRecipient {
  readonly address: string;
  /** What the server said. */
  readonly reason: string;
}

export type SendFailureCode =
  /** Nothing listens there, or there is no such host. */
  | "refused"
  /** No encrypted connection: no STARTTLS, an untrusted certificate or one for another name. */
  | "tls"
  | "auth"
  | "timeout"
  /** The connection broke. */
  | "gone"
  /** The server took neither any recipient nor the message. */
  | "rejected"
  /** The same, for the moment: a mailbox is full, too much was sent, or the server has trouble of its own. */
  | "later"
  | "protocol";

export type SendOutcome =
  | {
      readonly ok: true;
      /** With angle brackets. */
      readonly messageId: string;
      /** At least one. */
      readonly accepted: readonly string[];
      readonly rejected: readonly RejectedRecipient[];
    }
  | {
      readonly ok: false;
      readonly code: SendFailureCode;
      /** A sentence without the full stop. */
      readonly reason: string;
      readonly rejected: readonly RejectedRecipient[];
      /** The whole message was handed over before it failed: nobody can say whether it will arrive. */
      readonly mayHaveBeenSent: boolean;
    };

const MAX_REPLY_CHARS = 300;

/** A server's words in one line of bounded length. */
export function replyText(raw: string): string {
  return raw
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, MAX_REPLY_CHARS);
}
