/** The mark is longer than a short text, so a row that is nearly full can outgrow what the platform takes. */
import { MAX_ROW_TEXT_BYTES } from "../limits.ts";
import { utf8Bytes } from "../record/stored-text.ts";
import type { Eraser, Needle } from "./needle.ts";

/** The row as `erase` makes it with the usual mark, or with the brief one where it would not fit otherwise. */
export function fittingRow<Row extends Readonly<Record<string, unknown>>>(
  needle: Needle,
  erase: (eraser: Eraser) => Row,
): Row {
  const row = erase(needle);
  return bytesOf(row) <= MAX_ROW_TEXT_BYTES ? row : erase(needle.brief);
}

function bytesOf(row: Readonly<Record<string, unknown>>): number {
  return Object.values(row).reduce<number>(
    (sum, cell) => sum + (typeof cell === "string" ? utf8Bytes(cell) : 0),
    0,
  );
}
