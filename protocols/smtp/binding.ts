/** Hands a message to Cloudflare's `send_email` binding instead of a server. */
import { z } from "zod";
import type { ComposedMail } from "./compose.ts";
import { isMessageId } from "./header-text.ts";
import { type RejectedRecipient, replyText, type SendFailureCode, type SendOutcome } from "./outcome.ts";

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
  const ids: string[] = [];
  const rejected: RejectedRecipient[] = [];
  const codes: Failure["code"][] = [];
  for (const address of mail.recipients) {
    if (signal.aborted) {
      rejected.push({ address, reason: "not sent, the call was ended before" });
      continue;
    }
    try {
      const { messageId } = await binding.send(new EmailMessage(mail.from, address, raw));
      accepted.push(address);
      // The platform may have given it another one, by which its answers will name it.
      ids.push(messageIdOf(messageId) ?? mail.messageId);
    } catch (error) {
      const { code, reason } = failureOf(error);
      codes.push(code);
      rejected.push({ address, reason });
    }
  }
  if (accepted.length > 0) return { ok: true, messageId: ids[0] ?? mail.messageId, accepted, rejected };
  signal.throwIfAborted();
  const said = rejected[0]?.reason ?? "";
  // One of whom nobody knows is enough for not sending again, one who may take it later for not giving up.
  const code = codes.find((each) => each === "protocol") ?? codes.find((each) => each === "later");
  const reason =
    code === "protocol" ? "the e-mail binding failed" : "the e-mail binding did not take the mail";
  return {
    ok: false,
    code: code ?? "rejected",
    reason: `${reason} (${said})`,
    rejected,
    mayHaveBeenSent: code === "protocol",
  };
}

interface Failure {
  readonly code: Extract<SendFailureCode, "rejected" | "later" | "protocol">;
  readonly reason: string;
}

/** Of what the platform refuses before it has sent anything, these may be otherwise in an hour, or tomorrow. */
const LATER: readonly string[] = [
  "E_RATE_LIMIT_EXCEEDED",
  "E_DAILY_LIMIT_EXCEEDED",
  "E_INTERNAL_SERVER_ERROR",
];

const bindingError = z.object({ code: z.string().startsWith("E_") });

/** An error without a code is none of the platform's refusals: the call broke, and nobody knows how far it had come. */
function failureOf(error: unknown): Failure {
  const known = bindingError.safeParse(error);
  const reason = replyText(error instanceof Error ? error.message : String(error));
  if (!known.success) return { code: "protocol", reason };
  return { code: LATER.includes(known.data.code) ? "later" : "rejected", reason };
}

/** With its angle brackets, whether they are told or not; null for what is none. */
function messageIdOf(told: unknown): string | null {
  if (typeof told !== "string") return null;
  const id = told.startsWith("<") ? told : `<${told}>`;
  return isMessageId(id) ? id : null;
}
