/** The way of a mail out of the instance, handed in by the Worker. */
import type { OpenEmail } from "../config/email.ts";

/** Addresses are plain ones, texts masked. */
export interface ReplyMail {
  readonly from: { readonly name: string; readonly address: string };
  /** Where answers to it go; null when that is `from`. */
  readonly answersTo: string | null;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** `reason` is a sentence without addresses and secrets. */
export type ReplyOutcome =
  | { readonly ok: true; readonly messageId: string }
  | {
      readonly ok: false;
      /** `refused`: never; `busy`: perhaps later; `unknown`: it may have been sent. */
      readonly code: "refused" | "busy" | "unknown";
      readonly reason: string;
    };

/** One attempt; never rejects. */
export type MailTransport = (email: OpenEmail, mail: ReplyMail, signal: AbortSignal) => Promise<ReplyOutcome>;

export interface MailPort {
  /** With secrets filled in; null when the instance takes no mail, or a secret is not set. */
  readonly open: () => OpenEmail | null;
  readonly send: (email: OpenEmail, mail: ReplyMail) => Promise<ReplyOutcome>;
}
