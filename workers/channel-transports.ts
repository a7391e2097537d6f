/** Joins the channels of the instance to the protocols that they speak. */
import type { Attempt, ChannelTransports, Delivery } from "../core/channels/channel.ts";
import type { Env } from "../durable-objects/env.ts";
import { parseMailboxes } from "../protocols/smtp/address.ts";
import { sendOverBinding } from "../protocols/smtp/binding.ts";
import { type ComposedMail, composeMail } from "../protocols/smtp/compose.ts";
import { headerLine } from "../protocols/smtp/header-text.ts";
import type { SendFailureCode, SendOutcome } from "../protocols/smtp/outcome.ts";
import { SMTP_PORTS, securityAt } from "../protocols/smtp/ports.ts";
import { sendOverSmtp } from "../protocols/smtp/send.ts";
import { sendText } from "../protocols/telegram/send.ts";

export function channelTransports(env: Pick<Env, "EMAIL">): ChannelTransports {
  return { telegram: overTelegram, email: (attempt) => byEmail(attempt, env) };
}

/** A wait that Telegram asks for is the business of whoever tries again. */
async function overTelegram({ channel, message, fetch, signal }: Attempt<"telegram">): Promise<Delivery> {
  const { botToken: token, apiBaseUrl, chatId } = channel;
  const title = message.title === undefined ? "" : `**${message.title}**\n\n`;
  const result = await sendText(
    { token, apiBaseUrl, fetch, signal },
    { chatId, text: title + message.text, maxWaitSeconds: 0, sleep: () => Promise.resolve() },
  );
  const { failure } = result;
  if (failure === null) return { ok: true };
  if (result.sent > 0)
    return {
      ok: false,
      code: "unknown",
      reason: `Only the first ${result.sent} parts of the message arrived.`,
    };
  const { reason } = failure;
  if (failure.code === "rate_limited")
    return { ok: false, code: "busy", reason, retryAfter: failure.retryAfter };
  return { ok: false, code: failure.code === "unknown" ? "unknown" : "refused", reason };
}

type EmailChannel = Attempt<"email">["channel"];

async function byEmail(
  { channel, message, signal }: Attempt<"email">,
  env: Pick<Env, "EMAIL">,
): Promise<Delivery> {
  const addresses = parseMailboxes([channel.from ?? channel.username ?? "", ...channel.to].join(", "));
  const [from, ...to] = addresses.ok ? addresses.mailboxes : [];
  if (from === undefined)
    return { ok: false, code: "not_configured", reason: "An address of the channel is wrong." };
  const subject = headerLine(message.title ?? message.text, SUBJECT_CHARS);
  const composed = await composeMail({ from, to, subject, text: message.text, date: new Date() });
  if (!composed.ok) return { ok: false, code: "refused", reason: `${sentence(composed.reason)}` };
  return deliveryOf(await hand(composed.mail, channel, { env, signal }));
}

interface Way {
  readonly env: Pick<Env, "EMAIL">;
  readonly signal: AbortSignal;
}

async function hand(
  mail: ComposedMail,
  channel: EmailChannel,
  { env, signal }: Way,
): Promise<SendOutcome | null> {
  const { smtpHost: host, security, username, password } = channel;
  if (host === undefined)
    return env.EMAIL === undefined ? null : sendOverBinding(env.EMAIL, mail, { signal });
  const port = channel.smtpPort ?? SMTP_PORTS[security];
  const auth = username === undefined || password === undefined ? {} : { auth: { username, password } };
  return sendOverSmtp({ host, port, security: securityAt(security, port), ...auth }, mail, { signal });
}

function deliveryOf(outcome: SendOutcome | null): Delivery {
  if (outcome === null)
    return { ok: false, code: "not_configured", reason: "The Worker has no send_email binding named EMAIL." };
  if (outcome.ok) return { ok: true };
  const reason = SAID[outcome.code];
  if (outcome.mayHaveBeenSent) return { ok: false, code: "unknown", reason };
  return { ok: false, code: outcome.code === "rejected" ? "refused" : "busy", reason };
}

/** A server's own words name hosts and people, which whoever uses the channel need not know. */
const SAID: Readonly<Record<SendFailureCode, string>> = {
  refused: "The channel's mail server cannot be reached.",
  tls: "The channel's mail server offers no encryption that can be trusted.",
  auth: "The channel's mail server did not accept the login.",
  timeout: "The channel's mail server took too long.",
  gone: "The connection to the channel's mail server broke.",
  rejected: "The channel's mail server refused the mail.",
  later: "The channel's mail server does not take the mail at the moment.",
  protocol: "The channel's mail server answered what nobody understands.",
};

const SUBJECT_CHARS = 200;

function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
