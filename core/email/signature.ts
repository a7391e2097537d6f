/** Signatures that fit into an address or a header. The key is the instance's own. */

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

async function hmac(key: string, text: string): Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = await crypto.subtle.importKey("raw", encoder.encode(key), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", secret, encoder.encode(text)));
}

/**
 * So many lower-case letters and digits of a signature, five bits each. `purpose` keeps what is signed for one use
 * from being shown for another.
 */
export async function signature(
  key: string,
  { purpose, parts, chars }: { purpose: string; parts: readonly string[]; chars: number },
): Promise<string> {
  return base32(await hmac(key, JSON.stringify([purpose, ...parts]))).slice(0, chars);
}

/** Takes the same time wherever they differ. */
export function isSame(left: string, right: string): boolean {
  let difference = left.length ^ right.length;
  for (let at = 0; at < right.length; at += 1) difference |= left.charCodeAt(at) ^ right.charCodeAt(at);
  return difference === 0;
}

function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET.charAt((held >> (bits - 5)) & 31);
    held &= (1 << bits) - 1;
  }
  return text;
}
