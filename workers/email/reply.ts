/** Brings an answer of ours to its reader: over the platform's binding, or the SMTP account that the config names. */
import type { OpenEmail } from "../../core/config/email.ts";
import type { MailTransport, ReplyMail, ReplyOutcome } from "../../core/email/transport.ts";
import type { Env } from "../../durable-objects/env.ts";
import { normaliseAddress } from "../../protocols/smtp/address.ts";
import { sendOverBinding } from "../../protocols/smtp/binding.ts";
import { type ComposedMail, composeMail } from "../../protocols/smtp/compose.ts";
import { headerLine } from "../../protocols/smtp/header-text.ts";
import type { SendFailureCode, SendOutcome } from "../../protocols/smtp/outcome.ts";
import { SMTP_PORTS, securityAt } from "../../protocols/smtp/ports.ts";
import { sendOverSmtp } from "../../protocols/smtp/send.ts";

const NAME_CHARS = 100;

export function mailTransport(env: Pick<Env, "EMAIL">): MailTransport {
  return async (email, mail, signal) => {
    const composed = await compose(mail);
    if (!composed.ok)
      return { ok: false, code: "refused", reason: `It makes no valid mail: ${composed.reason}.` };
    try {
      return outcomeOf(await hand(composed.mail, email, { env, signal }));
    } catch {
      // Only the signal ends an attempt so, and nobody knows how far it had come.
      return { ok: false, code: "unknown", reason: "Sending took too long." };
    }
  };
}

function compose(mail: ReplyMail) {
  const { from, answersTo, to, subject, text, inReplyTo, references, headers } = mail;
  return composeMail({
    from: {
      name: headerLine(from.name, NAME_CHARS),
      // The config may spell its domain in capitals.
      address: normaliseAddress(from.address) ?? from.address,
    },
    ...(answersTo === null ? {} : { replyTo: { name: "", address: answersTo } }),
    to: [{ name: "", address: to }],
    subject,
    text,
    ...(inReplyTo === null ? {} : { inReplyTo }),
    references,
    headers,
    autoSubmitted: "auto-replied",
    date: new Date(),
  });
}

interface Way {
  readonly env: Pick<Env, "EMAIL">;
  readonly signal: AbortSignal;
}

/** Null when there is no way out. */
async function hand(
  mail: ComposedMail,
  { smtp }: OpenEmail,
  { env, signal }: Way,
): Promise<SendOutcome | null> {
  if (smtp === undefined)
    return env.EMAIL === undefined ? null : sendOverBinding(env.EMAIL, mail, { signal });
  const { host, security, username, password } = smtp;
  const port = smtp.port ?? SMTP_PORTS[security];
  const auth = username === undefined || password === undefined ? {} : { auth: { username, password } };
  return sendOverSmtp({ host, port, security: securityAt(security, port), ...auth }, mail, { signal });
}

function outcomeOf(outcome: SendOutcome | null): ReplyOutcome {
  if (outcome === null)
    return { ok: false, code: "refused", reason: "The Worker has no send_email binding named EMAIL." };
  if (outcome.ok) return { ok: true, messageId: outcome.messageId };
  const reason = SAID[outcome.code];
  if (outcome.mayHaveBeenSent) return { ok: false, code: "unknown", reason };
  return { ok: false, code: LATER.includes(outcome.code) ? "busy" : "refused", reason };
}

/** What may be otherwise in an hour. */
const LATER: readonly SendFailureCode[] = ["refused", "timeout", "gone", "later", "protocol"];

/** A server's own words name hosts and people, which a notice need not. */
const SAID: Readonly<Record<SendFailureCode, string>> = {
  refused: "The mail server cannot be reached.",
  tls: "The mail server offers no encryption that can be trusted.",
  auth: "The mail server did not accept the login.",
  timeout: "The mail server took too long.",
  gone: "The connection to the mail server broke.",
  rejected: "The mail server did not take the mail.",
  later: "The mail server did not take the mail at the moment.",
  protocol: "The mail server answered what nobody understands.",
};
