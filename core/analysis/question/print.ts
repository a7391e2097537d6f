/**
 * What of a question is compared: its subject's words as stems, its numbers and names, its kind. No I/O. The
 * print holds no sentence, yet words of one: it is kept as long as the message.
 */
import { kindsOf, sidesOf } from "./kinds.ts";
import { LIGHT_WORDS } from "./light-words.ts";
import { takeMarks } from "./marks.ts";
import { orderOf } from "./order.ts";
import { stem } from "./stem.ts";
import { canonical } from "./synonyms.ts";
import { isKept, type WrittenWord, writtenWords } from "./written.ts";

export interface QuestionPrint {
  /** Stems of words that are not light, sorted: of the sentences that ask, and of those around them. */
  readonly terms: readonly string[];
  readonly context: readonly string[];
  /** Those of them that are written with a capital letter: names, and in German things too. */
  readonly names: readonly string[];
  /** Numbers, dates, ids, addresses, sorted: any other one makes it another question. */
  readonly marks: readonly string[];
  /** Those that have neither article nor adjective before them, letter by letter: Schulz is not Schulze. */
  readonly proper: readonly string[];
  /** `x>y`: who does it to whom, and from where to where. */
  readonly order: readonly string[];
  /** What is asked for: a place, a time, a person, leave, ... Empty: something, as with "which". */
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
/** Their full stop ends no sentence. */
const ABBREVIATED = /\b(Dr|Prof|Hr|Fr|Nr|St|Str|Mr|Mrs|Ms|No)\./g;
/** "z. B.", "d. h.": letters that name nothing. */
const FILLING = /\b([zdu])\.\s?([Bha])\.(?!\p{L})/gu;
const IN_CHARGE = /\bin charge( of)?\b/gi;

export function printOf(text: string): QuestionPrint {
  const short =
    text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS / 2)} ${text.slice(-MAX_CHARS / 2)}`;
  const plain = short
    .normalize("NFC")
    .replace(GREETING, " ")
    .replace(FILLING, " ")
    .replace(ABBREVIATED, "$1 ")
    .replace(IN_CHARGE, "responsible");
  const { marks, rest } = takeMarks(plain);
  const { asking, around, sentences } = sentencesOf(rest);
  const written = writtenWords(rest);
  const words = written.filter((word) => !word.proper || !isKept(word)).map(({ folded }) => folded);
  const terms = termsOf(writtenWords(asking));
  const context = termsOf(writtenWords(around)).filter((term) => !terms.includes(term));
  const bare = terms.length + context.length + marks.length === 0;
  return {
    terms,
    context,
    names: termsOf(written.filter(({ capital }) => capital)),
    proper: unique(written.filter(({ proper }) => proper).map(({ folded }) => folded)),
    order: orderOf(sentences.map(writtenWords)),
    marks: unique(marks),
    kinds: kindsOf(words, sentences),
    sides: sidesOf(words),
    plain: bare ? unique(written.map(({ folded }) => folded)).join(" ") : "",
  };
}

/** A print as an older version kept it, with what that did not know. */
export function storedPrint(stored: Partial<QuestionPrint>): QuestionPrint {
  return { ...EMPTY, ...stored };
}

const EMPTY: QuestionPrint = {
  terms: [],
  context: [],
  names: [],
  proper: [],
  order: [],
  marks: [],
  kinds: [],
  sides: [],
  plain: "",
};

const termsOf = (words: readonly WrittenWord[]) =>
  unique(words.filter(isSubject).flatMap(({ folded }) => canonical(stem(folded)))).slice(0, MAX_TERMS);

/** Without a question mark all of it asks; so it does when the asking sentence says nothing by itself. */
function sentencesOf(text: string): {
  readonly asking: string;
  readonly around: string;
  readonly sentences: readonly string[];
} {
  const sentences = text.split(/(?<=[.?!\n])\s+/u).filter((sentence) => /\p{L}/u.test(sentence));
  const asking = sentences.filter((sentence) => sentence.includes("?"));
  if (asking.length === 0 || termsOf(writtenWords(asking.join(" "))).length === 0)
    return { asking: text, around: "", sentences: asking.length === 0 ? sentences : asking };
  return {
    asking: asking.join(" "),
    around: sentences.filter((sentence) => !sentence.includes("?")).join(" "),
    sentences: asking,
  };
}

function isSubject(word: WrittenWord): boolean {
  const { folded } = word;
  if (folded.length < 2) return false;
  return isKept(word) || !(LIGHT_WORDS.has(folded) || LIGHT_STEMS.has(stem(folded)));
}

/** Inflected forms that the list does not name. Short stems would take others along. */
const LIGHT_STEMS: ReadonlySet<string> = new Set(
  [...LIGHT_WORDS].map(stem).filter((each) => each.length >= 5),
);

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
