/** Finds where in a text a closer look is worth its time, without reading every character where it can. */

/** Eight bytes in base64 need this many characters. */
const MIN_RUN = 11;
/** A line of at least this length that ends inside a run is taken for wrapped base64 (64 or 76 in practice). */
export const MIN_WRAPPED_LINE = 60;

const IS_TOKEN = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/+") {
  IS_TOKEN[char.charCodeAt(0)] = 1;
}

/** The runs of base64 and base64url characters that can hold a secret; one may span wrapped lines. */
export function findRuns(text: string, report: (start: number, end: number) => void): void {
  let start = 0;
  while (start + MIN_RUN <= text.length) {
    // From the back, so that a space shortly before the end of the window moves the window by a whole word.
    let at = start + MIN_RUN - 1;
    while (at >= start && isTokenCode(text.charCodeAt(at))) at -= 1;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    const end = endOfRun(text, start);
    report(start, end);
    start = end + 1;
  }
}

/** Whether base64 or base64url can have this character. */
export function isTokenCode(code: number): boolean {
  return IS_TOKEN[code] === 1;
}

function endOfRun(text: string, start: number): number {
  let lineStart = start;
  let at = start;
  for (;;) {
    while (at < text.length && isTokenCode(text.charCodeAt(at))) at += 1;
    const next = at - lineStart < MIN_WRAPPED_LINE ? 0 : nextWrappedLine(text, at);
    if (next === 0) return at;
    lineStart = next;
    at = next;
  }
}

/** Where the run goes on after the line break at `at`; 0 if it does not. */
function nextWrappedLine(text: string, at: number): number {
  const next = text.startsWith("\r\n", at) ? at + 2 : text.startsWith("\n", at) ? at + 1 : 0;
  return next > 0 && next < text.length && isTokenCode(text.charCodeAt(next)) ? next : 0;
}
