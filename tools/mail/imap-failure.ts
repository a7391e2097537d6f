import { z } from "zod";
import { TimeIsUp } from "../../protocols/smtp/bounded.ts";
import { replyText } from "../../protocols/smtp/outcome.ts";
import type { ImapAccess } from "./config.ts";
import { Refusal } from "./desk.ts";
import type { TransportStage } from "./imap-transport.ts";
import { MailboxError, type MailboxErrorCode } from "./mailbox.ts";

/** How far a connection has come. */
export interface ImapStage {
  transport: TransportStage;
  /** What its socket reported on its own; null when nothing. */
  socketError: unknown;
}

const imapError = z.object({
  code: z.string().optional().catch(undefined),
  message: z.string().catch(""),
  authenticationFailed: z.boolean().optional().catch(undefined),
  tlsFailed: z.boolean().optional().catch(undefined),
  responseText: z.string().optional().catch(undefined),
});

type ImapError = z.infer<typeof imapError>;

const TIMEOUTS: readonly string[] = ["CONNECT_TIMEOUT", "GREETING_TIMEOUT", "UPGRADE_TIMEOUT", "ETIMEOUT"];
const CLOSED: readonly string[] = [
  "NoConnection",
  "EConnectionClosed",
  "StateLogout",
  "ClosedAfterConnectText",
  "ClosedAfterConnectTLS",
];

/** Sorts what the IMAP library and the runtime throw. A refusal of ours comes back as it is. */
export function mailboxError(error: unknown, access: ImapAccess, stage: ImapStage): unknown {
  if (error instanceof MailboxError || error instanceof Refusal) return error;
  const known = parse(error);
  const code = error instanceof TimeIsUp ? "timeout" : codeOf(known, stage);
  // A command that is left without its socket says only that; the socket knows why.
  const reason =
    code === "gone" && stage.socketError !== null ? codeOf(parse(stage.socketError), stage) : code;
  return new MailboxError(reason, sentence(reason, known, access), { cause: error });
}

function parse(error: unknown): ImapError {
  const parsed = imapError.safeParse(error);
  return parsed.success ? parsed.data : { message: String(error) };
}

function codeOf({ code = "", ...error }: ImapError, stage: ImapStage): MailboxErrorCode {
  if (error.authenticationFailed) return "auth";
  if (TIMEOUTS.includes(code)) return "timeout";
  if (stage.transport === "connecting") return "refused";
  if (stage.transport === "handshake" || error.tlsFailed || code === "STARTTLS_INJECTION") return "tls";
  return CLOSED.includes(code) || /network connection lost|closed/i.test(error.message) ? "gone" : "protocol";
}

function sentence(code: MailboxErrorCode, { message, responseText }: ImapError, access: ImapAccess): string {
  const place = `${access.host}:${access.port}`;
  const said = responseText === undefined ? "" : ` (${replyText(responseText)})`;
  switch (code) {
    case "refused":
      return `${place} cannot be reached.`;
    case "tls":
      return `${place} offers no trusted encryption for this name with security ${access.security}.`;
    case "auth":
      return `${place} does not accept the username and password${said}.`;
    case "timeout":
      return `${place} did not answer in time.`;
    case "gone":
      return `${place} closed the connection${said}.`;
    case "protocol":
      return `${place} answered with something unexpected: ${replyText(responseText ?? message)}.`;
  }
}
