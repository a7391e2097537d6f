/** Whose mail it is, by the address it was sent to. Addresses are plain ones, see the config's schema. */
import type { EmailConfig } from "../config/email.ts";

type Addresses = Pick<EmailConfig, "addresses" | "catchAll">;

export interface Route {
  readonly agentId: string;
  /** The address without its mark. */
  readonly address: string;
  /** What stands after a `+`; null without one. */
  readonly mark: string | null;
}

/** As in the config's schema: longer ones would leave no room for the mark of a thread. */
const CATCHABLE = /^[a-z0-9][a-z0-9._-]{0,33}$/;

/** Null for an address that is nobody's. */
export function routeOf(email: Addresses, recipient: string): Route | null {
  const { local, domain } = partsOf(recipient.toLowerCase());
  const plus = local.indexOf("+");
  const bare = plus === -1 ? local : local.slice(0, plus);
  const mark = plus === -1 ? null : local.slice(plus + 1);
  const address = `${bare}@${domain}`;
  const named = Object.hasOwn(email.addresses, address) ? email.addresses[address] : undefined;
  if (named !== undefined) return { agentId: named, address, mark };
  const { catchAll } = email;
  if (catchAll?.domain !== domain || !CATCHABLE.test(bare)) return null;
  return { agentId: catchAll.agentId, address, mark };
}

type Senders = Pick<EmailConfig, "allowedSenders">;
type Own = Addresses & Senders & { readonly from?: string };

/** Whether mail from there is our own. A person may have an address in the domain of the catch-all: a named one. */
export function isOwnAddress(email: Own, address: string): boolean {
  const key = address.toLowerCase();
  if (email.from?.toLowerCase() === key || Object.hasOwn(email.addresses, key)) return true;
  return routeOf(email, key) !== null && !email.allowedSenders.includes(key);
}

/** Whether a person may write to the agents: by name, or by exactly the domain. Nobody is by default. */
export function isAllowedSender({ allowedSenders }: Senders, address: string): boolean {
  const key = address.toLowerCase();
  return allowedSenders.includes(key) || allowedSenders.includes(`*@${partsOf(key).domain}`);
}

export function domainOf(address: string): string {
  return partsOf(address.toLowerCase()).domain;
}

function partsOf(address: string): { readonly local: string; readonly domain: string } {
  const at = address.lastIndexOf("@");
  return { local: address.slice(0, Math.max(at, 0)), domain: address.slice(at + 1) };
}
