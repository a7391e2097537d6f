import type { Context } from "hono";

/** For requests that came without one, locally for example. */
const UNKNOWN = "unknown";

/** Where a request comes from, as the platform tells it; of IPv6 the network, since one customer has all of its addresses. */
export function clientAddress({ req }: Context): string {
  const address = req.header("CF-Connecting-IP") ?? "";
  if (address === "") return UNKNOWN;
  return address.includes(":") ? networkOf(address) : address.slice(0, 64);
}

/** The first 64 bits of an IPv6 address. */
function networkOf(address: string): string {
  const host = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
  if (host === undefined) return UNKNOWN;
  const [head = "", tail] = host.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
}
