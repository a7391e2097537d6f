/**
 * Where a text may be cut so that scrubbing both parts gives the same as scrubbing the whole. Such a cut
 * stands after white space or a character of a script without spaces, where no secret, credential or
 * wrapped base64 that began before can go on.
 */
import { LEAD_IN, LEAD_IN_CHARS } from "./assignments.ts";
import { MAX_PEM_CHARS, openKeyStart } from "./pem.ts";
import { outermost, type Targets, unescapedViews, type View } from "./scan.ts";
import { patternsOf } from "./secrets.ts";
import { isTokenCode, MIN_WRAPPED_LINE, survey } from "./survey.ts";

/** A longest chain of encodings makes a secret about this many times longer. */
const MAX_GROWTH = 12;

export interface Cutter {
  /** The last place in the text where it may be cut; 0 if there is none. */
  lastCut(text: string): number;
  /** No secret or credential reaches further than this many characters. */
  readonly reach: number;
}

export function createCutter(secrets: ReadonlyMap<string, string>, targets: Targets): Cutter {
  const values = patternsOf(secrets).flatMap(({ text, core }) => (core ? [] : [text]));
  const beginnings = values.flatMap(beginningsOf);
  const longest = Math.max(0, ...values.map((text) => text.length));
  const tail = Math.max(LEAD_IN_CHARS * 2, ...beginnings.map((text) => text.length * MAX_GROWTH));
  return {
    reach: MAX_PEM_CHARS + MAX_GROWTH * longest,
    lastCut: (text) => {
      let at = text.length;
      while (at > 0) {
        if (!isSeparator(text.charCodeAt(at - 1))) {
          at -= 1;
          continue;
        }
        const start = pendingStart(text.slice(0, at), { beginnings, tail, targets });
        if (start === at) return at;
        at = start;
      }
      return 0;
    },
  };
}

interface Pending {
  /** What secrets begin with, up to each separator in them. */
  readonly beginnings: readonly string[];
  /** How much of the end of a text can matter to them. */
  readonly tail: number;
  readonly targets: Targets;
}

function beginningsOf(secret: string): string[] {
  const beginnings: string[] = [];
  for (let i = 1; i < secret.length; i++) {
    if (isSeparator(secret.charCodeAt(i - 1))) beginnings.push(secret.slice(0, i));
  }
  return beginnings;
}

/** Where the thing begins that may go on after the end of the text; the text's length if nothing may. */
function pendingStart(text: string, pending: Pending): number {
  const key = openKeyStart(text.slice(-2 * MAX_PEM_CHARS));
  const keyStart = key < 0 ? text.length : Math.max(0, text.length - 2 * MAX_PEM_CHARS) + key;
  const from = Math.max(0, text.length - pending.tail);
  const inViews = pendingInView(outermost(text.slice(from)), pending) + from;
  return Math.min(keyStart, inViews, wrappedRunStart(text));
}

function pendingInView(view: View, pending: Pending): number {
  const { text } = view;
  pending.targets.onWork(text.length);
  const lead = LEAD_IN.exec(text.slice(-LEAD_IN_CHARS));
  const starts = lead === null ? [] : [text.length - lead[0].length];
  for (const beginning of pending.beginnings) {
    if (text.endsWith(beginning)) starts.push(text.length - beginning.length);
  }
  const own = view.range(Math.min(text.length - 1, ...starts), text.length);
  const start = starts.length === 0 ? own.end : own.start;
  const children = unescapedViews(view, survey(text), pending.targets.spaces);
  return Math.min(start, ...children.map((child) => pendingInView(child, pending)));
}

/** Where wrapped base64 begins whose last line ends the text; the text's length if it does not end so. */
function wrappedRunStart(text: string): number {
  let start = text.length;
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
