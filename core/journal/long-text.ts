/**
 * Texts of any length in rows of bounded size. A stored value starts with `=` (the text follows) or
 * `@` (the text lies in LongTexts under that key), so no text can pass for a reference.
 */
import { MAX_ROW_TEXT_BYTES } from "../limits.ts";
import { type Database, text } from "./database.ts";

/** UTF-16 units per part: at most three bytes each in UTF-8, so a part always fits a row. */
const PART_UNITS = Math.floor(MAX_ROW_TEXT_BYTES / 3);

export const LONG_TEXT_SCHEMA = `
  CREATE TABLE IF NOT EXISTS LongTexts (key TEXT NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (key, part)) WITHOUT ROWID;
`;

/** Returns what to put into the column. `key` is unique to the row and column; writing it again replaces it. */
export function packText(db: Database, key: string, value: string): string {
  if (value.length <= PART_UNITS) return `=${value}`;
  db.run("DELETE FROM LongTexts WHERE key = ?", key);
  splitText(value, PART_UNITS).forEach((part, index) => {
    db.run("INSERT INTO LongTexts (key, part, text) VALUES (?, ?, ?)", key, index, part);
  });
  return `@${key}`;
}

/** The whole text of a packed column. */
export function unpackText(db: Database, stored: string): string {
  if (stored.startsWith("=")) return stored.slice(1);
  const parts = db.all("SELECT text FROM LongTexts WHERE key = ? ORDER BY part", stored.slice(1));
  return parts.map((row) => text(row, "text")).join("");
}

/** Removes what a packed column kept outside its row. */
export function dropText(db: Database, stored: string): void {
  if (stored.startsWith("@")) db.run("DELETE FROM LongTexts WHERE key = ?", stored.slice(1));
}

/** Cuts into pieces of at most `units` UTF-16 units, never inside a surrogate pair. */
export function splitText(value: string, units: number): string[] {
  const parts: string[] = [];
  let from = 0;
  while (from < value.length) {
    const to = cutPosition(value, from + units);
    parts.push(value.slice(from, to));
    from = to;
  }
  return parts;
}

/** The nearest position at or before `at` that does not split a surrogate pair. */
export function cutPosition(value: string, at: number): number {
  if (at >= value.length) return value.length;
  const unit = value.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
