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

const NONE: readonly Piece[] = [];
/** Every stretch of eight bytes contains one of the bytes 7, 15, 23 and so on: only these are looked at first. */
const PROBE = MIN_SECRET_CHARS - 1;
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
export function decodeBase64(run: string, allowed: ByteSet): readonly Piece[] {
  let pieces = NONE;
  // A byte begins at bit 0, 2, 4 or 6 of the run's first character; the bits before it are of a cut byte.
  for (let offset = 0; offset < 8; offset += 2) {
    const count = (6 * run.length - offset) >> 3;
    for (let probe = PROBE; probe < count; probe += MIN_SECRET_CHARS) {
      if (allowed[base64Byte(run, offset + 8 * probe)] !== 1) continue;
      let first = probe;
      while (first > 0 && allowed[base64Byte(run, offset + 8 * (first - 1))] === 1) first -= 1;
      let end = probe + 1;
      while (end < count && allowed[base64Byte(run, offset + 8 * end)] === 1) end += 1;
      if (end - first >= MIN_SECRET_CHARS)
        pieces = [...pieces, base64Piece(run, offset + 8 * first, end - first)];
      probe = end;
    }
  }
  return pieces;
}

/** The texts that a run of hex digits may hold. */
export function decodeHex(run: string, allowed: ByteSet): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let offset = 0; offset < 2; offset++) {
    const count = (run.length - offset) >> 1;
    let first = 0;
    for (let i = 0; i <= count; i++) {
      if (i < count && allowed[hexByte(run, offset + 2 * i)] === 1) continue;
      if (i - first >= MIN_SECRET_CHARS) pieces.push(hexPiece(run, offset + 2 * first, i - first));
      first = i + 1;
    }
  }
  return pieces;
}

/** A range may reach one byte over either end of the piece: into a byte that was cut off there. */
function base64Piece(run: string, firstBit: number, length: number): Piece {
  const bytes = Uint8Array.from({ length }, (_, i) => base64Byte(run, firstBit + 8 * i));
  return textPiece(bytes, (start, end) => ({
    start: Math.max(0, Math.floor((firstBit + 8 * start) / 6)),
    end: Math.min(run.length, Math.ceil((firstBit + 8 * end) / 6)),
  }));
}

function base64Byte(run: string, bit: number): number {
  const char = Math.floor(bit / 6);
  return (((sextet(run, char) << 6) | sextet(run, char + 1)) >> (4 - (bit % 6))) & 0xff;
}

function sextet(run: string, at: number): number {
  return SEXTETS[run.charCodeAt(at)] ?? 0;
}

function hexByte(run: string, at: number): number {
  return hexDigit(run.charCodeAt(at)) * 16 + hexDigit(run.charCodeAt(at + 1));
}

function hexPiece(run: string, firstChar: number, length: number): Piece {
  const bytes = Uint8Array.from({ length }, (_, i) => hexByte(run, firstChar + 2 * i));
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
