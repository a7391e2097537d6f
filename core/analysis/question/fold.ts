/** Spellings that mean the same letter for the comparison of questions. */

/** Umlauts written as two letters become one, as folding leaves those with dots: consistent, if not always a word. */
export function foldUmlaut(word: string): string {
  return word.replace(/([aou])e/g, "$1");
}
