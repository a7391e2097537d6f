/** The text of API tokens: made here, shown once, and known to nobody afterwards but by its hash. */
import { hex, sha256Hex } from "../../core/sha256.ts";

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

const encoder = new TextEncoder();

/** The time taken tells nothing about the texts but whether they are of the same length. */
export function sameText(a: string, b: string): boolean {
  const [bytesA, bytesB] = [encoder.encode(a), encoder.encode(b)];
  const sameLength = bytesA.byteLength === bytesB.byteLength;
  return crypto.subtle.timingSafeEqual(bytesA, sameLength ? bytesB : bytesA) && sameLength;
}
