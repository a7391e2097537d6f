/** The text to erase, found in whatever way it is spelled: any case, composed or not, escaped for JSON, URLs, mail or HTML. Pure. */
import { BACKSLASHES, BLANKS, charPattern } from "./spellings.ts";

export const ERASED = "[erased]";
/** Never longer than what it replaces. */
const BRIEF = "[x]";
export const MIN_ERASED_CHARS = 4;
export const MAX_ERASED_CHARS = 500;

export interface Eraser {
  /** What comes in its place; safe inside JSON, HTML and URLs. */
  readonly mark: string;
  /** How often it occurs. */
  count(text: string): number;
  /** The text with the mark in the place of each occurrence. */
  erase(text: string): string;
}

export interface Needle extends Eraser {
  /** For rows that would outgrow what the platform takes. */
  readonly brief: Eraser;
  /** For SQL's LIKE: every text with an occurrence matches one of them, and few others do. At most 50 bytes each, which is what D1 takes. */
  readonly likes: readonly string[];
}

/** `text`: at least four characters. */
export function needleOf(text: string): Needle {
  const forms = new Set([text.normalize("NFC"), text.normalize("NFD")]);
  const pattern = new RegExp([...forms].map(patternOf).join("|"), "giu");
  const eraser = (mark: string): Eraser => ({
    mark,
    count: (whole) => [...whole.matchAll(pattern)].length,
    erase: (whole) => whole.replace(pattern, mark),
  });
  return { ...eraser(ERASED), brief: eraser(BRIEF), likes: likesOf(text.normalize("NFC")) };
}

/** Runs of blanks and of backslashes are one each: how many there are depends on who wrapped or escaped it. */
function patternOf(text: string): string {
  const units = text.match(/\s+|\\+|[^\s\\]/gu) ?? [];
  return units
    .map((unit) => (/^\s/u.test(unit) ? BLANKS : unit.startsWith("\\") ? BACKSLASHES : charPattern(unit)))
    .join("");
}

const LIKE_CHARS = 40;
/** Shorter words are in nearly every text. */
const LIKE_FROM = 3;

/** Text that was escaped letter by letter for JSON, or for HTML. */
const ALL_ESCAPED = ["%\\u00%", "%&#%"];

/** Letters and digits of ASCII are hardly ever escaped; the longest word of them stands for the text. */
function likesOf(text: string): string[] {
  const words = text.match(/[a-z0-9]+/giu) ?? [];
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), "");
  if (longest.length < LIKE_FROM) return ["%"];
  return [`%${longest.slice(0, LIKE_CHARS)}%`, ...ALL_ESCAPED, ...bytesOf(longest.charAt(0))];
}

/** The same for URLs and for mail: a mark, whichever it is, and the first character's byte in either case. */
function bytesOf(char: string): string[] {
  const cases = new Set([char.toLowerCase(), char.toUpperCase()]);
  return [...cases].map((each) => `%_${each.charCodeAt(0).toString(16)}%`);
}
