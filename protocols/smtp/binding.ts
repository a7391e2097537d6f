/** Hands a message to Cloudflare's `send_email` binding instead of a server. */
import type { ComposedMail } from "./compose.ts";
import { type RejectedRecipient, replyText, type SendOutcome } from "./outcome.ts";

/**
 * One call per recipient, since a raw message has one envelope recipient there. Accepted as soon as one was.
 * Rejects with the signal's reason when that aborts before the first.
 */
export async function sendOverBinding(
  binding: SendEmail,
  mail: ComposedMail,
  { signal }: { readonly signal: AbortSignal },
): Promise<SendOutcome> {
  signal.throwIfAborted();
  // A module of the runtime, which does not exist where the unit tests run.
  const { EmailMessage } = await import("cloudflare:email");
  const raw = new TextDecoder().decode(mail.raw);
  const accepted: string[] = [];
  const rejected: RejectedRecipient[] = [];
  for (const address of mail.recipients) {
    if (signal.aborted) {
      rejected.push({ address, reason: "not sent, the call was ended before" });
      continue;
    }
    try {
      await binding.send(new EmailMessage(mail.from, address, raw));
      accepted.push(address);
    } catch (error) {
      rejected.push({ address, reason: replyText(error instanceof Error ? error.message : String(error)) });
    }
  }
  if (accepted.length > 0) return { ok: true, messageId: mail.messageId, accepted, rejected };
  signal.throwIfAborted();
  const reason = `the e-mail binding did not take the mail (${rejected[0]?.reason ?? ""})`;
  return { ok: false, code: "rejected", reason, rejected, mayHaveBeenSent: false };
}
