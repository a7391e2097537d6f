/**
 * Whether an outgoing request may go where a config, a model or a redirect wants it to (SSRF). Decides by what
 * the URL parser makes of the address, which has undone decimal, octal, hexadecimal, short, percent-encoded and
 * full-width forms by then. It sees names, never what they resolve to.
 */
import { isIpv4, isPublicIpv4, isPublicIpv6 } from "./ip-ranges.ts";

type OutboundCode =
  | "not_a_url"
  | "scheme"
  | "user_info"
  | "private_address"
  | "local_name"
  | "port"
  | "not_encrypted";

export type AddressVerdict =
  | { readonly ok: true; readonly url: URL }
  /** `reason` is a sentence that names the host and nothing else of the address: a path may be a secret. */
  | { readonly ok: false; readonly code: OutboundCode; readonly reason: string };

/** Names that never belong to the public internet, with everything below them. */
const LOCAL_SUFFIXES: readonly string[] = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "in-addr.arpa",
  "ip6.arpa",
  "metadata.goog",
  // Public names that resolve to whatever address they spell, loopback included.
  "nip.io",
  "sslip.io",
  "xip.io",
  "localtest.me",
  "lvh.me",
  "vcap.me",
  "lacolhost.com",
  "traefik.me",
];

/** Ports behind which something other than a web server understands enough of HTTP to do harm. */
const DANGEROUS_PORTS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 138, 139, 143, 161, 179, 389, 427, 445, 465, 512, 513,
  514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 623, 636, 873, 989, 990, 993, 995, 1433,
  1521, 1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5672,
  5984, 5985, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9092, 9200, 9300, 10080,
  10250, 11211, 27017, 27018,
]);

/**
 * `allow` are the operator's exceptions, as `host` or `host:port`: what they name may be local, and may be
 * spoken to without encryption. A dangerous port must be named together with its host.
 */
export function judgeAddress(input: string | URL, allow: readonly string[]): AddressVerdict {
  const url = URL.parse(String(input));
  if (url === null) return refused("not_a_url", "The address is no complete URL.");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return refused("scheme", "Only https and http addresses can be reached.");
  if (url.username !== "" || url.password !== "")
    return refused("user_info", "An address must not hold a user name or a password.");
  const host = bareHost(url);
  const port = portOf(url);
  if (isAllowed(allow, host, port)) return { ok: true, url };
  return refusalOf(host, port) ?? encrypted(url, host);
}

/** Whether an entry of `allow` can be understood: a host name or address, and a port if need be, nothing else. */
export function isAllowEntry(entry: string): boolean {
  return parseEntry(entry) !== null;
}

/** The address in words that may be shown and logged: scheme, host and port. */
export function addressName(url: URL): string {
  return `${url.protocol}//${url.host}`;
}

function refused(code: OutboundCode, reason: string): AddressVerdict {
  return { ok: false, code, reason };
}

function refusalOf(host: string, port: number): AddressVerdict | null {
  const byName = "unless instance.outbound.allow names it";
  if (isAddress(host)) {
    if (!isPublic(host))
      return refused("private_address", `${host} is no public address; it is not reached ${byName}.`);
  } else if (isLocalName(host)) {
    return refused("local_name", `${host} is a name of a local network; it is not reached ${byName}.`);
  }
  return DANGEROUS_PORTS.has(port)
    ? refused("port", `Port ${port} of ${host} belongs to another service; it is not reached ${byName}.`)
    : null;
}

function encrypted(url: URL, host: string): AddressVerdict {
  return url.protocol === "https:"
    ? { ok: true, url }
    : refused("not_encrypted", `${host} is only reached over https unless instance.outbound.allow names it.`);
}

function bareHost(url: URL): string {
  return url.hostname.replace(/\.+$/, "");
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function isAddress(host: string): boolean {
  return host.startsWith("[") || isIpv4(host);
}

function isPublic(host: string): boolean {
  return host.startsWith("[") ? isPublicIpv6(host.slice(1, -1)) : isPublicIpv4(host);
}

/** A name without a dot is looked up in the local network. */
function isLocalName(host: string): boolean {
  return !host.includes(".") || LOCAL_SUFFIXES.some((name) => host === name || host.endsWith(`.${name}`));
}

function isAllowed(allow: readonly string[], host: string, port: number): boolean {
  return allow.some((text) => {
    const entry = parseEntry(text);
    if (entry === null || entry.host !== host) return false;
    return entry.port === null ? !DANGEROUS_PORTS.has(port) : entry.port === port;
  });
}

const ENTRY = /^(\[[0-9a-f:.]+\]|[^[\]:/?#@\\%*\s]+)(?::(\d{1,5}))?$/i;

function parseEntry(text: string): { readonly host: string; readonly port: number | null } | null {
  const [, name, digits] = ENTRY.exec(text) ?? [];
  const url = name === undefined ? null : URL.parse(`https://${name}/`);
  const port = digits === undefined ? null : Number(digits);
  if (url === null || (port !== null && (port < 1 || port > 65_535))) return null;
  return { host: bareHost(url), port };
}
