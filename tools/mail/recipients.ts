import { isAllowed, type Mailbox, parseMailboxes } from "../../protocols/smtp/address.ts";
import type { MailConfig } from "./config.ts";
import { Refusal } from "./desk.ts";

export interface Recipients {
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
}

/** A header-like text, or several. */
export type AddressInput = string | readonly string[];

/** Addresses of a refusal that are named. */
const MAX_NAMED = 10;

/** All recipients, each allowed by the config; rejects with a {@link Refusal} when one is not. */
export function allowedRecipients(
  input: {
    readonly to: AddressInput;
    readonly cc?: AddressInput | undefined;
    readonly bcc?: AddressInput | undefined;
  },
  { allowedRecipients: allowed }: Pick<MailConfig, "allowedRecipients">,
): Recipients {
  const recipients = { to: mailboxes(input.to), cc: mailboxes(input.cc), bcc: mailboxes(input.bcc) };
  const refused = [...recipients.to, ...recipients.cc, ...recipients.bcc]
    .map(({ address }) => address)
    .filter((address) => !isAllowed(address, allowed));
  if (refused.length === 0) return recipients;
  const named = refused.slice(0, MAX_NAMED).join(", ");
  throw new Refusal(
    `recipient_refused: Not among the allowed recipients (allowedRecipients in its config): ${named}. Nothing was sent.`,
  );
}

function mailboxes(input: AddressInput = []): Mailbox[] {
  return [input].flat().flatMap((text) => {
    const parsed = parseMailboxes(text);
    if (parsed.ok) return parsed.mailboxes;
    throw new Refusal(`address_refused: ${parsed.reason}. Nothing was sent.`);
  });
}
