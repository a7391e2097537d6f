/** One row of an older table, read field by field; notes what was there and could not be taken as it was. */
import { type OldCell, readCount, readDuration, readTime } from "./import-values.ts";
import { type Words, wordFor } from "./import-words.ts";
import { cutToUnits } from "./stored-text.ts";

/** `value` is scrubbed and cut; null where the cell was NULL or its column is missing. */
export interface ImportNote {
  readonly field: string;
  readonly code: "unreadable" | "unknown_word" | "missing" | "no_root";
  readonly value: string | null;
  /** What was put in its place. */
  readonly instead: string | null;
}

export interface FieldReader<Field extends string> {
  readonly notes: readonly ImportNote[];
  /** The field whose id cannot be kept, for it is malformed or holds a secret. */
  readonly badId: () => string | null;
  raw(field: Field): OldCell;
  /** Scrubbed; null where nothing stands there. */
  text(field: Field): string | null;
  id(field: Field): string | null;
  count(field: Field): number | null;
  duration(field: Field): number | null;
  time(field: Field): string | null;
  /** The word of ours, or `fallback`, which is noted. */
  word<Word extends string>(field: Field, words: Words<Word>, fallback: Word): Word;
  note(note: ImportNote): void;
  /** A cell's value as it may be told: scrubbed, then cut. */
  shown(field: Field): string | null;
}

const SHOWN_CHARS = 80;
const ID = /^[^\p{C}]{1,200}$/u;
const NO_ID = /^[0-]*$/;

/** @param cellOf the cell of a field, NULL where the file has no such column */
export function fieldReader<Field extends string>(
  cellOf: (field: Field) => OldCell,
  scrub: (text: string) => string,
): FieldReader<Field> {
  const notes: ImportNote[] = [];
  let badId: string | null = null;
  const shown = (field: Field) => {
    const cell = cellOf(field);
    return cell === null ? null : cutToUnits(scrub(String(cell)), SHOWN_CHARS);
  };
  const readable = <Value>(field: Field, read: (cell: OldCell) => Value | null): Value | null => {
    const value = read(cellOf(field));
    if (value === null && hasText(cellOf(field)))
      notes.push({ field, code: "unreadable", value: shown(field), instead: null });
    return value;
  };
  return {
    notes,
    badId: () => badId,
    raw: cellOf,
    shown,
    text: (field) => (hasText(cellOf(field)) ? scrub(String(cellOf(field))) : null),
    id(field) {
      const id = String(cellOf(field) ?? "").trim();
      if (NO_ID.test(id)) return null;
      if (!ID.test(id) || scrub(id) !== id) badId ??= field;
      return id;
    },
    count: (field) => readable(field, readCount),
    duration: (field) => readable(field, readDuration),
    time: (field) => readable(field, readTime),
    word(field, words, fallback) {
      const cell = cellOf(field);
      const word = cell === null ? null : wordFor(words, String(cell));
      if (word !== null) return word;
      const code = hasText(cell) ? "unknown_word" : "missing";
      notes.push({ field, code, value: shown(field), instead: fallback });
      return fallback;
    },
    note: (note) => void notes.push(note),
  };
}

function hasText(cell: OldCell): boolean {
  return cell !== null && (typeof cell === "number" || cell.trim() !== "");
}
