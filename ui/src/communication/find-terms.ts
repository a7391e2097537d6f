/** Where the words of a search stand in a text, folded as the record's search folds them. */
export interface Span {
  readonly start: number;
  /** Behind the last character. */
  readonly end: number;
}

/** The words of a search, folded; empty when there is nothing to look for. */
export function termsOf(query: string): string[] {
  const terms = query.split(/\s+/u).map((word) => fold(word).text);
  return [...new Set(terms)].filter((term) => term !== "");
}

const MAX_SPANS = 200;

/** All places, in order, of each term; at most {@link MAX_SPANS}. */
export function findSpans(text: string, terms: readonly string[]): Span[] {
  if (terms.length === 0) return [];
  const folded = fold(text);
  return terms
    .flatMap((term) => spansOf(folded, term))
    .sort((left, right) => left.start - right.start)
    .slice(0, MAX_SPANS);
}

const BEFORE_CHARS = 24;
const AFTER_CHARS = 120;

export interface Snippet {
  readonly before: string;
  readonly hit: string;
  readonly after: string;
}

/** The first hit with what stands around it; without one the text's beginning. */
export function snippetOf(text: string, terms: readonly string[]): Snippet {
  const [span = { start: 0, end: 0 }] = findSpans(text, terms);
  const from = Math.max(0, span.start - BEFORE_CHARS);
  const line = (piece: string) => piece.replace(/\s+/gu, " ");
  const end = span.end + AFTER_CHARS;
  return {
    before: (from > 0 ? "..." : "") + line(text.slice(from, span.start)),
    hit: line(text.slice(span.start, span.end)),
    after: line(text.slice(span.end, end)) + (text.length > end ? "..." : ""),
  };
}

interface Folded {
  readonly text: string;
  /** For each unit of `text` where its character begins in the original; one more for the end. */
  readonly origins: readonly number[];
}

const PLAIN = /^[ -~]*$/;

function fold(original: string): Folded {
  if (PLAIN.test(original)) return { text: original.toLowerCase(), origins: [] };
  let text = "";
  const origins: number[] = [];
  let position = 0;
  for (const character of original) {
    const folded = foldCharacter(character);
    for (let unit = 0; unit < folded.length; unit += 1) origins.push(position);
    text += folded;
    position += character.length;
  }
  origins.push(position);
  return { text, origins };
}

function foldCharacter(character: string): string {
  if (character === "ß" || character === "ẞ") return "ss";
  return character
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/gu, "")
    .normalize("NFC")
    .toLowerCase();
}

function spansOf({ text, origins }: Folded, term: string): Span[] {
  const spans: Span[] = [];
  const origin = (index: number) => origins[index] ?? index;
  for (
    let at = text.indexOf(term);
    at >= 0 && spans.length < MAX_SPANS;
    at = text.indexOf(term, at + term.length)
  )
    spans.push({ start: origin(at), end: endOf(origins, at + term.length) });
  return spans;
}

/** A hit that ends inside of what one character became takes the whole of it. */
function endOf(origins: readonly number[], index: number): number {
  if (origins.length === 0) return index;
  const last = origins[index - 1];
  let next = index;
  while (next < origins.length - 1 && origins[next] === last) next += 1;
  return origins[next] ?? index;
}
