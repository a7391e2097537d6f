/** Who does it to whom, and from where to where: the one order that changes what is asked. */
import { foldUmlaut } from "./fold.ts";
import type { WrittenWord } from "./written.ts";

const set = (words: string) => new Set(words.split(/\s+/).map(foldUmlaut));
const FROM = set("von aus ab vom from");
const TO = set("nach an zu bis zum zur to into");
const BEFORE_OTHERS = set(
  `und oder and or von vom aus ab nach an zu fur mit bei in im auf uber unter zwischen gegen ohne durch wegen um from to
  for with at of by on about into between against without as than als wie`,
);
/** Verbs after which the first name is the one who acts. */
export const VERBS_BEFORE_NAMES = set(
  `ist sind war waren wird werden wurde wurden hat hatte habe haben kann konnen konnte darf durfen muss mussen musste soll
  sollen sollte bekommt bekomme braucht brauche zahlt schuldet liefert schickt gibt is are was were has have had does do
  did can could should must may will would shall`,
);

/** `x>y` for each two names in such an order, sorted. */
export function orderOf(sentences: readonly (readonly WrittenWord[])[]): string[] {
  return [...new Set(sentences.flatMap((words) => [...wayIn(words), ...actsIn(words)]))].sort();
}

function wayIn(words: readonly WrittenWord[]): string[] {
  const after = (prepositions: ReadonlySet<string>) =>
    words.flatMap(({ folded, capital }, index) =>
      capital && prepositions.has(words[index - 1]?.folded ?? "") ? [folded] : [],
    );
  return after(FROM).flatMap((from) => after(TO).map((to) => `${from}>${to}`));
}

function actsIn(words: readonly WrittenWord[]): string[] {
  const start = words.findIndex(
    ({ proper }, index) => proper && VERBS_BEFORE_NAMES.has(words[index - 1]?.folded ?? ""),
  );
  const [actor, ...others] = start === -1 ? [] : words.slice(start);
  if (actor === undefined) return [];
  return others.flatMap(({ folded, proper }, index) =>
    proper && !BEFORE_OTHERS.has(others[index - 1]?.folded ?? "") ? [`${actor.folded}>${folded}`] : [],
  );
}

export function isReversed(a: readonly string[], b: readonly string[]): boolean {
  return a.some((pair) => b.includes(pair.split(">").reverse().join(">")));
}
