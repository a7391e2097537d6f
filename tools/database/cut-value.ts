/** Takes the secrets out of a whole text. */
export type Mask = (text: string) => string;

const MARK = "...[cut]";
/**
 * Characters that a database gives of a long value beyond what can be shown. A secret at the place where the
 * database cut is not recognised any more, so that many characters at the end of such a text are not shown.
 */
export const CUT_MARGIN = 4_000;

export interface CutRequest {
  /** Characters of the row's JSON. */
  readonly room: number;
  readonly mask: Mask;
}

export interface CutRow {
  readonly row: Readonly<Record<string, unknown>>;
  /** Columns whose values were cut. */
  readonly columns: readonly string[];
}

/**
 * The row with its longest values shortened until its JSON has at most `room` characters. A value that is no
 * text is shown as the beginning of its JSON, because a part of a list or of a document is none. Secrets are masked
 * before the cut (L5): half of one would be seen by nobody afterwards.
 */
export function cutValue(row: Readonly<Record<string, unknown>>, { room, mask }: CutRequest): CutRow {
  if (sizeOf(row) <= room) return { row, columns: [] };
  const names = Object.keys(row);
  // Names and punctuation stay; what is left is shared by the values, the short ones leaving theirs to the others.
  const overhead = names.reduce((sum, name) => sum + sizeOf(name) + 2, 2);
  const share = fairShare(
    names.map((name) => sizeOf(row[name])),
    Math.max(room - overhead, 0),
  );
  const columns = names.filter((name) => sizeOf(row[name]) > share);
  const shorter = (value: unknown) => begin(maskedText(value, { room, mask }), share);
  const entries = names.map((name) => [name, columns.includes(name) ? shorter(row[name]) : row[name]]);
  return { row: Object.fromEntries(entries), columns };
}

/** The largest size that all may have so that their sum stays within `room`. */
function fairShare(sizes: readonly number[], room: number): number {
  let left = room;
  let share = 0;
  const ascending = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return share;
}

function maskedText(value: unknown, { room, mask }: CutRequest): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const masked = mask(text);
  return text.length > room + CUT_MARGIN ? masked.slice(0, -CUT_MARGIN) : masked;
}

/** The beginning of a text, so that it has at most `size` characters in JSON. */
function begin(text: string, size: number): string {
  const room = size - MARK.length - 2;
  let length = Math.max(room, 0);
  while (length > 0 && sizeOf(text.slice(0, length)) - 2 > room) length = Math.floor(length * 0.9);
  return text.slice(0, length).toWellFormed() + MARK;
}

const sizeOf = (value: unknown) => (JSON.stringify(value) ?? "null").length;
