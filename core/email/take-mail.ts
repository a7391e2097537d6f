/**
 * A mail on the side of the agent's object: taken once, however often it is delivered. With it are written the run,
 * what is to be answered, and the row of the record when another agent wrote it: all of that or nothing.
 */
import { acceptRun } from "../agent/agent.ts";
import type { Admission } from "../chain/budget.ts";
import type { Member } from "../chain/members.ts";
import type { EmailConfig } from "../config/email.ts";
import { agentIdOf, type World } from "../engine/world.ts";
import { putOutbox } from "../journal/outbox.ts";
import type { NewRun } from "../journal/runs.ts";
import { rootLineage } from "../lineage.ts";
import type { MessageStatus } from "../record/rows.ts";
import type { ChainClaim } from "./chain-header.ts";
import { mailRow } from "./mail-row.ts";
import { insertReply, type Letter } from "./replies.ts";
import { domainOf } from "./route.ts";
import { rememberMail, takenLately, takenMail } from "./taken-mail.ts";
import { type MailContent, mailMessage, recordedMail } from "./texts.ts";

export interface MailDelivery extends MailContent {
  /** The same for the same mail, whoever hands it in again. */
  readonly mark: string;
  readonly threadId: string;
  /** Null when it must not be answered. */
  readonly answer: Letter | null;
  readonly chain: ChainClaim | null;
}

export type MailTaken =
  | { readonly ok: true; readonly runId: string; readonly repeated: boolean }
  | {
      readonly ok: false;
      /** The last three may be otherwise a while later. */
      readonly code: "too_often" | "chain_refused" | "chain_frozen" | "queue_full" | "not_configured";
      readonly reason: string;
    };

type Sent = Pick<MailDelivery, "threadId" | "from">;

/** What can be said of a mail before its attachments are kept; null when it may be delivered. */
export function refusedMail(world: World, mail: Sent & Pick<MailDelivery, "mark">): MailTaken | null {
  const known = takenMail(world.db, mail.mark);
  if (known?.state === "taken") return { ok: true, runId: known.runId, repeated: true };
  if (known?.state === "refused") return chainRefused("its chain takes nothing more");
  const email = world.documents()?.instance.email;
  if (email === undefined) return { ok: false, code: "not_configured", reason: "this agent takes no mail" };
  if (known !== null) return null;
  return tooOften(world, mail, email);
}

/** The domain counts as well: that is all that is known for sure of who has sent it. */
function tooOften(world: World, mail: Sent, email: EmailConfig): MailTaken | null {
  const { ofSender, ofDomain, inThread } = takenLately(world.db, sourceOf(world, mail), world.now());
  const of =
    inThread >= email.maxPerThread
      ? `${inThread} mails of this thread`
      : ofSender >= email.maxPerSender
        ? `${ofSender} mails of this sender`
        : ofDomain >= email.maxPerDomain
          ? `${ofDomain} mails of this sender's domain`
          : null;
  return of === null ? null : { ok: false, code: "too_often", reason: `${of} within an hour` };
}

/** Rejects when the chain's object cannot be reached; the mail server then tries again, and nothing is lost. */
export async function takeMail(world: World, mail: MailDelivery): Promise<MailTaken> {
  const refused = refusedMail(world, mail);
  if (refused !== null) return refused;
  const runId = takenMail(world.db, mail.mark)?.runId ?? world.newRunId(world.objectName);
  if (mail.chain === null) return accept(world, mail, newRun(world, mail, runId));
  const chained = { mail, runId, claim: mail.chain };
  world.db.transaction(() => remember(world, chained, "reserved"));
  const admitted = await admit(world, chained);
  const meanwhile = refusedMail(world, mail);
  if (meanwhile !== null) return meanwhile;
  if (!admitted.ok) return deny(world, chained, admitted);
  const taken = accept(world, mail, newRun(world, mail, runId));
  if (!taken.ok) await world.chain(mail.chain.rootRunId).remove(runId);
  return taken;
}

type Refused = Extract<Admission, { ok: false }>;

interface ChainedMail {
  readonly mail: MailDelivery;
  readonly runId: string;
  readonly claim: ChainClaim;
}

function admit(world: World, { runId, claim, mail }: ChainedMail) {
  const { rootRunId, runId: parentRunId, depth } = claim;
  const member: Member = {
    runId,
    agentId: agentIdOf(world),
    parentRunId,
    depth: depth + 1,
    trigger: "email",
  };
  const limits = world.documents()?.instance.perChain;
  if (limits === undefined) throw new Error(`${mail.to} takes no mail`);
  return world.chain(rootRunId).admit(member, limits, null);
}

/** What a person can release stays with its server; the others are over. */
function deny(world: World, chained: ChainedMail, { code, reason }: Refused): MailTaken {
  if (code === "frozen") return { ok: false, code: "chain_frozen", reason };
  world.db.transaction(() => {
    remember(world, chained, "refused");
    record(world, chained, "denied");
  });
  world.outboxFilled();
  return chainRefused(reason);
}

function chainRefused(reason: string): MailTaken {
  return { ok: false, code: "chain_refused", reason };
}

function accept(world: World, mail: MailDelivery, run: NewRun): MailTaken {
  const { runId } = run;
  const taken = { mail, runId };
  const accepted = acceptRun(world, run, () => {
    remember(world, taken, "taken");
    if (mail.answer !== null)
      insertReply(world.db, {
        runId,
        threadId: mail.threadId,
        letter: scrubbed(world, mail.answer),
        now: world.now(),
      });
    if (mail.chain !== null) record(world, { ...taken, claim: mail.chain }, "delivered");
  });
  if (!accepted.ok)
    return {
      ok: false,
      code: accepted.code === "queue_full" ? "queue_full" : "not_configured",
      reason: accepted.reason,
    };
  if (mail.chain !== null) world.outboxFilled();
  return { ok: true, runId, repeated: false };
}

function remember(
  world: World,
  { mail, runId }: Pick<ChainedMail, "mail" | "runId">,
  state: "reserved" | "taken" | "refused",
): void {
  const { mark } = mail;
  rememberMail(world.db, { mark, ...sourceOf(world, mail), runId, state, now: world.now() });
}

function newRun(world: World, mail: MailDelivery, runId: string): NewRun {
  const { chain, answer } = mail;
  const told = { colleague: chain?.agentId ?? null, replyTo: answer?.to ?? null };
  return {
    runId,
    trigger: "email",
    lane: "conversation",
    priority: 0,
    // A mail from outside begins a chain of its own.
    lineage:
      chain === null
        ? rootLineage(runId)
        : { runId, parentRunId: chain.runId, rootRunId: chain.rootRunId, depth: chain.depth + 1, path: [] },
    input: mailMessage(mail, told, (value) => world.scrubber.scrubJson(value)),
    maxSteps: null,
    deadlineAt: null,
    taskId: null,
  };
}

/** It carries the sending run's lineage. */
function record(world: World, { mail, claim }: ChainedMail, status: MessageStatus): void {
  const content = world.scrubber.scrub(recordedMail(mail));
  const row = mailRow(claim, { agentId: agentIdOf(world), content, status, now: world.now() });
  if (row !== null) putOutbox(world.db, { kind: "messages", row }, row.uid);
}

function sourceOf({ scrubber }: World, { from, threadId }: Sent) {
  const sender = scrubber.scrub(from.toLowerCase());
  return { sender, domain: scrubber.scrub(domainOf(from)), threadId };
}

/** The address stays: it is needed as it is, and an allowed one. */
function scrubbed(world: World, letter: Letter): Letter {
  const { scrub } = world.scrubber;
  return {
    ...letter,
    subject: scrub(letter.subject),
    inReplyTo: letter.inReplyTo === null ? null : unmasked(letter.inReplyTo, scrub),
    references: letter.references.filter((id) => unmasked(id, scrub) !== null),
  };
}

/** An id that holds a secret is left out: masked it would name nothing. */
function unmasked(id: string, scrub: (text: string) => string): string | null {
  return scrub(id) === id ? id : null;
}
