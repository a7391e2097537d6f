/** How much of a long text is shown at once. */
const LINE_CHARS = 66;
const MAX_LINES = 12;
/** Folding away two lines would cost a click and save nothing. */
const SPARE_LINES = 3;

/** Whether a text is so long that it is folded. An estimate by its characters: measuring each row costs more. */
export function isLong(text: string): boolean {
  if (text.length > LINE_CHARS * (MAX_LINES + SPARE_LINES)) return true;
  let lines = 0;
  for (const line of text.split("\n")) lines += Math.max(1, Math.ceil(line.length / LINE_CHARS));
  return lines > MAX_LINES + SPARE_LINES;
}

/** Folded, no more than this can be seen, and the page need not lay out the rest. */
const FOLDED_CHARS = 2_400;
/** Beyond this a text is given out in pieces: laying out a megabyte without a break in it takes long. */
export const PIECE_CHARS = 40_000;

/** The beginning of a text, not cut within a character. */
export function beginningOf(text: string, chars = FOLDED_CHARS): string {
  if (text.length <= chars) return text;
  return text.slice(0, chars).replace(/[\ud800-\udbff]$/, "");
}
