/** Whether two questions ask the same. Pure; every rule is named in docs/analysis.md. */
import { areOpposed } from "./kinds.ts";
import { isReversed } from "./order.ts";
import type { QuestionPrint } from "./print.ts";
import { stem } from "./stem.ts";
import { cosine, type Vector } from "./vector.ts";

/** How rare a word is among the questions of a pair: 0 to 1, the share of them that hold it. */
export type Share = (term: string) => number;

/** A word in more than a fifth of a pair's questions is what they talk about, not what one of them asks. */
const RARE_SHARE = 0.2;
/** So many shared words let one question say one word more than the other. */
const ENOUGH_FOR_ONE_MORE = 4;
/** Cosine of two embeddings from which on other words may say the same. */
const NEAR = 0.88;

export interface Compared {
  readonly print: QuestionPrint;
  /** Null without an embedding model. */
  readonly vector: Vector | null;
}

export function sameQuestion(a: Compared, b: Compared, share: Share): boolean {
  if (differInFact(a.print, b.print)) return false;
  if (a.print.plain !== "" || b.print.plain !== "") return a.print.plain === b.print.plain;
  if (sameWords(a.print, b.print, share)) return true;
  if (a.vector === null || b.vector === null || otherNames(a.print, b.print)) return false;
  return cosine(a.vector, b.vector) >= NEAR;
}

/** Vectors of sentences that differ in a name are close: each naming something of its own, they are not the same. */
function otherNames(a: QuestionPrint, b: QuestionPrint): boolean {
  const only = (names: readonly string[], other: QuestionPrint) =>
    names.some((name) => !covers([...other.terms, ...other.context], name));
  return only(a.names, b) && only(b.names, a);
}

/** Numbers, ids, names after titles, negation, opposites, another kind of question: no wording bridges these. */
function differInFact(a: QuestionPrint, b: QuestionPrint): boolean {
  return (
    !sameList(a.marks, b.marks) ||
    areOpposed(a.sides, b.sides) ||
    // Equal, not overlapping: one without a kind would join those that ask who, where and when.
    !sameList(a.kinds, b.kinds) ||
    isReversed(a.order, b.order) ||
    nearlyNamed(a.proper, b.proper)
  );
}

/** Names with one stem that are written differently, as Peter and Peters. */
function nearlyNamed(a: readonly string[], b: readonly string[]): boolean {
  const onlyB = b.filter((name) => !a.includes(name)).map(stem);
  return a.some((name) => !b.includes(name) && onlyB.includes(stem(name)));
}

/** Each says what the other asks for. What one of them tells besides may differ, as long as only one tells something. */
function sameWords(a: QuestionPrint, b: QuestionPrint, share: Share): boolean {
  const [allA, allB] = [
    [...a.terms, ...a.context],
    [...b.terms, ...b.context],
  ];
  const onlyA = a.terms.filter((term) => !covers(allB, term));
  const onlyB = b.terms.filter((term) => !covers(allA, term));
  if (onlyA.length > 0 && onlyB.length > 0) return false;
  const toldA = a.context.some((term) => !covers(allB, term));
  const toldB = b.context.some((term) => !covers(allA, term));
  if ((toldA || onlyA.length > 0) && (toldB || onlyB.length > 0)) return false;
  const shared = a.terms.length - onlyA.length;
  const more = onlyA.length + onlyB.length;
  if (more > 1 || (more === 1 && shared < ENOUGH_FOR_ONE_MORE)) return false;
  if ((toldA || toldB) && Math.min(shared, b.terms.length - onlyB.length) + a.marks.length < 2) return false;
  const rare = allA.filter((term) => allB.includes(term) && share(term) <= RARE_SHARE);
  return rare.length > 0 || a.marks.length > 0 || more === 0;
}

const MIN_PART = 4;
/** Letters that may join the parts of a compound. */
const MAX_JOINT = 3;

/** A word is there itself, or as a compound of two that are: Kundenadresse in "Adresse des Kunden", and the other way round. */
function covers(terms: readonly string[], term: string): boolean {
  if (terms.includes(term)) return true;
  const parts = terms.filter(
    (part) => part.length >= MIN_PART && part.length < term.length && term.includes(part),
  );
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (parts.length >= 2 && term.length - length <= MAX_JOINT) return true;
  return (
    term.length >= MIN_PART &&
    terms.some(
      (whole) =>
        whole.length > term.length + MIN_PART - 1 && (whole.startsWith(term) || whole.endsWith(term)),
    )
  );
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
