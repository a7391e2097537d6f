/** Text in bytes: pages that never cut a character, and refusal of what is no text. */

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** A character has up to 4 bytes; this many more are read so that one at either edge is whole. */
export const EDGE_BYTES = 6;
const MAX_CONTINUATIONS = 3;

export interface TextPage {
  readonly text: string;
  /** Bytes left out at the start because they end a character that began before. */
  readonly skipped: number;
  /** Bytes of `text`. */
  readonly length: number;
}

export interface PageBounds {
  /** Whether the first byte may lie inside a character; at a file's start that is no text. */
  readonly inside: boolean;
  /** Bytes at most; one character more when that would be none at all. */
  readonly limit: number;
  /** Characters that the text may need as JSON, quotes included. */
  readonly room: number;
}

/**
 * The first page of `bytes`, which go on for {@link EDGE_BYTES} beyond the limit or end with the file.
 * Null when they are not UTF-8 text.
 */
export function textPage(bytes: Uint8Array, bounds: PageBounds): TextPage | null {
  let start = 0;
  while (bounds.inside && start < MAX_CONTINUATIONS && isContinuation(bytes[start])) start += 1;
  let end = Math.min(start + bounds.limit, bytes.length);
  while (end > start && isContinuation(bytes[end])) end -= 1;
  if (end === start && start < bytes.length) end += 1;
  while (end < bytes.length && end - start < 4 && isContinuation(bytes[end])) end += 1;
  const whole = decodeText(bytes.subarray(start, end));
  if (whole === null) return null;
  const text = fitting(whole, bounds.room);
  return { text, skipped: start, length: new TextEncoder().encode(text).length };
}

/** The text, or null when the bytes are not UTF-8 or hold NUL, which no text file does. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** As much from the start as fits; escapes make line breaks, quotes and such longer in JSON. */
function fitting(text: string, room: number): string {
  if (JSON.stringify(text).length <= room) return text;
  let used = 2;
  let kept = "";
  for (const character of text) {
    used += JSON.stringify(character).length - 2;
    if (used > room) break;
    kept += character;
  }
  return kept;
}

/** The text's bytes, or null for what would not read back the same: NUL, half a surrogate pair. */
export function encodeText(text: string): Uint8Array | null {
  return text.includes("\0") || !text.isWellFormed() ? null : new TextEncoder().encode(text);
}
