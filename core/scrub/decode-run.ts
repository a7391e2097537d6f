/**
 * Base64 and hex: decodes a run of characters at every alignment, because the run may be the inside of a
 * longer encoded text, and gives back the stretches that can be text at all.
 */
import { hexDigit, utf8Decode, utf8Length } from "./decode-text.ts";
import { MIN_SECRET_CHARS } from "./matcher.ts";
import type { Range } from "./spans.ts";

export interface Piece {
  readonly text: string;
  /** Where in the run, in its own characters, a stretch of the text is encoded. */
  range(start: number, end: number): Range;
}

/** Which byte values a decoded text may have; one entry per byte, 1 for yes. */
export type ByteSet = Uint8Array;

const SEXTETS = new Uint8Array(128);
for (const [alphabet, from] of [
  ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 0],
  ["-_", 62],
] as const) {
  for (let i = 0; i < alphabet.length; i++) SEXTETS[alphabet.charCodeAt(i)] = from + i;
}

/** Printable ASCII, the usual white space, and the bytes of the given texts. */
export function byteSetOf(texts: Iterable<string>): ByteSet {
  const bytes = new Uint8Array(256).fill(1, 0x20, 0x7f);
  for (const code of [9, 10, 13]) bytes[code] = 1;
  const encoder = new TextEncoder();
  for (const text of texts) for (const byte of encoder.encode(text)) bytes[byte] = 1;
  return bytes;
}

/** The texts that a run of base64 or base64url characters may hold. */
export function decodeBase64(run: string, allowed: ByteSet): Piece[] {
  const pieces: Piece[] = [];
  const bytes = new Uint8Array((run.length * 6) >> 3);
  // A byte begins at bit 0, 2, 4 or 6 of the run's first character; the bits before it are of a cut byte.
  for (let offset = 0; offset < 8; offset += 2) {
    let bits = -offset;
    let window = 0;
    let index = 0;
    let length = 0;
    for (let i = 0; i < run.length; i++) {
      window = ((window << 6) | (SEXTETS[run.charCodeAt(i)] ?? 0)) & 0xffff;
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      const byte = (window >> bits) & 0xff;
      index += 1;
      if (allowed[byte] === 1) {
        bytes[length++] = byte;
      } else {
        if (length >= MIN_SECRET_CHARS)
          pieces.push(
            base64Piece(bytes.slice(0, length), index - 1 - length, { offset, length: run.length }),
          );
        length = 0;
      }
    }
    if (length >= MIN_SECRET_CHARS)
      pieces.push(base64Piece(bytes.slice(0, length), index - length, { offset, length: run.length }));
  }
  return pieces;
}

/** The texts that a run of hex digits may hold. */
export function decodeHex(run: string, allowed: ByteSet): Piece[] {
  const pieces: Piece[] = [];
  const bytes = new Uint8Array(run.length >> 1);
  for (let offset = 0; offset < 2; offset++) {
    let length = 0;
    let i = offset;
    for (; i + 1 < run.length; i += 2) {
      const byte = hexDigit(run.charCodeAt(i)) * 16 + hexDigit(run.charCodeAt(i + 1));
      if (allowed[byte] === 1) {
        bytes[length++] = byte;
      } else {
        if (length >= MIN_SECRET_CHARS) pieces.push(hexPiece(bytes.slice(0, length), i - 2 * length));
        length = 0;
      }
    }
    if (length >= MIN_SECRET_CHARS) pieces.push(hexPiece(bytes.slice(0, length), i - 2 * length));
  }
  return pieces;
}

/** A stretch may reach one byte over either end of the piece: into a byte that was cut off there. */
function base64Piece(bytes: Uint8Array, firstByte: number, { offset, length }: RunPart): Piece {
  return textPiece(bytes, (start, end) => ({
    start: Math.max(0, Math.floor((offset + 8 * (firstByte + start)) / 6)),
    end: Math.min(length, Math.ceil((offset + 8 * (firstByte + end)) / 6)),
  }));
}

interface RunPart {
  /** The first bit of the run's first whole byte. */
  readonly offset: number;
  /** The run's characters. */
  readonly length: number;
}

function hexPiece(bytes: Uint8Array, firstChar: number): Piece {
  return textPiece(bytes, (start, end) => ({ start: firstChar + 2 * start, end: firstChar + 2 * end }));
}

function textPiece(bytes: Uint8Array, range: (start: number, end: number) => Range): Piece {
  if (bytes.every((byte) => byte < 0x80)) return { text: new TextDecoder().decode(bytes), range };
  const parts: string[] = [];
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    const whole = utf8Decode([...bytes.subarray(at, at + utf8Length(first))]);
    const char = whole ?? String.fromCharCode(first);
    parts.push(char);
    for (let unit = 0; unit < char.length; unit++) starts.push(at);
    at += whole === null ? 1 : utf8Length(first);
  }
  starts.push(bytes.length);
  return {
    text: parts.join(""),
    range: (start, end) => range(starts[start] ?? -1, starts[end] ?? bytes.length + 1),
  };
}
