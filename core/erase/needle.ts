/** The text to erase, found in whatever way it is spelled: any case, composed or not, escaped for JSON, URLs or HTML. Pure. */

export const ERASED = "[erased]";
export const MIN_ERASED_CHARS = 4;
export const MAX_ERASED_CHARS = 500;

export interface Needle {
  /** How often it occurs. */
  count(text: string): number;
  /** The text with `[erased]` in the place of each occurrence; the mark is safe inside JSON, HTML and URLs. */
  erase(text: string): string;
  /** For SQL's LIKE: every text with an occurrence matches one of them, and few others do. At most 50 bytes each, which is what D1 takes. */
  readonly likes: readonly string[];
}

/** `text`: at least four characters. */
export function needleOf(text: string): Needle {
  const forms = new Set([text.normalize("NFC"), text.normalize("NFD")]);
  const pattern = new RegExp([...forms].map(patternOf).join("|"), "giu");
  return {
    count: (whole) => [...whole.matchAll(pattern)].length,
    erase: (whole) => whole.replace(pattern, ERASED),
    likes: likesOf(text.normalize("NFC")),
  };
}

const SPACE = String.raw`(?:\s|\\+[nrt]|\\+u(?:00(?:20|a0|0[9a-d])|20[0-2][0-9a-f]|3000)|%20|%0[9ad]|%c2%a0|&nbsp;)+`;

const BACKSLASHES = String.raw`(?:\\+u005c|\\|%5c|&#0*92;)+`;

/** Runs of blanks and of backslashes are one each: how many there are depends on who wrapped or escaped it. */
function patternOf(text: string): string {
  const units = text.match(/\s+|\\+|[^\s\\]/gu) ?? [];
  return units
    .map((unit) => (/^\s/u.test(unit) ? SPACE : unit.startsWith("\\") ? BACKSLASHES : charPattern(unit)))
    .join("");
}

function charPattern(char: string): string {
  const cases = [...new Set([char, char.toLowerCase(), char.toUpperCase()])].filter(
    (each) => [...each].length === 1,
  );
  const spellings = cases.flatMap((each) => [jsonEscape(each), urlEscape(each), ...htmlEscapes(each)]);
  // Quotes and slashes may have any number of backslashes before them.
  const literal = /["'/]/.test(char) ? String.raw`\\*${char}` : literally(char);
  return `(?:${[...new Set([literal, ...spellings])].join("|")})`;
}

function literally(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|]/u, String.raw`\$&`);
}

function jsonEscape(char: string): string {
  const units = Array.from({ length: char.length }, (_, at) =>
    char.charCodeAt(at).toString(16).padStart(4, "0"),
  );
  return units.map((unit) => String.raw`\\+u${unit}`).join("");
}

function urlEscape(char: string): string {
  return Array.from(new TextEncoder().encode(char), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(
    "",
  );
}

function htmlEscapes(char: string): string[] {
  const code = char.codePointAt(0) ?? 0;
  return [`&#0*${code};`, `&#x0*${code.toString(16)};`];
}

const LIKE_CHARS = 40;
/** Shorter words are in nearly every text. */
const LIKE_FROM = 3;

/** Text that was escaped letter by letter. */
const ALL_ESCAPED = "%\\u00%";

/** Letters and digits of ASCII are hardly ever escaped; the longest word of them stands for the text. */
function likesOf(text: string): string[] {
  const words = text.match(/[a-z0-9]+/giu) ?? [];
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), "");
  return longest.length < LIKE_FROM ? ["%"] : [`%${longest.slice(0, LIKE_CHARS)}%`, ALL_ESCAPED];
}
