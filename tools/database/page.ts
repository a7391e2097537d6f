/** Cuts an answer to what a model's context can take, and says what was cut and how to go on. */
import { CUT_MARGIN, cutValue, type Mask } from "./cut-value.ts";

/** Characters of an answer's rows; below the engine's own cap, so that it never cuts in the middle of a row. */
export const PAGE_CHARS = 16_000;
/** What a database has to give of a long value, where it can cut it itself: one more than is of use. */
export const FETCHED_CHARS = PAGE_CHARS + CUT_MARGIN + 1;

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  /** What was asked for, when it was more than `limit`. */
  readonly asked: number | null;
  readonly mask: Mask;
}

type ShownRow = Readonly<Record<string, unknown>>;

/** Takes rows one by one, as they come from the database, until the page is full. */
export interface Page {
  /** False when the row no longer belongs on the page; it is not kept then. */
  add(row: ShownRow): boolean;
  /** The answer as JSON: `rows`, `nextOffset` (null at the end), `notes` when something was cut. */
  text(): string;
}

export function createPage(request: PageRequest): Page {
  const rows: ShownRow[] = [];
  const cutColumns = new Set<string>();
  let room = PAGE_CHARS;
  let more: "rows" | "size" | null = null;
  const fitted = (row: ShownRow) => {
    const { row: shorter, columns } = cutValue(row, { room: PAGE_CHARS, mask: request.mask });
    for (const column of columns) cutColumns.add(column);
    return shorter;
  };
  return {
    add: (row) => {
      if (rows.length >= request.limit) more = "rows";
      if (more !== null) return false;
      // The first row is always shown, if need be with its values cut, or paging would stand still.
      const kept = rows.length === 0 ? fitted(row) : row;
      const size = JSON.stringify(kept).length + 1;
      if (size > room && rows.length > 0) {
        more = "size";
        return false;
      }
      room -= size;
      rows.push(kept);
      return true;
    },
    text: () => {
      const nextOffset = more === null ? null : request.offset + rows.length;
      const notes = notesOf({ request, more, nextOffset, columns: [...cutColumns], count: rows.length });
      return JSON.stringify({ rows, nextOffset, ...(notes.length === 0 ? {} : { notes }) });
    },
  };
}

interface Cuts {
  readonly request: PageRequest;
  readonly more: "rows" | "size" | null;
  readonly nextOffset: number | null;
  readonly columns: readonly string[];
  readonly count: number;
}

function notesOf({ request, more, nextOffset, columns, count }: Cuts): string[] {
  const goOn = `Ask again with offset ${nextOffset} for the next ones (give orderBy, so that pages do not overlap), or narrow it down with where, columns or aggregates.`;
  const lowered =
    request.asked === null ? "" : ` (asked for: ${request.asked}, allowed at once: ${request.limit})`;
  return [
    ...(more === "rows" ? [`There are more rows than the ${count} shown${lowered}. ${goOn}`] : []),
    ...(more === "size"
      ? [`Only the first ${count} rows fit into an answer of ${PAGE_CHARS} characters. ${goOn}`]
      : []),
    ...(columns.length > 0
      ? [`Long values were cut in: ${columns.join(", ")}. Ask for fewer columns to see more of them.`]
      : []),
  ];
}
