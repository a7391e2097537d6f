/** Spellings that mean the same letter for the comparison of questions. */

/**
 * Umlauts written as two letters become one, as folding leaves those with dots: consistent, if not always a word.
 * After a vowel or q the two letters are two sounds: Bauer is not Baur.
 */
export function foldUmlaut(word: string): string {
  return word.replace(/(?<![aeiouq])([aou])e/g, "$1");
}
