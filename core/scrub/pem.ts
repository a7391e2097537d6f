/** Private keys in PEM and PGP armour, with real line ends or escaped ones. */
const BEGIN = /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const BEGIN_HERE = new RegExp(BEGIN.source, "y");
const PARTIAL_BEGIN = /^-----BEGIN (?:[A-Z0-9]+ ){0,4}$/;
const GAP = /(?:[ \t\r\n]|\\{1,4}[nrt]){0,12}/y;
const HEADER = /[A-Z][A-Za-z-]{2,30}: [^\n\\\u2e80-\uffff]{0,200}/y;
const LINE = /[A-Za-z0-9+/=]{1,16384}/y;
const END = /-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
/** A line of a key that was cut off before its end is recognised from this length. */
const MIN_LINE = 16;
/** The longest key that is followed to its end. */
export const MAX_PEM_CHARS = 16_384;

/** Reports private keys; one that was cut off ends with its last whole line. */
export function findPrivateKeys(text: string, report: (start: number, end: number) => void): void {
  if (!text.includes("-----BEGIN")) return;
  for (const match of text.matchAll(BEGIN)) {
    const { end } = readKey(text, match.index + match[0].length);
    if (end > 0) report(match.index, end);
  }
}

/** Whether the text, which starts with the five dashes of a key's first line, may go on with more of the key. */
export function isOpenKey(text: string): boolean {
  if (PARTIAL_BEGIN.test(text)) return true;
  const begin = skip(BEGIN_HERE, text, 0);
  return begin > 0 && readKey(text, begin).open;
}

/** Reads on after the first line. `end` is 0 where no key follows; `open` says that the text ended too soon. */
function readKey(text: string, from: number): { end: number; open: boolean } {
  let at = skip(GAP, text, from);
  for (let next = skip(HEADER, text, at); next > at; next = skip(HEADER, text, at))
    at = skip(GAP, text, next);
  let end = 0;
  while (at - from < MAX_PEM_CHARS) {
    const lineEnd = skip(LINE, text, at);
    const next = skip(GAP, text, lineEnd);
    const closed = skip(END, text, next);
    if (closed > next && (lineEnd > at || end > 0)) return { end: closed, open: false };
    const isLine = lineEnd - at >= MIN_LINE;
    if (isLine) end = lineEnd;
    if (isOpen(text.slice(next))) return { end, open: true };
    if (!isLine) return { end, open: false };
    at = next;
  }
  return { end, open: false };
}

/** Whether a text stops inside the line that ends a key, or before it. */
function isOpen(rest: string): boolean {
  return rest === "" || /^-----END (?:[A-Z0-9]+ ){0,4}$/.test(rest);
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
