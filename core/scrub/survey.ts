/** One pass over a text that finds where a closer look is worth its time. */

const TOKEN = 1;
const MARK = 2;
const BACKSLASH = 4;
const PERCENT = 8;
const PLUS = 16;

/** Eight bytes in base64 need this many characters. */
const MIN_RUN = 11;
/** A line of at least this length that ends inside a run is taken for wrapped base64 (64 or 76 in practice). */
export const MIN_WRAPPED_LINE = 60;

const CLASSES = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/+") {
  CLASSES[char.charCodeAt(0)] = TOKEN;
}
for (const char of ":=") CLASSES[char.charCodeAt(0)] = MARK;
CLASSES["\\".charCodeAt(0)] = BACKSLASH;
CLASSES["%".charCodeAt(0)] = PERCENT;
CLASSES["+".charCodeAt(0)] = TOKEN | PLUS;

export interface Survey {
  /** Starts and ends, in turn, of the runs of base64 and base64url characters; a run may span wrapped lines. */
  readonly runs: readonly number[];
  /** Offsets of `:` and `=`. */
  readonly marks: readonly number[];
  readonly hasBackslash: boolean;
  readonly hasPercent: boolean;
  readonly hasPlus: boolean;
}

export function survey(text: string): Survey {
  const runs: number[] = [];
  const marks: number[] = [];
  let seen = 0;
  let start = -1;
  let lineStart = 0;
  for (let i = 0; i < text.length; i++) {
    const kind = classOf(text.charCodeAt(i));
    seen |= kind;
    if ((kind & TOKEN) !== 0) {
      if (start >= 0) continue;
      start = i;
      lineStart = i;
      continue;
    }
    if (kind === MARK) marks.push(i);
    if (start < 0) continue;
    const next = i - lineStart < MIN_WRAPPED_LINE ? 0 : nextWrappedLine(text, i);
    if (next > 0) {
      lineStart = next;
      i = next - 1;
    } else {
      if (i - start >= MIN_RUN) runs.push(start, i);
      start = -1;
    }
  }
  if (start >= 0 && text.length - start >= MIN_RUN) runs.push(start, text.length);
  return {
    runs,
    marks,
    hasBackslash: (seen & BACKSLASH) !== 0,
    hasPercent: (seen & PERCENT) !== 0,
    hasPlus: (seen & PLUS) !== 0,
  };
}

/** Where the run goes on after the line break at `at`; 0 if it does not. */
function nextWrappedLine(text: string, at: number): number {
  const next = text.startsWith("\r\n", at) ? at + 2 : text.startsWith("\n", at) ? at + 1 : 0;
  return next > 0 && next < text.length && isTokenCode(text.charCodeAt(next)) ? next : 0;
}

/** Whether base64 or base64url can have this character. */
export function isTokenCode(code: number): boolean {
  return (classOf(code) & TOKEN) !== 0;
}

function classOf(code: number): number {
  return code < 128 ? (CLASSES[code] ?? 0) : 0;
}
