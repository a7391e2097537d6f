/** Which literal addresses lie in the public internet. Takes what the URL parser has already normalised. */

/** `[first address, prefix length]` of everything that is no ordinary public address (IANA's special-purpose list). */
const NOT_PUBLIC_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  // A cloud's own service address in public address space.
  ["168.63.129.16", 32],
];

/** Of the only block that is given out to the internet, the parts that lead elsewhere: Teredo and its like, examples, 6to4. */
const NOT_PUBLIC_V6: readonly (readonly [readonly number[], number])[] = [
  [[0x2001, 0x0000], 23],
  [[0x2001, 0x0db8], 32],
  [[0x2002, 0x0000], 16],
  [[0x3fff, 0x0000], 20],
];

const DOTTED = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** Whether a normalised host name is a dotted IPv4 address. */
export function isIpv4(host: string): boolean {
  return DOTTED.test(host);
}

export function isPublicIpv4(host: string): boolean {
  const address = ipv4Number(host);
  return !NOT_PUBLIC_V4.some(([first, bits]) => prefix(address, bits) === prefix(ipv4Number(first), bits));
}

/** Takes the address without brackets, compressed or not, in groups of hexadecimal digits. */
export function isPublicIpv6(host: string): boolean {
  const groups = ipv6Groups(host);
  const [first = 0, second = 0] = groups;
  // 2000::/3 is all that the internet uses: loopback, mapped, compatible, NAT64, unique-local, link-local and
  // multicast addresses lie outside of it.
  if (first >> 13 !== 1) return false;
  const start = first * 0x10000 + second;
  return !NOT_PUBLIC_V6.some(
    ([[a = 0, b = 0], bits]) => prefix(start, bits) === prefix(a * 0x10000 + b, bits),
  );
}

function ipv4Number(host: string): number {
  return host.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** The first `bits` of 32. */
function prefix(address: number, bits: number): number {
  return Math.floor(address / 2 ** (32 - bits));
}

function ipv6Groups(host: string): readonly number[] {
  const [head = "", tail] = host.split("::");
  const before = groupsOf(head);
  if (tail === undefined) return before;
  const after = groupsOf(tail);
  return [...before, ...Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
}

function groupsOf(part: string): number[] {
  return part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
}
