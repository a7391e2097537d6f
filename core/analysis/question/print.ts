/**
 * What of a question is compared: its subject's words as stems, its numbers and names, its kind. No I/O. The
 * print holds no sentence, yet words of one: it is kept as long as the message.
 */
import { foldText } from "../../record/search-terms.ts";
import { foldUmlaut } from "./fold.ts";
import { kindsOf, sidesOf } from "./kinds.ts";
import { LIGHT_WORDS } from "./light-words.ts";
import { stem } from "./stem.ts";
import { canonical } from "./synonyms.ts";

export interface QuestionPrint {
  /** Stems of words that are not light, sorted: of the sentences that ask, and of those around them. */
  readonly terms: readonly string[];
  readonly context: readonly string[];
  /** Those of them that are written with a capital letter: names, and in German things too. */
  readonly names: readonly string[];
  /** Numbers, dates, ids, addresses, sorted: any other one makes it another question. */
  readonly marks: readonly string[];
  /** What is asked for: a place, a time, a person, ... */
  readonly kinds: readonly string[];
  /** Negation, and the side of opposites such as before and after. */
  readonly sides: readonly string[];
  /** All words folded and sorted, for questions that have neither terms nor marks; else empty. */
  readonly plain: string;
}

/** A question that goes on longer carries its material along: what it asks stands at its beginning or its end. */
const MAX_CHARS = 4_000;
const MAX_TERMS = 60;

const GREETING =
  /^\s*(hallo|hi|hey|moin|hello|dear|liebe[rs]?|guten (tag|morgen|abend)|good (morning|afternoon))(\s+\p{L}+){0,2}\s*[,!:.\n-]+/iu;
/** Anything with a digit in it, mail and web addresses, file names. */
const MARK =
  /https?:\/\/\S+|[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+\.[\p{L}\p{N}.-]+|[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.[a-z]{2,5}\b|[\p{L}\p{N}][\p{L}\p{N}._:/#-]*/gu;
const CAPITAL = /\p{Lu}[\p{L}\p{M}]*/gu;
const WORD = /\p{L}[\p{L}\p{M}]*/gu;

export function printOf(text: string): QuestionPrint {
  const short =
    text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS / 2)} ${text.slice(-MAX_CHARS / 2)}`;
  const question = short.normalize("NFC").replace(GREETING, " ");
  const marks = marksIn(question);
  const rest = marks.reduce((left, { raw }) => left.replace(raw, " "), question);
  const { asking, around } = sentencesOf(rest);
  const words = wordsOf(rest);
  const terms = termsOf(asking);
  const context = termsOf(around).filter((term) => !terms.includes(term));
  const names = termsOf([...rest.matchAll(CAPITAL)].map(([word]) => word).join(" "));
  const values = unique(marks.map(({ value }) => value));
  const bare = terms.length + context.length + values.length === 0;
  return {
    terms,
    context,
    names,
    marks: values,
    kinds: kindsOf(words),
    sides: sidesOf(words),
    plain: bare ? unique(words).join(" ") : "",
  };
}

const wordsOf = (text: string) => [...text.matchAll(WORD)].map(([word]) => foldUmlaut(foldText(word)));

const termsOf = (text: string) =>
  unique(
    wordsOf(text)
      .filter(isSubject)
      .flatMap((word) => canonical(stem(word))),
  ).slice(0, MAX_TERMS);

/** Without a question mark all of it asks; so it does when the asking sentence says nothing by itself. */
function sentencesOf(text: string): { readonly asking: string; readonly around: string } {
  const sentences = text.split(/(?<=[.?!\n])\s+/u).filter((sentence) => /\p{L}/u.test(sentence));
  const asking = sentences.filter((sentence) => sentence.includes("?"));
  if (asking.length === 0 || termsOf(asking.join(" ")).length === 0) return { asking: text, around: "" };
  return {
    asking: asking.join(" "),
    around: sentences.filter((sentence) => !sentence.includes("?")).join(" "),
  };
}

function isSubject(word: string): boolean {
  return word.length >= 2 && !LIGHT_WORDS.has(word) && !LIGHT_STEMS.has(stem(word));
}

/** Inflected forms that the list does not name. Short stems would take others along. */
const LIGHT_STEMS: ReadonlySet<string> = new Set(
  [...LIGHT_WORDS].map(stem).filter((each) => each.length >= 5),
);

interface Mark {
  readonly raw: string;
  readonly value: string;
}

function marksIn(text: string): Mark[] {
  return [...text.matchAll(MARK)].flatMap(([raw]) => {
    const value = foldText(raw).replace(/^[._:/#-]+|[._:/#-]+$/g, "");
    const special =
      /\d/.test(value) || /@|:\/\//.test(value) || /^[\w-]+(\.[\w-]+)*\.[a-z]{2,5}$/.test(value);
    return special && value !== "" ? [{ raw, value: plainDate(value) }] : [];
  });
}

/** 12.3.2026 is 2026-03-12. */
function plainDate(value: string): string {
  const parts = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(value);
  if (parts === null) return value;
  const [, day = "", month = "", year = ""] = parts;
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
