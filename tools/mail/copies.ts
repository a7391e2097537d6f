/**
 * One mail as the messages that it goes out as. An agent of ours gets a copy of its own, with the header that carries
 * its chain; everybody else one without: that header names runs, and would open our door to whoever has it.
 */
import {
  type ComposedMail,
  composeMail,
  type ExtraHeader,
  type OutgoingMail,
} from "../../protocols/smtp/compose.ts";
import type { RejectedRecipient, SendOutcome } from "../../protocols/smtp/outcome.ts";
import { type Desk, Refusal } from "./desk.ts";

export interface Copies {
  readonly mail: OutgoingMail;
  /** For everybody, without the header. */
  readonly whole: ComposedMail;
  readonly people: readonly string[];
  readonly agents: readonly { readonly address: string; readonly header: ExtraHeader }[];
}

/** Who gets which. Rejects with a {@link Refusal} when one must not get it, or when it makes no mail. */
export async function copiesOf(desk: Desk, mail: OutgoingMail): Promise<Copies> {
  const result = await composeMail(mail);
  if (!result.ok) throw new Refusal(`${result.code}: ${result.reason}. Nothing was sent.`);
  const people: string[] = [];
  const agents: { address: string; header: ExtraHeader }[] = [];
  for (const address of result.mail.recipients) {
    const stamped = await desk.mailHeader({ from: mail.from.address, to: address });
    if (!stamped.ok) throw new Refusal(`${stamped.code}: ${stamped.reason}. Nothing was sent.`);
    if (stamped.header === null) people.push(address);
    else agents.push({ address, header: stamped.header });
  }
  return { mail, whole: result.mail, people, agents };
}

interface Handed {
  readonly recipients: readonly string[];
  readonly outcome: SendOutcome;
}

/** To people first, then one copy after the other, all under one Message-ID. What came of all of them. */
export async function deliverCopies(desk: Desk, copies: Copies): Promise<SendOutcome> {
  const { mail, whole, people, agents } = copies;
  const handed = people.length === 0 ? [] : [await handOver(desk, { ...whole, recipients: people })];
  for (const { address, header } of agents) {
    // Made one by one: together they may be far more than there is room for.
    const copy = await composeMail({ ...mail, headers: [header], messageId: whole.messageId });
    const recipients = [address];
    handed.push(
      copy.ok
        ? await handOver(desk, { ...copy.mail, recipients })
        : { recipients, outcome: { ...NOT_MADE, reason: copy.reason } },
    );
  }
  return joined(handed);
}

const NOT_MADE = { ok: false, code: "rejected", rejected: [], mayHaveBeenSent: false } as const;

async function handOver(desk: Desk, copy: ComposedMail): Promise<Handed> {
  return { recipients: copy.recipients, outcome: await desk.deliver(desk.config, copy, desk.signal) };
}

function joined(handed: readonly Handed[]): SendOutcome {
  const outcomes = handed.map(({ outcome }) => outcome);
  const accepted = outcomes.flatMap((outcome) => (outcome.ok ? outcome.accepted : []));
  const taken = outcomes.find((outcome) => outcome.ok);
  if (taken?.ok === true) return { ...taken, accepted, rejected: handed.flatMap(missedBy) };
  const failures = outcomes.filter((outcome) => !outcome.ok);
  const failure = failures.find(({ mayHaveBeenSent }) => mayHaveBeenSent) ?? failures[0];
  if (failure === undefined) throw new Error("There was nobody to send it to");
  return { ...failure, rejected: failures.flatMap(({ rejected }) => rejected) };
}

/** Who did not get it while others did, each with a reason. */
function missedBy({ recipients, outcome }: Handed): readonly RejectedRecipient[] {
  if (outcome.ok || outcome.rejected.length > 0) return outcome.rejected;
  const { reason, mayHaveBeenSent } = outcome;
  const said = mayHaveBeenSent ? `${reason}; it may have been sent all the same` : reason;
  return recipients.map((address) => ({ address, reason: said }));
}
