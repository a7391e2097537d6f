/**
 * Addresses in the one form in which they are compared and used. A check is only worth something when what was
 * checked is what is used: so texts become lists of plain addresses here, once, and nothing later parses again.
 */
import { addressParser } from "postal-mime";
import { HEADER_PROBLEMS, headerProblem } from "./header-text.ts";

export interface Mailbox {
  /** Display name; empty when there is none. */
  readonly name: string;
  /** `local@domain`, the domain in lower case ASCII (punycode). */
  readonly address: string;
}

export type ParsedMailboxes =
  | { readonly ok: true; readonly mailboxes: readonly Mailbox[] }
  | { readonly ok: false; readonly code: "address_refused"; readonly reason: string };

const MAX_LOCAL_CHARS = 64;
const MAX_ADDRESS_CHARS = 254;
const MAX_DOMAIN_CHARS = 253;

/**
 * Dots between atoms. Left out of what the standard allows: quoted parts; `%`, `!` and `|`, which old mail
 * servers take as the way to somewhere else; `*`, which a person means as a pattern; a leading `-`, an option.
 */
const LOCAL = /^(?!-)[A-Za-z0-9#$&'+/=?^_`{}~-]+(\.[A-Za-z0-9#$&'+/=?^_`{}~-]+)*$/;
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/;
/** What would make the URL parser see something other than a host name. */
const NOT_IN_DOMAIN = /[\s/\\?#@:%[\]<>^|]/;

/**
 * The mailboxes of a header-like text: several with commas or semicolons, names, quotes, comments and groups are
 * understood. All or nothing: one that is not a plain address spoils the text.
 */
export function parseMailboxes(text: string): ParsedMailboxes {
  const problem = headerProblem(text);
  if (problem !== null) return refused(text, HEADER_PROBLEMS[problem]);
  const mailboxes: Mailbox[] = [];
  for (const { name, address: raw } of addressParser(text, { flatten: true })) {
    const address = raw ? normaliseAddress(raw) : null;
    if (address === null) return refused(raw || name || text, "is not a plain address");
    const shown = name?.trim() ?? "";
    const named = shown.toLowerCase() === raw?.toLowerCase() ? "" : shown;
    // Two addresses without a comma end up as a name, and a name that looks like an address deceives.
    if (named.includes("@")) return refused(named, "is a name with an address in it");
    mailboxes.push({ name: named, address });
  }
  return { ok: true, mailboxes };
}

function refused(what: string, why: string): ParsedMailboxes {
  return { ok: false, code: "address_refused", reason: `${JSON.stringify(what.slice(0, 100))} ${why}` };
}

/** The address with its domain in lower case ASCII and without a final dot; null when it is not a plain one. */
export function normaliseAddress(raw: string): string | null {
  const at = raw.lastIndexOf("@");
  const local = raw.slice(0, Math.max(at, 0));
  const domain = normaliseDomain(raw.slice(at + 1));
  if (domain === null || local.length > MAX_LOCAL_CHARS || !LOCAL.test(local)) return null;
  const address = `${local}@${domain}`;
  return address.length <= MAX_ADDRESS_CHARS ? address : null;
}

function normaliseDomain(raw: string): string | null {
  if (raw === "" || NOT_IN_DOMAIN.test(raw)) return null;
  // The URL parser maps case, full-width letters and other dots as browsers do, and writes IDN as punycode.
  const host = URL.parse(`http://${raw}/`)?.hostname.replace(/\.$/, "") ?? "";
  return host.length <= MAX_DOMAIN_CHARS && DOMAIN.test(host) ? host : null;
}

/** For comparing: mail servers do not tell `Ann@` from `ann@`. A `+tag` stays, it may belong to somebody else. */
export function addressKey(address: string): string {
  return address.toLowerCase();
}

/** An entry of an allow-list, `user@domain`, `@domain` or `*@domain`, in the form that {@link isAllowed} takes; null for others. */
export function normaliseAllowed(raw: string): string | null {
  if (headerProblem(raw) !== null) return null;
  const text = raw.trim().replace(/^\*@/, "@");
  if (!text.startsWith("@")) return mapped(normaliseAddress(text));
  const domain = normaliseDomain(text.slice(1));
  return domain === null ? null : `@${domain}`;
}

const mapped = (address: string | null) => (address === null ? null : addressKey(address));

/** Whether a normalised address is in the list, itself or by exactly its domain. An empty list allows nobody. */
export function isAllowed(address: string, allowed: readonly string[]): boolean {
  const key = addressKey(address);
  return allowed.includes(key) || allowed.includes(key.slice(key.lastIndexOf("@")));
}
