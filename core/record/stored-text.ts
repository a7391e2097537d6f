/** Texts as a D1 row can hold them. */
import { cutPosition } from "../journal/long-text.ts";

/**
 * The text as SQLite gives it back: a lone surrogate has no UTF-8, and SQLite's text functions stop at a
 * NUL, which would hide the rest from lists and search. Both become U+FFFD.
 */
export function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\uFFFD") : whole;
}

/** Bytes of the text in UTF-8; a lone surrogate counts as the three bytes of U+FFFD. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80) bytes += unit >= 0x800 ? 2 : 1;
    // A pair is four bytes for two units: the low half has been counted as one of three.
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(at + 1))) bytes -= 2;
  }
  return bytes;
}

/** The longest beginning of at most `maxBytes` bytes of UTF-8 that splits no character. */
export function cutToBytes(text: string, maxBytes: number): string {
  const beginning = cutToUnits(text, maxBytes);
  let end = beginning.length;
  let bytes = utf8Bytes(beginning);
  while (bytes > maxBytes) {
    // Every unit left over is at most three bytes, so this many must go at least.
    const next = cutPosition(beginning, end - Math.ceil((bytes - maxBytes) / 3));
    bytes -= utf8Bytes(beginning.slice(next, end));
    end = next;
  }
  return beginning.slice(0, end);
}

/** At most `maxUnits` UTF-16 units, not splitting a surrogate pair. */
export function cutToUnits(text: string, maxUnits: number): string {
  return text.length <= maxUnits ? text : text.slice(0, cutPosition(text, maxUnits));
}

/** Where in R2 the whole text of a message lies. */
export function textKey(uid: string): string {
  return `messages/${encodeURIComponent(uid)}`;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
