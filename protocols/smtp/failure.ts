/** Sorts what the mail library and the runtime throw. */
import { z } from "zod";
import { TimeIsUp } from "./bounded.ts";
import { type RejectedRecipient, replyText, type SendFailureCode, type SendOutcome } from "./outcome.ts";
import type { SmtpServer } from "./send.ts";
import { NotConnected } from "./socket.ts";

interface Progress {
  readonly server: SmtpServer;
  readonly connected: boolean;
  /** The handshake of TLS was under way. */
  readonly upgrading: boolean;
  readonly handedOver: boolean;
}

const libraryError = z.object({
  code: z.string().optional().catch(undefined),
  message: z.string().catch(""),
  response: z.string().optional().catch(undefined),
  rejectedErrors: z
    .array(z.object({ recipient: z.string().catch(""), response: z.string().catch("") }))
    .optional()
    .catch(undefined),
});

type LibraryError = z.infer<typeof libraryError>;

const CODES: Readonly<Record<string, SendFailureCode>> = {
  EAUTH: "auth",
  ENOAUTH: "auth",
  ETLS: "tls",
  ETIMEDOUT: "timeout",
  ECONNECTION: "gone",
  ESOCKET: "gone",
  EENVELOPE: "rejected",
  EMESSAGE: "rejected",
};

/** The failure as an outcome; what the server said is in the reason. */
export function failureOf(error: unknown, progress: Progress): SendOutcome {
  const parsed = libraryError.safeParse(error);
  const known = parsed.success ? parsed.data : { message: String(error) };
  const code = codeOf(error, known, progress);
  const open = code === "timeout" || code === "gone" || code === "protocol";
  return {
    ok: false,
    code,
    reason: reasonOf(code, known, progress.server),
    rejected: rejectedOf(known),
    mayHaveBeenSent: progress.handedOver && open,
  };
}

/** A server's answer that begins with it means: come again (RFC 5321, 4.2.1). */
const COME_AGAIN = "4";

function codeOf(
  error: unknown,
  { code = "", response = "" }: LibraryError,
  progress: Progress,
): SendFailureCode {
  if (error instanceof NotConnected) return error.code;
  if (error instanceof TimeIsUp) return "timeout";
  if (!progress.connected) return "refused";
  if (progress.upgrading && code !== "ETIMEDOUT") return "tls";
  const sorted = CODES[code] ?? "protocol";
  const answered = sorted === "rejected" || sorted === "auth";
  return answered && response.startsWith(COME_AGAIN) ? "later" : sorted;
}

function rejectedOf({ rejectedErrors = [] }: LibraryError): RejectedRecipient[] {
  return rejectedErrors.map(({ recipient, response }) => ({
    address: recipient,
    reason: replyText(response),
  }));
}

function reasonOf(code: SendFailureCode, { message, response }: LibraryError, server: SmtpServer): string {
  const place = `${server.host}:${server.port}`;
  const said = response === undefined ? "" : ` (${replyText(response)})`;
  switch (code) {
    case "refused":
      return `${place} cannot be reached`;
    case "tls":
      return `${place} offers no trusted encryption for this name with security ${server.security}${said}`;
    case "auth":
      return `${place} does not accept the username and password${said}`;
    case "timeout":
      return `${place} did not answer in time`;
    case "gone":
      return `${place} closed the connection${said}`;
    case "rejected":
      return `${place} did not take the mail${said}`;
    case "later":
      return `${place} does not take the mail at the moment${said}`;
    case "protocol":
      return `${place} answered with something unexpected: ${replyText(message)}`;
  }
}
