/**
 * Where a text may be cut so that scrubbing both parts gives the same as scrubbing the whole. Such a cut
 * stands after white space or a character of a script without spaces, where no secret, credential or
 * wrapped base64 that began before can go on.
 */
import { endsInLeadIn, LEAD_IN_CHARS } from "./assignments.ts";
import { isOpenKey, MAX_PEM_CHARS } from "./pem.ts";
import { outermost, type Targets, unescapedViews, type View } from "./scan.ts";
import { patternsOf } from "./secrets.ts";
import { isTokenCode, MIN_WRAPPED_LINE } from "./survey.ts";

/** A secret in three encodings is about this many times longer. */
const MAX_GROWTH = 12;
/** So many characters before a separator in a secret are compared; taking too much for a secret only waits. */
const BEGINNING_CHARS = 32;

export interface Cutter {
  /** The last place in the text where it may be cut; 0 if there is none. */
  lastCut(text: string): number;
  /** No secret or credential reaches further than this many characters. */
  readonly reach: number;
}

export function createCutter(secrets: ReadonlyMap<string, string>, targets: Targets): Cutter {
  const values = patternsOf(secrets).flatMap(({ text, core }) => (core ? [] : [text]));
  const beginnings = groupByEnd(values.flatMap(beginningsOf));
  const longest = Math.max(0, ...values.map((text) => text.length));
  const tailChars = LEAD_IN_CHARS + (beginnings.size > 0 ? BEGINNING_CHARS * MAX_GROWTH : 0);
  const isPendingAt = (text: string, at: number) =>
    isPending(outermost(text.slice(Math.max(0, at - tailChars), at)), beginnings, targets);
  return {
    reach: MAX_PEM_CHARS + MAX_GROWTH * longest,
    lastCut: (text) => {
      const openKey = openKeyFinder(text, targets.spaces);
      for (let at = text.length; at > 0; at--) {
        if (!isSeparator(text.charCodeAt(at - 1)) || isPendingAt(text, at)) continue;
        const start = Math.min(openKey(at), wrappedRunStart(text, at));
        if (start === at) return at;
        at = start + 1;
      }
      return 0;
    },
  };
}

/** What secrets begin with, up to each separator in them, by their last two characters. */
type Beginnings = ReadonlyMap<string, readonly string[]>;

function beginningsOf(secret: string): string[] {
  const beginnings: string[] = [];
  for (let i = 1; i < secret.length; i++) {
    if (isSeparator(secret.charCodeAt(i - 1)))
      beginnings.push(secret.slice(Math.max(0, i - BEGINNING_CHARS), i));
  }
  return beginnings;
}

function groupByEnd(beginnings: readonly string[]): Beginnings {
  const groups = new Map<string, string[]>();
  for (const beginning of new Set(beginnings)) {
    const end = beginning.slice(-2);
    groups.set(end, [...(groups.get(end) ?? []), beginning]);
  }
  return groups;
}

/** Whether a secret or a credential's introduction may go on after the end of the text. */
function isPending(view: View, beginnings: Beginnings, targets: Targets): boolean {
  const { text } = view;
  targets.onWork(text.length);
  if (endsInLeadIn(text)) return true;
  const possible = [...(beginnings.get(text.slice(-2)) ?? []), ...(beginnings.get(text.slice(-1)) ?? [])];
  if (possible.some((beginning) => text.endsWith(beginning))) return true;
  return unescapedViews(view, targets.spaces).some((child) => isPending(child, beginnings, targets));
}

/**
 * Tells for falling offsets where a private key begins that is open there; the offset itself if none is.
 * The text before a key's first line is looked at once.
 */
function openKeyFinder(text: string, spaces: boolean): (at: number) => number {
  let begin = text.length;
  return (at) => {
    if (begin >= at) begin = text.lastIndexOf("BEGIN", at - 1);
    if (begin < 0 || at - begin > 2 * MAX_PEM_CHARS) return at;
    const from = Math.max(0, begin - ENCODED_DASHES);
    return from + openKeyStart(outermost(text.slice(from, at)), spaces);
  };
}

/** The five dashes before the word in their longest encoding. */
const ENCODED_DASHES = 128;

function openKeyStart(view: View, spaces: boolean): number {
  const begin = view.text.lastIndexOf("-----BEGIN");
  const isOpen = begin >= 0 && isOpenKey(view.text.slice(begin));
  const own = isOpen
    ? view.range(begin, begin + 1).start
    : view.range(view.text.length - 1, view.text.length).end;
  return Math.min(own, ...unescapedViews(view, spaces).map((child) => openKeyStart(child, spaces)));
}

/** Where wrapped base64 begins whose last line ends at `at`; `at` itself if there is none. */
function wrappedRunStart(text: string, at: number): number {
  let start = at;
  for (;;) {
    const lineEnd = endOfLineBefore(text, start);
    if (lineEnd === start) return start;
    let lineStart = lineEnd;
    while (lineStart > 0 && isTokenCode(text.charCodeAt(lineStart - 1))) lineStart -= 1;
    if (lineEnd - lineStart < MIN_WRAPPED_LINE) return start;
    start = lineStart;
  }
}

function endOfLineBefore(text: string, at: number): number {
  if (text.startsWith("\r\n", at - 2)) return at - 2;
  return text[at - 1] === "\n" || text[at - 1] === "\r" ? at - 1 : at;
}

/** White space, and characters of scripts that use none between words; these are in no encoded text. */
function isSeparator(code: number): boolean {
  if (code === 32 || code === 10 || code === 13 || code === 9) return true;
  const isHighSurrogate = code >= 0xd800 && code <= 0xdbff;
  return code >= 0x2e80 && !isHighSurrogate;
}
