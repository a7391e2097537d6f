/** What the actions of one call share. */
import type { ToolContext, ToolState } from "../../core/tool.ts";
import { addressKey, normaliseAddress } from "../../protocols/smtp/address.ts";
import type { ComposedMail } from "../../protocols/smtp/compose.ts";
import type { SendOutcome } from "../../protocols/smtp/outcome.ts";
import type { MailConfig } from "./config.ts";
import { imapAccess } from "./config.ts";
import { MailboxError, type MailboxSession, type OpenMailbox } from "./mailbox.ts";
import type { Mask } from "./shown.ts";

/** Hands a message over, by a server or by the platform. Rejects only when the signal aborts. */
export type Deliver = (config: MailConfig, mail: ComposedMail, signal: AbortSignal) => Promise<SendOutcome>;

export interface Desk {
  readonly config: MailConfig;
  readonly signal: AbortSignal;
  readonly state: ToolState;
  readonly mask: Mask;
  readonly openMailbox: OpenMailbox;
  readonly deliver: Deliver;
  /** The header for a copy that goes to an agent of this instance. */
  readonly mailHeader: ToolContext<MailConfig>["mailHeader"];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** An expected end of a call: `code: sentence` for the model. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** Works in the inbox, closed afterwards. Rejects with a {@link Refusal} when there is none or it is out of reach. */
export async function inMailbox<T>(
  desk: Desk,
  use: (session: MailboxSession) => Promise<T>,
  write = false,
): Promise<T> {
  const access = imapAccess(desk.config);
  if (access === null) throw new Refusal("not_configured: No mailbox to read is configured (imapHost).");
  try {
    return await desk.openMailbox(access, { write, signal: desk.signal }, use);
  } catch (error) {
    if (error instanceof MailboxError) throw new Refusal(`${error.code}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The addresses that are the agent itself, as {@link addressKey} writes them. */
export function ownAddresses(config: MailConfig): readonly string[] {
  const user = normaliseAddress(config.username ?? "");
  return [config.from.address, ...(user === null ? [] : [user])].map(addressKey);
}
