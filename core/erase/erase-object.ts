/**
 * Erasing in an object's SQLite: whatever tables it has, also those that come later. Only what is named here is left
 * alone. Callers make the transactions.
 */
import { type Database, first, type Row, type SqlValue, text } from "../journal/database.ts";
import { splitText } from "../journal/long-text.ts";
import { forgetSettings } from "../journal/settings.ts";
import { MAX_ROW_TEXT_BYTES } from "../limits.ts";
import { eraseOwnJson, erasePacked, eraseText } from "./erase-value.ts";
import type { Eraser, Needle } from "./needle.ts";
import { quote, type Table, tablesOf } from "./object-tables.ts";
import { fittingRow } from "./row-size.ts";
import { eraseLongKey, isLoose, moveLongState } from "./state-keys.ts";
import { isOwnJson, isOwnLongText, isPlainName } from "./structure.ts";

const LEFT_SETTINGS: readonly string[] = ["documents"];
const LONG_TEXTS = "LongTexts";
const STATE = "ToolState";
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
      const page: Page =
        table.name === LONG_TEXTS ? longTexts(db, key) : rowsOf(db, table, { after: key, needle });
      for (const hit of page.hits)
        found +=
          table.name === LONG_TEXTS
            ? eraseLong(db, hit, { needle, write })
            : eraseRow(db, { table, hit }, { needle, write });
      looked += page.looked;
      key = page.next;
    }
  }
  return { found, next: null };
}

interface Erasing {
  readonly needle: Needle;
  readonly write: boolean;
}

interface Page {
  readonly hits: readonly Row[];
  readonly looked: number;
  readonly next: readonly SqlValue[] | null;
}

function rowsOf(
  db: Database,
  { name, key, columns }: Table,
  { after, needle }: { readonly after: readonly SqlValue[]; readonly needle: Needle },
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
  { needle, write }: Erasing,
): number {
  const { name, key, columns } = table;
  const at = keyOf(hit, key.length);
  const where = key.map((column) => `${column === "rowid" ? "rowid" : quote(column)} = ?`).join(" AND ");
  const [row] = db.all(`SELECT ${columns.map(quote).join(", ")} FROM ${quote(name)} WHERE ${where}`, ...at);
  if (row === undefined || isLeftSetting(name, at)) return 0;
  const erased = fittingRow(needle, (eraser) => erasedRow(name, row, eraser));
  const changed = columns.filter((column) => erased[column] !== row[column]);
  if (changed.length === 0) return 0;
  if (!write) return 1;
  if (name === STATE && changed.includes("key"))
    moveLongState(db, text(row, "tool"), { from: text(row, "key"), to: text(erased, "key") });
  // Two keys that differ only in what is erased become one.
  db.run(
    `UPDATE OR REPLACE ${quote(name)} SET ${changed.map((column) => `${quote(column)} = ?`).join(", ")} WHERE ${where}`,
    ...changed.map((column) => text(erased, column)),
    ...at,
  );
  if (name === "Settings") forgetSettings(db);
  return 1;
}

function erasedRow(table: string, row: Row, eraser: Eraser): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      typeof value === "string" ? erasedCell(`${table}.${column}`, value, eraser) : value,
    ]),
  );
}

/** `place`: `Table.column`. */
function erasedCell(place: string, value: string, eraser: Eraser): string {
  const [table = "", column = ""] = place.split(".");
  if (isPlainName(column, value)) return value;
  if (table === STATE && value.startsWith("@")) return eraseLongKey(value, eraser);
  return erasePacked(value, isOwnJson(table, column), eraser);
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

function eraseLong(db: Database, hit: Row, { needle, write }: Erasing): number {
  const key = text(hit, "k0");
  const setting = LEFT_SETTINGS.find((name) => key === `setting:${name}`);
  if (setting !== undefined && isInUse(db, setting)) return 0;
  const parts = db.all("SELECT text FROM LongTexts WHERE key = ? ORDER BY part", key);
  const whole = parts.map((row) => text(row, "text")).join("");
  const erased = isOwnLongText(key) ? eraseOwnJson(whole, needle) : eraseText(whole, needle);
  // The state that it belongs to takes its name along; one that belongs to none goes.
  const goes = eraseLongKey(key, needle) !== key && isLoose(db, key);
  if (erased === whole && !goes) return 0;
  if (!write) return 1;
  db.run("DELETE FROM LongTexts WHERE key = ?", key);
  if (goes) return 1;
  splitText(erased, Math.floor(MAX_ROW_TEXT_BYTES / 3)).forEach((part, index) => {
    db.run("INSERT INTO LongTexts (key, part, text) VALUES (?, ?, ?)", key, index, part);
  });
  return 1;
}

/** Whether the setting's value lies apart: one that became short leaves the long one behind. */
function isInUse(db: Database, setting: string): boolean {
  return first(db, "SELECT 1 FROM Settings WHERE name = ? AND value LIKE '@%'", setting) !== null;
}

function keyOf(row: Row, columns: number): SqlValue[] {
  return Array.from({ length: columns }, (_, index) => {
    const value = row[`k${index}`];
    return typeof value === "string" || typeof value === "number" ? value : null;
  });
}
