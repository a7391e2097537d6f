/**
 * Finds everything in a text that must be masked: looks at the text, then at what it decodes to, up to three
 * encodings deep, and brings what it finds there back to offsets of the text itself.
 */
import { findAssigned, findAwsSecret } from "./assignments.ts";
import { type ByteSet, byteSetOf, decodeBase64, decodeHex, type Piece } from "./decode-run.ts";
import { type Decoded, decodePercent, unescapeJson } from "./decode-text.ts";
import { createMatcher, type Matcher } from "./matcher.ts";
import { findPrivateKeys } from "./pem.ts";
import { patternsOf } from "./secrets.ts";
import { addSpan, cluster, type Range, type Span } from "./spans.ts";
import { findRuns } from "./survey.ts";
import { findTokens } from "./tokens.ts";

const MAX_DEPTH = 3;
/** Eight bytes in hex. */
const HEX_RUN = /[0-9A-Fa-f]{16}/;
const HEX_RUNS = /[0-9A-Fa-f]{16,}/g;

/** What is looked for, made once per scrubber. */
export interface Targets {
  readonly matcher: Matcher;
  /** Byte values that text or a secret can have. */
  readonly bytes: ByteSet;
  /** Whether `+` has to be read as a space too. */
  readonly spaces: boolean;
  /** Told how many characters each step reads. */
  readonly onWork: (characters: number) => void;
}

/** A text at some depth of decoding. */
export interface View {
  readonly text: string;
  readonly depth: number;
  /** Whether it was decoded from base64, so that a secret's outer characters may be spoiled by neighbours. */
  readonly base64: boolean;
  /** Where in the outermost text a stretch of this one stands. */
  range(start: number, end: number): Range;
  /** Whether the stretch stood in the parent just so, and has been looked into there. */
  isVerbatim(start: number, end: number): boolean;
}

export function createTargets(
  secrets: ReadonlyMap<string, string>,
  onWork: (characters: number) => void,
): Targets {
  const patterns = patternsOf(secrets);
  return {
    matcher: createMatcher(patterns),
    bytes: byteSetOf(patterns.map(({ text }) => text)),
    spaces: patterns.some(({ text }) => text.includes(" ")),
    onWork,
  };
}

/** The stretches to mask, in order, none overlapping. */
export function findSecrets(text: string, targets: Targets): Span[] {
  const spans: Span[] = [];
  scan(outermost(text), targets, spans);
  return spans.length === 0 ? spans : cluster(spans);
}

export function outermost(text: string): View {
  return {
    text,
    depth: 0,
    base64: false,
    range: (start, end) => ({ start, end }),
    isVerbatim: () => false,
  };
}

/** The view's text with JSON or percent escapes undone, where there are any. */
export function unescapedViews(view: View, spaces: boolean): View[] {
  if (view.depth === MAX_DEPTH) return [];
  const decoded: Decoded[] = [];
  const add = (found: Decoded | null) => found !== null && decoded.push(found);
  add(unescapeJson(view.text));
  add(decodePercent(view.text));
  if (view.text.includes("+") && (spaces || /\+(?:private|bearer|basic)\+|bearer\+/i.test(view.text))) {
    const spaced = view.text.replaceAll("+", " ");
    add(decodePercent(spaced) ?? unchanged(spaced));
  }
  return decoded.map((child) => ({
    text: child.text,
    depth: view.depth + 1,
    base64: view.base64,
    range: (start, end) => {
      const inner = child.range(start, end);
      return view.range(inner.start, inner.end);
    },
    isVerbatim: child.isVerbatim,
  }));
}

function scan(view: View, targets: Targets, spans: Span[]): void {
  const { text } = view;
  targets.onWork(text.length);
  targets.matcher.find(text, (start, pattern) => {
    if (pattern.core && !view.base64) return;
    const spare = pattern.core ? 1 : 0;
    const range = view.range(start - spare, start + pattern.text.length + spare);
    addSpan(spans, { ...range, name: pattern.name, weight: pattern.weight });
  });
  const report = (start: number, end: number) =>
    addSpan(spans, { ...view.range(start, end), name: null, weight: 0 });
  findAssigned(text, report);
  findPrivateKeys(text, report);
  findRuns(text, (start, end) => {
    findTokens(text, { start, end }, report);
    findAwsSecret(text, { start, end }, report);
    // With its padding: that may have been escaped where the run was not.
    const isSeen = view.isVerbatim(start, withPadding(text, end, end));
    if (view.depth < MAX_DEPTH && !isSeen) scanRun(view, { start, end }, { targets, spans });
  });
  for (const child of unescapedViews(view, targets.spaces)) scan(child, targets, spans);
}

interface Search {
  readonly targets: Targets;
  readonly spans: Span[];
}

/** Looks into a run of base64 characters, which a run of hex digits is too. */
function scanRun(view: View, run: Range, { targets, spans }: Search): void {
  const source = unwrap(view.text.slice(run.start, run.end));
  targets.onWork(source.text.length);
  for (const piece of decodeBase64(source.text, targets.bytes)) {
    scan(pieceView(view, run, { piece, source, from: 0, base64: true }), targets, spans);
  }
  if (!HEX_RUN.test(source.text)) return;
  for (const match of source.text.matchAll(HEX_RUNS)) {
    for (const piece of decodeHex(match[0], targets.bytes)) {
      scan(pieceView(view, run, { piece, source, from: match.index, base64: false }), targets, spans);
    }
  }
}

interface RunPiece {
  readonly piece: Piece;
  readonly source: Unwrapped;
  /** Where in the unwrapped run the decoding began. */
  readonly from: number;
  readonly base64: boolean;
}

function pieceView(view: View, run: Range, { piece, source, from, base64 }: RunPiece): View {
  return {
    text: piece.text,
    depth: view.depth + 1,
    base64,
    range: (start, end) => {
      const inner = piece.range(start, end);
      const first = run.start + source.at(from + inner.start);
      const last = run.start + source.at(from + inner.end - 1) + 1;
      return view.range(first, base64 ? withPadding(view.text, last, run.end) : last);
    },
    isVerbatim: () => false,
  };
}

interface Unwrapped {
  readonly text: string;
  /** Where the character stood in the run. */
  at(index: number): number;
}

/** A run without the line breaks inside it, and where each of its characters stood. */
function unwrap(run: string): Unwrapped {
  if (!run.includes("\n")) return { text: run, at: (index) => index };
  const places: number[] = [];
  for (let i = 0; i < run.length; i++) if (run[i] !== "\n" && run[i] !== "\r") places.push(i);
  return { text: run.replace(/[\r\n]/g, ""), at: (index) => places[index] ?? run.length };
}

/** The end of a stretch, moved behind the padding if the stretch ends the run. */
function withPadding(text: string, end: number, runEnd: number): number {
  if (end < runEnd) return end;
  return text.startsWith("==", end) ? end + 2 : text.startsWith("=", end) ? end + 1 : end;
}

function unchanged(text: string): Decoded {
  return { text, range: (start, end) => ({ start, end }), isVerbatim: () => false };
}
