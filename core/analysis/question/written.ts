/** The words of a question as they are written: which of them are names, going by capitals and what stands before. */
import { foldText } from "../../record/search-terms.ts";
import { foldUmlaut } from "./fold.ts";
import { LIGHT_NOUNS, LIGHT_WORDS } from "./light-words.ts";

export interface WrittenWord {
  /** Without case, accents and umlauts. */
  readonly folded: string;
  readonly capital: boolean;
  /** With a capital, and neither an article nor an adjective before it: it is compared letter by letter. */
  readonly proper: boolean;
  /** Begins a sentence or what follows a colon. */
  readonly first: boolean;
}

const WORD = /\p{L}[\p{L}\p{M}]*/gu;
const STARTS = /([.?!:\n\u2013]|\s-)["'\s(\u201e\u201c]*$/u;
const ENDS_A_TOPIC = /^\s*(:|-\s|\u2013)/u;
const fold = (word: string) => foldUmlaut(foldText(word));
const wordSet = (words: string) => new Set(words.split(/\s+/).map(foldUmlaut));

const DETERMINERS = wordSet(
  `der die das dem den des ein eine einen einem einer eines kein keine keinen keinem keiner dieser diese dieses diesen
  diesem jede jeder jedes jeden jedem welche welcher welches welchen welchem mein meine meinen meinem meiner dein deine
  deinen unser unsere unseren unserem unserer euer eure ihr ihre ihren sein seine alle im am zum zur beim ins vom ans
  the a an this that these those which what our your my his her their its any some`,
);
/** Written with a capital out of courtesy, or always. */
const PRONOUNS = wordSet(
  "i sie ihnen ihr ihre ihrem ihren ihrer du dir dich dein deine deinem deinen deiner euch",
);
const ADJECTIVE = /(e|en|er|es|em)$/;

/** In their order. A text that is all capitals tells nothing of names. */
export function writtenWords(text: string): WrittenWord[] {
  const told = /\p{Ll}/u.test(text);
  const found = [...text.matchAll(WORD)];
  return found.map((match, index) => {
    const [raw] = match;
    const folded = fold(raw);
    const end = index === 0 ? 0 : endOf(found[index - 1]);
    const between = text.slice(end, match.index);
    const first = index === 0 || STARTS.test(between);
    // A light word that is all capitals is said loudly.
    const capital = told && /^\p{Lu}/u.test(raw) && !(/^\p{Lu}{2,}$/u.test(raw) && LIGHT_WORDS.has(folded));
    const topic = ENDS_A_TOPIC.test(text.slice(match.index + raw.length, match.index + raw.length + 3));
    const bare = first ? topic && !LIGHT_WORDS.has(folded) : isBare(found[index - 1]?.[0] ?? "", between);
    return { folded, capital, first, proper: capital && !PRONOUNS.has(folded) && bare };
  });
}

const endOf = (match: RegExpExecArray | undefined) =>
  match === undefined ? 0 : match.index + match[0].length;

function isBare(before: string, between: string): boolean {
  const folded = fold(before);
  if (!/^["'\s(\u201e\u201c&+-]*$/u.test(between)) return !LIGHT_WORDS.has(folded);
  if (DETERMINERS.has(folded)) return false;
  const adjective = /^\p{Ll}/u.test(before) && ADJECTIVE.test(folded) && !LIGHT_WORDS.has(folded);
  return !adjective;
}

/** A name that happens to be a word that says nothing, as in "Herrn Kurz", or a thing, as in "das Teil". */
export function isKept({ folded, capital, first, proper }: WrittenWord): boolean {
  return capital && !LIGHT_NOUNS.has(folded) && !PRONOUNS.has(folded) && (proper || !first);
}
