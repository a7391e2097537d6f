/** Which tables and columns of an object's SQLite are gone over: all but those named here, so that later ones are too. */
import { type Database, int, text } from "../journal/database.ts";
import { isStructural } from "./structure.ts";

/** Config is changed by pushing another one; the others hold no text of a person. */
const LEFT_ALONE: readonly string[] = [
  "Entries",
  "Retired",
  "Instance",
  "ConfigVersions",
  "Acts",
  "ApiTokens",
  "Due",
  "HandOver",
  "Versions",
  "Spending",
  "Erasures",
];

export interface Table {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

/** By name, so that a place in them can be come back to. */
export function tablesOf(db: Database): Table[] {
  return db
    .all(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*' ORDER BY name",
    )
    .filter((row) => !LEFT_ALONE.includes(text(row, "name")))
    .map((row) => tableOf(db, text(row, "name"), text(row, "sql")))
    .filter(({ columns }) => columns.length > 0);
}

function tableOf(db: Database, name: string, sql: string): Table {
  const columns = db.all("SELECT name, type, pk FROM pragma_table_info(?)", name);
  const primary = columns
    .filter((column) => int(column, "pk") > 0)
    .sort((a, b) => int(a, "pk") - int(b, "pk"));
  const key = /WITHOUT ROWID/i.test(sql) ? primary.map((column) => text(column, "name")) : ["rowid"];
  const texts = columns
    .filter((column) => text(column, "type") === "TEXT")
    .map((column) => text(column, "name"));
  // Keys of tools and of callers may be anything, an address too.
  const erased = texts.filter(
    (column) => FOREIGN_KEYS.includes(`${name}.${column}`) || !isStructural(column),
  );
  return { name, key, columns: erased };
}

const FOREIGN_KEYS: readonly string[] = ["ToolState.key"];

export function quote(name: string): string {
  return `"${name}"`;
}
