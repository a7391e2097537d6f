/** The text of API tokens: made here, shown once, and known to nobody afterwards but by its hash. */
import { hex, sha256, sha256Hex } from "../../core/sha256.ts";

const PREFIX = "parley_";
const FORM = /^parley_[0-9a-f]{48}$/;
const BYTES = 24;

export function newTokenText(): string {
  return `${PREFIX}${hex(crypto.getRandomValues(new Uint8Array(BYTES)))}`;
}

/** Whether it can be a token at all: what cannot need not be looked up. */
export function isTokenText(text: string): boolean {
  return FORM.test(text);
}

/** SHA-256 in hexadecimal. The text is random enough that no salt and no slow hash could add to it. */
export function tokenHash(text: string): Promise<string> {
  return sha256Hex(text);
}

/** Compares hashes, so that the time taken tells nothing about the texts. */
export async function sameText(a: string, b: string): Promise<boolean> {
  const [hashA, hashB] = await Promise.all([sha256(a), sha256(b)]);
  return crypto.subtle.timingSafeEqual(hashA, hashB);
}
