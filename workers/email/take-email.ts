/**
 * The door for e-mail. What is refused is refused for good, in the terms of SMTP; what throws is trouble of ours, and
 * the sending server comes again later. A mail is taken when its agent's object has written it down.
 */
import type { OpenEmail } from "../../core/config/email.ts";
import type { InstanceConfig } from "../../core/config/instance.ts";
import { type AcceptedMail, decideMail } from "../../core/email/decide.ts";
import { openEmail } from "../../core/email/open-email.ts";
import { threadIdOf } from "../../core/email/reply-address.ts";
import { domainOf } from "../../core/email/route.ts";
import type { MailDelivery, MailTaken } from "../../core/email/take-mail.ts";
import { sha256Hex } from "../../core/sha256.ts";
import { again } from "../../durable-objects/again.ts";
import type { Env } from "../../durable-objects/env.ts";
import { type Header, onlyValue, readHeaders } from "../../protocols/smtp/headers.ts";
import { instanceOf, readAgent, restoreAgent } from "../config-store.ts";
import { workerLog } from "../log.ts";
import { agentStub, hubStub } from "../objects.ts";
import { knownScrubber } from "../wiring.ts";
import { keepAttachments } from "./attachments.ts";
import { factsOf, type ReadMail, readMail } from "./read-mail.ts";
import { type Refusal, SMTP_WORDS } from "./refusals.ts";

export type IncomingMail = Pick<ForwardableEmailMessage, "from" | "to" | "raw" | "rawSize" | "setReject">;

/** Rejects with trouble that may be over later: the platform then answers with a temporary failure. */
export async function takeEmail(message: IncomingMail, env: Env): Promise<void> {
  const directory = await again(() => hubStub(env).directory());
  const instance = instanceOf(directory);
  const agentIds = directory.agents.map(({ agentId }) => agentId);
  const log = workerLog(env, instance.plainVars);
  const { scrub: mask } = knownScrubber(env, instance.plainVars);
  const outcome = await taken(message, { env, instance, agentIds, mask });
  const mail = `A mail to ${shown(addressOf(message), mask)}`;
  if ("runId" in outcome) {
    const before = outcome.repeated ? ", which came before," : "";
    return log.info(`${mail}${before} is run ${outcome.runId}`);
  }
  log.warn(`${mail} was refused (${outcome.code}): ${shown(outcome.detail, mask)}`);
  message.setReject(SMTP_WORDS[outcome.code]);
}

type Outcome =
  | { readonly runId: string; readonly repeated: boolean }
  | { readonly code: Refusal; readonly detail: string };

interface Place {
  readonly env: Env;
  readonly instance: InstanceConfig;
  /** Who works here now. */
  readonly agentIds: readonly string[];
  /** Takes the secrets out of a text. */
  readonly mask: (text: string) => string;
}

async function taken(message: IncomingMail, place: Place): Promise<Outcome> {
  const email = emailOf(place);
  if (email === null) return { code: "unknown_address", detail: "the instance takes no mail" };
  const raw = await readBounded(message, email.maxBytes);
  if (raw === null) return { code: "too_large", detail: `over ${email.maxBytes} bytes` };
  const section = readHeaders(raw);
  if (!section.ok) return { code: section.code, detail: "its header" };
  const decision = await decideMail(email, factsOf(message, section.headers), Date.now());
  if (!decision.ok) return decision;
  if (!place.agentIds.includes(decision.agentId))
    return { code: "unknown_address", detail: `${decision.agentId} does not work here` };
  const writer = decision.chain?.agentId ?? null;
  if (writer !== null && !place.agentIds.includes(writer))
    return { code: "sender_not_allowed", detail: `${writer} does not work here any more` };
  const read = await readMail(raw, section.headers, place.mask);
  if (read === null) return { code: "malformed", detail: `of ${decision.sender}` };
  const mail = await deliveryOf({ email, decision, read, headers: section.headers });
  return outcomeOf(await hand(place, { mail, read, agentId: decision.agentId }), decision);
}

/** Null when no mail is taken. Throws when a secret is not set: that is no fault of the sender. */
function emailOf({ env, instance }: Place): OpenEmail | null {
  if (instance.email === undefined) return null;
  const opened = openEmail(instance.email, { ...env });
  if (!opened.ok) throw new Error(opened.reason);
  return opened.email;
}

/** Null when there is more; no more than that is read. */
async function readBounded({ raw, rawSize }: IncomingMail, maxBytes: number): Promise<Uint8Array | null> {
  if (rawSize > maxBytes) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of raw) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

interface Decided {
  readonly email: OpenEmail;
  readonly decision: AcceptedMail;
  readonly read: ReadMail;
  readonly headers: readonly Header[];
}

async function deliveryOf({ email, decision, read, headers }: Decided): Promise<MailDelivery> {
  const { agentId, address, sender, replyTo, chain } = decision;
  const { thread, subject, text } = read;
  const named = chain === null ? ["mail", sender, nameOf(read, headers)] : ["chain", chain.id];
  const mark = await sha256Hex(JSON.stringify(named));
  const start = { agentId, domain: domainOf(sender), root: thread?.root ?? mark };
  const threadId = decision.threadId ?? (await threadIdOf(email.signingKey, start));
  const letter = {
    address,
    to: replyTo ?? "",
    subject: read.replySubject,
    inReplyTo: thread?.inReplyTo ?? null,
    references: thread?.references ?? [],
  };
  return {
    mark,
    threadId,
    from: sender,
    fromName: read.authorName,
    to: address,
    subject,
    text,
    kept: [],
    leftOut: [],
    answer: replyTo === null ? null : letter,
    chain,
  };
}

/** The Message-ID, by which servers that deliver twice are known; else what the mail says. */
function nameOf({ thread, subject, text }: ReadMail, headers: readonly Header[]): string {
  return thread?.inReplyTo ?? JSON.stringify([onlyValue(headers, "date"), subject, text]);
}

type AgentStub = ReturnType<typeof agentStub>;

/** An object that has lost its documents gets them back. */
async function ask<T extends MailTaken | null>(
  env: Env,
  agentId: string,
  call: (stub: AgentStub) => Promise<T>,
): Promise<T> {
  const asked = () => again(() => call(agentStub(env, agentId)));
  const result = await asked();
  const lost = result !== null && !result.ok && result.code === "not_configured";
  return lost && (await restoreAgent(env, agentId)) ? asked() : result;
}

interface Handed {
  readonly mail: MailDelivery;
  readonly read: ReadMail;
  readonly agentId: string;
}

/** Files are kept first, so that they are there when the run begins, and only of mail that is likely to be taken. */
async function hand({ env, instance }: Place, { mail, read, agentId }: Handed): Promise<MailTaken> {
  const take = (whole: MailDelivery) =>
    ask(env, agentId, async (stub): Promise<MailTaken> => stub.takeMail(whole));
  if (read.attachments.length === 0) return take(mail);
  const { mark, threadId, from } = mail;
  const known = await ask(
    env,
    agentId,
    async (stub): Promise<MailTaken | null> => stub.refusedMail({ mark, threadId, from }),
  );
  if (known !== null) return known;
  const agent = await readAgent(env, agentId);
  const folder = `mail/${mail.mark.slice(0, 16)}`;
  const files = await keepAttachments(env, read.attachments, { agent, instance, folder });
  return take({ ...mail, ...files });
}

function outcomeOf(result: MailTaken, { agentId, sender }: AcceptedMail): Outcome {
  if (result.ok) return { runId: result.runId, repeated: result.repeated };
  const { code, reason } = result;
  if (code === "too_often" || code === "chain_refused") return { code, detail: `${sender}: ${reason}` };
  throw new Error(`The agent ${agentId} takes no mail at the moment: ${reason}`);
}

/** Without its mark, which is as good as a key to the thread. */
function addressOf({ to }: IncomingMail): string {
  return to.replace(/\+[^@]*@/, "+...@");
}

const SHOWN_CHARS = 200;

/** For a line of the log; it was chosen outside. */
function shown(text: string, mask: Place["mask"]): string {
  return JSON.stringify(mask(text).slice(0, SHOWN_CHARS).toWellFormed());
}
