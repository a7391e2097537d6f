/** Encodings that leave ordinary characters as they are: JSON escapes and percent escapes. */
import type { Range } from "./spans.ts";

export interface Decoded {
  readonly text: string;
  /** The source of a stretch of the decoded text. */
  range(start: number, end: number): Range;
  /** Whether the stretch stood in the source just so. */
  isVerbatim(start: number, end: number): boolean;
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Undoes JSON escapes, leaving what is none; null if there was nothing to undo. */
export function unescapeJson(source: string): Decoded | null {
  const edits = new Edits(source);
  let at = source.indexOf("\\");
  while (at >= 0) {
    const code = source[at + 1] === "u" ? hexAt(source, at + 2, 4) : -1;
    const simple = SIMPLE_ESCAPES[source[at + 1] ?? ""];
    let next = at + 1;
    if (code >= 0) {
      next = at + 6;
      edits.replace({ start: at, end: next }, String.fromCharCode(code));
    } else if (simple !== undefined) {
      next = at + 2;
      edits.replace({ start: at, end: next }, simple);
    }
    at = source.indexOf("\\", next);
  }
  return edits.finish();
}

/** Undoes percent escapes (bytes of UTF-8), leaving what is none; null if there was nothing to undo. */
export function decodePercent(source: string): Decoded | null {
  const edits = new Edits(source);
  let at = source.indexOf("%");
  while (at >= 0) {
    const first = hexAt(source, at + 1, 2);
    let next = at + 1;
    if (first >= 0) {
      const { char, escapes } = utf8Char(source, at, first);
      next = at + 3 * escapes;
      edits.replace({ start: at, end: next }, char);
    }
    at = source.indexOf("%", next);
  }
  return edits.finish();
}

/** How many bytes a UTF-8 character with this first byte has; 1 also for bytes that begin none. */
export function utf8Length(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** The character of these bytes, or null where they are no whole one. */
export function utf8Decode(bytes: readonly number[]): string | null {
  const [first = 0, ...rest] = bytes;
  if (rest.length === 0) return first < 0x80 ? String.fromCharCode(first) : null;
  let code = first & (0x7f >> bytes.length);
  for (const byte of rest) {
    if ((byte & 0xc0) !== 0x80) return null;
    code = (code << 6) | (byte & 0x3f);
  }
  return code > 0x10ffff ? null : String.fromCodePoint(code);
}

function utf8Char(source: string, at: number, first: number): { char: string; escapes: number } {
  const bytes = [first];
  for (let i = 1; i < utf8Length(first); i++) {
    bytes.push(source[at + 3 * i] === "%" ? hexAt(source, at + 3 * i + 1, 2) : -1);
  }
  const char = bytes.includes(-1) ? null : utf8Decode(bytes);
  return char === null ? { char: String.fromCharCode(first), escapes: 1 } : { char, escapes: bytes.length };
}

function hexAt(source: string, at: number, digits: number): number {
  let value = 0;
  for (let i = at; i < at + digits; i++) {
    const digit = hexDigit(source.charCodeAt(i));
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** The value of a hexadecimal digit, -1 for any other character. */
export function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** A text built from another by replacing stretches of it, that knows where each stretch came from. */
class Edits {
  readonly #source: string;
  readonly #parts: string[] = [];
  /** Of each replacement: its start and end in the decoded text, and in the source. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #sourceStarts: number[] = [];
  readonly #sourceEnds: number[] = [];
  #done = 0;
  #size = 0;

  constructor(source: string) {
    this.#source = source;
  }

  replace(from: Range, replacement: string): void {
    this.#parts.push(this.#source.slice(this.#done, from.start), replacement);
    this.#size += from.start - this.#done;
    this.#starts.push(this.#size);
    this.#size += replacement.length;
    this.#ends.push(this.#size);
    this.#sourceStarts.push(from.start);
    this.#sourceEnds.push(from.end);
    this.#done = from.end;
  }

  finish(): Decoded | null {
    if (this.#starts.length === 0) return null;
    this.#parts.push(this.#source.slice(this.#done));
    return {
      text: this.#parts.join(""),
      range: (start, end) => ({ start: this.#sourceOf(start).start, end: this.#sourceOf(end - 1).end }),
      isVerbatim: (start, end) => {
        const edit = this.#lastEditBefore(end);
        return edit < 0 || (this.#ends[edit] ?? 0) <= start;
      },
    };
  }

  #sourceOf(index: number): Range {
    const edit = this.#lastEditBefore(index + 1);
    if (edit < 0) return { start: index, end: index + 1 };
    const end = this.#ends[edit] ?? 0;
    const sourceEnd = this.#sourceEnds[edit] ?? 0;
    if (index < end) return { start: this.#sourceStarts[edit] ?? 0, end: sourceEnd };
    return { start: sourceEnd + index - end, end: sourceEnd + index - end + 1 };
  }

  /** The last replacement that starts before `index`; -1 if there is none. */
  #lastEditBefore(index: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
