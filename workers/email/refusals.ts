/** What a sender is told, in the terms of SMTP (RFC 3463); the log says more. */
import type { MailRefusal } from "../../core/email/decide.ts";

export type Refusal = MailRefusal | "too_large" | "malformed" | "too_often" | "chain_refused";

export const SMTP_WORDS: Readonly<Record<Refusal, string>> = {
  unknown_address: "5.1.1 There is no such address",
  bounce: "5.7.1 Bounces are not taken here",
  bad_from: "5.7.1 The From line must name exactly one author",
  no_results: "5.7.1 The sender could not be authenticated",
  not_authenticated:
    "5.7.1 The sender could not be authenticated: neither SPF, DKIM nor DMARC pass for its domain",
  own_address: "5.7.1 This address does not take mail from itself",
  automatic: "5.7.1 Automatic mail is not taken here",
  sender_not_allowed: "5.7.1 This address does not take mail from you",
  too_large: "5.3.4 The message is too large",
  malformed: "5.6.0 The message cannot be read",
  too_often: "5.7.1 Too many messages within an hour",
  chain_refused: "5.7.1 The work that this message belongs to takes nothing more",
};
