/** What becomes of a mail, before its content is looked at. Nobody may write unless the config says so. */
import type { OpenEmail } from "../config/email.ts";
import { type Authentication, authenticate } from "./authentication.ts";
import { type ChainClaim, readChain } from "./chain-header.ts";
import { threadOfMark } from "./reply-address.ts";
import { domainOf, isAllowedSender, isOwnAddress, type Route, routeOf } from "./route.ts";

/** What was read from a mail's envelope and header. Addresses are plain ones. */
export interface MailFacts {
  /** The envelope's; null when it is no plain address. */
  readonly recipient: string | null;
  /** The envelope's, as it came; empty or `<>` for mail that wants no answer. */
  readonly envelopeFrom: string;
  /** The one author; null when the mail does not say plainly who that is. */
  readonly author: string | null;
  /** Where its author wants answers; null without a plain wish. */
  readonly replyTo: string | null;
  /** By which sign it is automatic; null when a person may have written it. */
  readonly automatic: string | null;
  /** Authentication-Results, topmost first. */
  readonly results: readonly string[];
  /** The value of the one chain header; null without one. */
  readonly chain: string | null;
}

export type MailRefusal =
  | "unknown_address"
  | "bounce"
  | "bad_from"
  | Extract<Authentication, { ok: false }>["code"]
  | "own_address"
  | "automatic"
  | "sender_not_allowed";

export interface AcceptedMail {
  readonly ok: true;
  readonly agentId: string;
  /** The agent's address, without a mark. */
  readonly address: string;
  readonly sender: string;
  /** The thread of ours that it answers; null when it begins one. */
  readonly threadId: string | null;
  /** Where the answer goes; null when there must be none. */
  readonly replyTo: string | null;
  /** Of a mail that another agent has written; null for a person's. */
  readonly chain: ChainClaim | null;
}

export type MailDecision =
  | AcceptedMail
  | {
      readonly ok: false;
      readonly code: MailRefusal;
      /** For the log. */
      readonly detail: string;
    };

/** `now` in epoch milliseconds. */
export async function decideMail(email: OpenEmail, facts: MailFacts, now: number): Promise<MailDecision> {
  const { recipient, author } = facts;
  const route = recipient === null ? null : routeOf(email, recipient);
  if (recipient === null || route === null) return refuse("unknown_address", recipient ?? "no plain address");
  const threadId = await threadOf(email, route);
  if (threadId === "forged") return refuse("unknown_address", "its mark is not ours");
  // What comes back of our own mail would be answered by what comes back of the answer.
  if (isNull(facts.envelopeFrom)) return refuse("bounce", "its envelope names no sender");
  if (author === null) return refuse("bad_from", "the From line does not name one plain author");
  const known = authenticate(facts.results, { authservId: email.authservId, domain: domainOf(author) });
  if (!known.ok) return refuse(known.code, author);
  const chain = await chainOf(email, { facts, author, recipient, now });
  const refusal = chain === null ? personRefused(email, author, facts) : null;
  if (refusal !== null) return refusal;
  const replyTo = chain === null ? replyToOf(email, author, facts) : chain.reply ? null : author;
  const { agentId, address } = route;
  return { ok: true, agentId, address, sender: author, threadId, replyTo, chain };
}

function refuse(code: MailRefusal, detail: string): MailDecision {
  return { ok: false, code, detail };
}

function isNull(envelopeFrom: string): boolean {
  return envelopeFrom.trim() === "" || envelopeFrom.trim() === "<>";
}

async function threadOf({ signingKey }: OpenEmail, route: Route): Promise<string | null | "forged"> {
  const { agentId, address, mark } = route;
  if (mark === null) return null;
  return (await threadOfMark(signingKey, { agentId, address, mark })) ?? "forged";
}

interface ClaimedMail {
  readonly facts: MailFacts;
  readonly author: string;
  readonly recipient: string;
  readonly now: number;
}

/** A header that does not hold changes nothing: the mail is then like one without it. */
async function chainOf(email: OpenEmail, { facts, author, recipient, now }: ClaimedMail) {
  if (facts.chain === null) return null;
  return readChain(email.signingKey, facts.chain, { from: author, to: recipient, now });
}

function personRefused(email: OpenEmail, author: string, { automatic }: MailFacts): MailDecision | null {
  if (isOwnAddress(email, author)) return refuse("own_address", author);
  if (automatic !== null) return refuse("automatic", `${author}: ${automatic}`);
  return isAllowedSender(email, author) ? null : refuse("sender_not_allowed", author);
}

/** The author's wish counts as far as an answer may go there; never to ourselves. */
function replyToOf(email: OpenEmail, author: string, { replyTo }: MailFacts): string {
  if (replyTo === null || isOwnAddress(email, replyTo)) return author;
  return isAllowedSender(email, replyTo) ? replyTo : author;
}
