/**
 * Erasing in an object's SQLite: whatever tables it has, also those that come later. Only what is named here is left
 * alone. Callers make the transactions.
 */
import { type Database, type Row, type SqlValue, text } from "../journal/database.ts";
import { splitText } from "../journal/long-text.ts";
import { forgetSettings } from "../journal/settings.ts";
import { MAX_ROW_TEXT_BYTES } from "../limits.ts";
import { eraseOwnJson, erasePacked, eraseText } from "./erase-value.ts";
import type { Needle } from "./needle.ts";
import { quote, type Table, tablesOf } from "./object-tables.ts";
import { isOwnJson, isOwnLongText } from "./structure.ts";

const LEFT_SETTINGS: readonly string[] = ["documents"];
const LONG_TEXTS = "LongTexts";
/** Rows that one call looks at, about. */
const ROWS = 2_000;
const PAGE = 200;
const LONG_TEXTS_AT_ONCE = 10;

export interface ObjectPlace {
  readonly table: string;
  /** The primary key of the last row that was looked at; empty at the table's beginning. */
  readonly key: readonly SqlValue[];
}

export interface ErasedInObject {
  readonly found: number;
  /** Null when this was all. */
  readonly next: ObjectPlace | null;
}

/** A stretch of the object's rows. `write: false` only counts. */
export function eraseInObject(
  db: Database,
  needle: Needle,
  { from, write }: { readonly from: ObjectPlace | null; readonly write: boolean },
): ErasedInObject {
  const tables = tablesOf(db).filter(({ name }) => from === null || name >= from.table);
  let [found, looked] = [0, 0];
  for (const table of tables) {
    let key: readonly SqlValue[] | null = table.name === from?.table ? from.key : [];
    while (key !== null) {
      // A place is written down by whoever goes on from it, so it must not name the text itself.
      if (looked >= ROWS && needle.count(JSON.stringify(key)) === 0)
        return { found, next: { table: table.name, key } };
      const page: Page = table.name === LONG_TEXTS ? longTexts(db, key) : rowsOf(db, table, key, needle);
      for (const hit of page.hits)
        found +=
          table.name === LONG_TEXTS
            ? eraseLong(db, hit, needle, write)
            : eraseRow(db, { table, hit }, needle, write);
      looked += page.looked;
      key = page.next;
    }
  }
  return { found, next: null };
}

interface Page {
  readonly hits: readonly Row[];
  readonly looked: number;
  readonly next: readonly SqlValue[] | null;
}

function rowsOf(
  db: Database,
  { name, key, columns }: Table,
  after: readonly SqlValue[],
  needle: Needle,
): Page {
  const keys = key
    .map((column, index) => `${column === "rowid" ? "rowid" : quote(column)} AS k${index}`)
    .join(", ");
  const tuple = key.map((column) => (column === "rowid" ? "rowid" : quote(column))).join(", ");
  const like = columns.flatMap((column) => needle.likes.map(() => `${quote(column)} LIKE ?`)).join(" OR ");
  const where = after.length === 0 ? "" : `WHERE (${tuple}) > (${after.map(() => "?").join(", ")})`;
  const rows = db.all(
    `SELECT ${keys}, coalesce(${like}, 0) AS hit FROM ${quote(name)} ${where} ORDER BY ${tuple} LIMIT ${PAGE}`,
    ...columns.flatMap(() => needle.likes),
    ...after,
  );
  const last = rows.length === PAGE ? rows.at(-1) : undefined;
  return {
    hits: rows.filter((row) => row.hit !== 0),
    looked: rows.length,
    next: last === undefined ? null : keyOf(last, key.length),
  };
}

/** Whether the row held it. Its key is matched as it was. */
function eraseRow(
  db: Database,
  { table, hit }: { readonly table: Table; readonly hit: Row },
  needle: Needle,
  write: boolean,
): number {
  const { name, key, columns } = table;
  const at = keyOf(hit, key.length);
  const where = key.map((column) => `${column === "rowid" ? "rowid" : quote(column)} = ?`).join(" AND ");
  const [row] = db.all(`SELECT ${columns.map(quote).join(", ")} FROM ${quote(name)} WHERE ${where}`, ...at);
  if (row === undefined || isLeftSetting(name, at)) return 0;
  const changed = columns.flatMap((column) => {
    const value = row[column];
    if (typeof value !== "string") return [];
    const erased = erasePacked(value, isOwnJson(name, column), needle);
    return erased === value ? [] : [{ column, erased }];
  });
  if (changed.length === 0) return 0;
  const sets = changed.map(({ column }) => `${quote(column)} = ?`).join(", ");
  // Two keys that differ only in what is erased become one.
  if (write)
    db.run(
      `UPDATE OR REPLACE ${quote(name)} SET ${sets} WHERE ${where}`,
      ...changed.map(({ erased }) => erased),
      ...at,
    );
  if (write && name === "Settings") forgetSettings(db);
  return 1;
}

function isLeftSetting(table: string, key: readonly SqlValue[]): boolean {
  return table === "Settings" && LEFT_SETTINGS.some((name) => name === key[0]);
}

/** A long text is one, whatever parts it lies in: it may stand across a border. */
function longTexts(db: Database, after: readonly SqlValue[]): Page {
  const [key = ""] = after;
  const rows = db.all(
    `SELECT DISTINCT key AS k0 FROM LongTexts WHERE key > ? ORDER BY key LIMIT ${LONG_TEXTS_AT_ONCE}`,
    key,
  );
  const last = rows.length === LONG_TEXTS_AT_ONCE ? rows.at(-1) : undefined;
  // Each is worth many rows.
  return { hits: rows, looked: rows.length * PAGE, next: last === undefined ? null : keyOf(last, 1) };
}

function eraseLong(db: Database, hit: Row, needle: Needle, write: boolean): number {
  const key = text(hit, "k0");
  if (LEFT_SETTINGS.some((name) => key === `setting:${name}`)) return 0;
  const parts = db.all("SELECT text FROM LongTexts WHERE key = ? ORDER BY part", key);
  const whole = parts.map((row) => text(row, "text")).join("");
  const erased = isOwnLongText(key) ? eraseOwnJson(whole, needle) : eraseText(whole, needle);
  const named = /^state:/.test(key) ? needle.erase(key) : key;
  if (erased === whole && named === key) return 0;
  if (!write) return 1;
  for (const old of [key, named]) db.run("DELETE FROM LongTexts WHERE key = ?", old);
  splitText(erased, Math.floor(MAX_ROW_TEXT_BYTES / 3)).forEach((part, index) => {
    db.run("INSERT INTO LongTexts (key, part, text) VALUES (?, ?, ?)", named, index, part);
  });
  return 1;
}

function keyOf(row: Row, columns: number): SqlValue[] {
  return Array.from({ length: columns }, (_, index) => {
    const value = row[`k${index}`];
    return typeof value === "string" || typeof value === "number" ? value : null;
  });
}
