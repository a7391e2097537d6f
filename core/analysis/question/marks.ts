/** What no wording bridges: anything with a digit, mail and web addresses, file names, letters that name something. */
import { foldText } from "../../record/search-terms.ts";
import { foldUmlaut } from "./fold.ts";
import { LIGHT_WORDS } from "./light-words.ts";

const MARK =
  /https?:\/\/\S+|[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+\.[\p{L}\p{N}.-]+|[\p{L}\p{N}][\p{L}\p{N}._:/#-]*/gu;
const FILE = /^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*\.([a-z]{2,5}|[A-Z]{2,5})$/u;
/** Between groups of three digits; a space would join two numbers. */
const THOUSANDS = /(?<![\p{L}\p{N}.,])\d{1,3}(?:[.,'\u2019\u00a0\u202f]\d{3})+(?![.,]?[\p{L}\p{N}])/gu;
/** "Kunde A", "model x": after a word, and none of the words that have one letter. */
const LETTER = /(?<=\p{L}\p{L}\s+)(\p{Lu}|[b-df-hj-z])(?![\p{L}\p{N}'\u2019])/gu;

interface MarkedText {
  readonly marks: readonly string[];
  /** The text without them. */
  readonly rest: string;
}

export function takeMarks(text: string): MarkedText {
  const even = text.replace(THOUSANDS, (number) => number.replace(/\D/g, ""));
  const marks: string[] = [];
  const take = (mark: string) => {
    marks.push(mark);
    return " ";
  };
  const words = even.replace(MARK, (raw) => {
    const value = foldUmlaut(foldText(raw)).replace(/^[._:/#-]+|[._:/#-]+$/g, "");
    return value !== "" && isMark(raw, value) ? take(plainDate(value)) : raw;
  });
  const shouted = !/\p{Ll}/u.test(words);
  const rest = words.replace(LETTER, (letter) =>
    letter === "I" || (shouted && letter === "A") ? letter : take(foldText(letter)),
  );
  return { marks, rest };
}

function isMark(raw: string, value: string): boolean {
  if (/\d/.test(value) || /@|:\/\//.test(value)) return true;
  const ending = FILE.exec(raw.replace(/[._:/#-]+$/, ""))?.[2]?.toLowerCase();
  // "Danke.wo ist" is a missing space.
  return ending !== undefined && !LIGHT_WORDS.has(ending);
}

/** 12.3.2026 is 2026-03-12. */
function plainDate(value: string): string {
  const parts = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(value);
  if (parts === null) return value;
  const [, day = "", month = "", year = ""] = parts;
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}
