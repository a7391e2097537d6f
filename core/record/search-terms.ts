/** What a person typed into a search field, as terms for the index and for code. No input is an error. */

/** Beyond this many characters the rest of the input is not searched. */
const MAX_QUERY_CHARS = 1_000;
/** The index is asked for at most this many terms, of each the beginning; code checks the rest. */
const MAX_INDEX_TERMS = 8;
const MAX_INDEX_TERM_CHARS = 48;
/** The index holds groups of three characters. */
const MIN_INDEX_CHARS = 3;

export interface SearchTerms {
  /** Substrings for the index, three characters or more. */
  readonly indexed: readonly string[];
  /** Folded substrings that the index cannot answer for; compare with `foldText` of the content. */
  readonly checked: readonly string[];
  /** Part of the input was left out. */
  readonly cut: boolean;
}

/** Null when there is nothing to search for. */
export function parseSearch(input: string): SearchTerms | null {
  const text = input.replaceAll("\0", "").toWellFormed().normalize("NFC");
  const words = text.slice(0, MAX_QUERY_CHARS).split(/\s+/u);
  const terms = [...new Set(words.map(foldSharpS))].filter((term) => foldText(term) !== "");
  if (terms.length === 0) return null;
  const long = terms.filter((term) => indexedLength(term) >= MIN_INDEX_CHARS);
  const short = terms.filter((term) => indexedLength(term) < MIN_INDEX_CHARS);
  const incomplete = long.filter(
    (term, index) => index >= MAX_INDEX_TERMS || [...term].length > MAX_INDEX_TERM_CHARS,
  );
  return {
    indexed: long.slice(0, MAX_INDEX_TERMS).map(indexBeginning),
    checked: [...short, ...incomplete].map(foldText),
    cut: text.length > MAX_QUERY_CHARS,
  };
}

/** Case and accents gone and sharp s as ss, as the index folds its texts. */
export function foldText(text: string): string {
  return foldSharpS(text)
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/gu, "")
    .normalize("NFC")
    .toLowerCase();
}

/** A search expression that matches all terms in `column`. Each is quoted, so that none is read as syntax. */
export function matchAll(column: string, terms: readonly string[]): string {
  return `${column} : (${terms.map(quoteTerm).join(" AND ")})`;
}

/** A term as a phrase of the search syntax, which a NUL would end. */
export function quoteTerm(term: string): string {
  return `"${term.replaceAll("\0", "").replaceAll('"', '""')}"`;
}

function foldSharpS(text: string): string {
  return text.replaceAll("ß", "ss").replaceAll("ẞ", "SS");
}

/** Characters that count for the index: it skips combining marks. */
function indexedLength(term: string): number {
  return [...term].filter((char) => !/\p{M}/u.test(char)).length;
}

function indexBeginning(term: string): string {
  return [...term].slice(0, MAX_INDEX_TERM_CHARS).join("");
}
