/**
 * The tables of D1 as a backup goes over them: all that are there, but for virtual ones and what these keep. The
 * search index is one of those; it follows from its table by triggers, and the platform's own export fails on it.
 */
import { getTableName } from "drizzle-orm/table";
import { ANALYSIS_TABLES, dirtyChains, newAnswers } from "../analysis/schema.ts";
import type { Cell } from "../record/columns.ts";

/**
 * `growing`: written also while nothing happens, so it may hold rows before a restore, and more than the file's
 * afterwards. `derived`: the instance makes it from the others and goes on doing so while it is restored. `passing`:
 * the same, and rows go once they are dealt with.
 */
export type TableKind = "content" | "growing" | "derived" | "passing";

export interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly kind: TableKind;
}

/** The mirror begins anew after a restore; the migrations are the database's own. */
const LEFT_OUT: readonly string[] = ["Mirror", "MirrorQueue", "d1_migrations"];
const GROWING: readonly string[] = ["Logs", "AdminLog"];
const PASSING: readonly string[] = [dirtyChains, newAnswers].map((table) => getTableName(table));
const DERIVED: readonly string[] = ANALYSIS_TABLES.map((table) => getTableName(table));
const ACTS = "AdminLog";
/** What was done to the instance is not undone by a restore. */
const NEVER_EMPTIED: readonly string[] = [ACTS];

/** Counts every row, which reads all of them: for a person's command. Those with triggers first, see `insertRows`. Rejects when D1 does. */
export async function backupTables(db: D1Database): Promise<BackupTable[]> {
  const names = [...(await tableNames(db))].sort();
  const firing = await withTriggers(db);
  const ordered = [...names.filter((name) => firing.has(name)), ...names.filter((name) => !firing.has(name))];
  return Promise.all(ordered.map((name) => describeTable(db, name)));
}

/** Virtual tables and what they keep have other types. */
async function tableNames(db: D1Database): Promise<Set<string>> {
  const { results } = await db
    .prepare(`PRAGMA table_list`)
    .all<{ schema: string; name: string; type: string }>();
  const own = results.filter(
    ({ schema, name, type }) => schema === "main" && type === "table" && !isInternal(name),
  );
  return new Set(own.map(({ name }) => name));
}

function isInternal(name: string): boolean {
  return LEFT_OUT.includes(name) || /^(?:sqlite_|_cf_)/.test(name);
}

async function withTriggers(db: D1Database): Promise<Set<string>> {
  const { results } = await db
    .prepare(`SELECT DISTINCT tbl_name AS "name" FROM sqlite_master WHERE type = 'trigger'`)
    .all<{ name: string }>();
  return new Set(results.map(({ name }) => name));
}

async function describeTable(db: D1Database, name: string): Promise<BackupTable> {
  const count = await db.prepare(`SELECT count(*) AS "rows" FROM ${quoted(name)}`).first<{ rows: number }>();
  return {
    name,
    columns: await columnsOf(db, name),
    rows: count?.rows ?? 0,
    kind: kindOf(name),
  };
}

function kindOf(name: string): TableKind {
  if (GROWING.includes(name)) return "growing";
  if (PASSING.includes(name)) return "passing";
  return DERIVED.includes(name) ? "derived" : "content";
}

/** In the table's order; empty for a table that no backup holds. Rejects when D1 does. */
export async function columnsOf(db: D1Database, name: string): Promise<string[]> {
  if (!(await tableNames(db)).has(name)) return [];
  const { results } = await db.prepare(`PRAGMA table_info(${quoted(name)})`).all<{ name: string }>();
  return results.map((column) => column.name);
}

/** The names of the migrations that made the tables, in their order. Rejects when D1 does. */
export async function appliedMigrations(db: D1Database): Promise<string[]> {
  const { results } = await db.prepare(`SELECT name FROM d1_migrations ORDER BY id`).all<{ name: string }>();
  return results.map(({ name }) => name);
}

export interface BackupPage {
  readonly rows: readonly (readonly Cell[])[];
  /** The key after which to go on; null at the table's end. */
  readonly after: readonly Cell[] | null;
}

const PAGE_ROWS = 500;
const PAGE_CHARS = 3_000_000;

/**
 * Rows in the order of the primary key, after `after`; null begins. What is written meanwhile may be missing or not;
 * every row that stays is there once. Rejects when D1 does.
 */
export async function readPage(
  db: D1Database,
  { name, columns }: Pick<BackupTable, "name" | "columns">,
  after: readonly Cell[] | null,
): Promise<BackupPage> {
  const keys = (await keyOf(db, name)).join(", ");
  const limit = await fittingRows(db, { name, columns, keys, after });
  const read = await db
    .prepare(`SELECT ${columns.map(quoted).join(", ")}, ${keys} ${following(name, keys, after)} LIMIT ?`)
    .bind(...(after ?? []), limit)
    .raw<Cell[]>();
  // From the same statement as the rows: another one may see others.
  const last = read.length < limit ? undefined : read.at(-1);
  return {
    rows: read.map((row) => row.slice(0, columns.length)),
    after: last?.slice(columns.length) ?? null,
  };
}

interface PagePlace {
  readonly name: string;
  readonly columns: readonly string[];
  readonly keys: string;
  readonly after: readonly Cell[] | null;
}

/** How many rows a page may have by what is there now. */
async function fittingRows(db: D1Database, { name, columns, keys, after }: PagePlace): Promise<number> {
  const size = columns.map((column) => `coalesce(length(${quoted(column)}), 0)`).join(" + ");
  const sized = await db
    .prepare(`SELECT ${size} ${following(name, keys, after)} LIMIT ${PAGE_ROWS}`)
    .bind(...(after ?? []))
    .raw<[number]>();
  const fitting = howManyFit(sized.map(([chars]) => chars));
  return fitting === sized.length ? PAGE_ROWS : fitting;
}

/** `keys` as a list, in the order of the primary key. */
function following(name: string, keys: string, after: readonly Cell[] | null): string {
  const beyond = after === null ? "" : `WHERE (${keys}) > (${after.map(() => "?").join(", ")})`;
  return `FROM ${quoted(name)} ${beyond} ORDER BY ${keys}`;
}

/** As SQL. Some tables have no rowid, the others all have one. */
async function keyOf(db: D1Database, name: string): Promise<string[]> {
  const { results } = await db
    .prepare(`PRAGMA table_info(${quoted(name)})`)
    .all<{ name: string; pk: number }>();
  const key = results.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  return key.length === 0 ? ["rowid"] : key.map((column) => quoted(column.name));
}

/** At least one. */
function howManyFit(sizes: readonly number[]): number {
  let chars = 0;
  const count = sizes.findIndex((size, index) => {
    chars += size;
    return index > 0 && chars > PAGE_CHARS;
  });
  return count === -1 ? sizes.length : count;
}

/**
 * Writes rows of a backup; one that is there stays as it is. Triggers fire, so the search index is written along.
 * Tables with triggers come before those that these fill, and every table is emptied at its turn. Rejects when D1 does.
 */
export async function insertRows(
  db: D1Database,
  { name, columns }: Pick<BackupTable, "name" | "columns">,
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const statement = db.prepare(
    `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(", ")}) VALUES (${columns.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING`,
  );
  await db.batch(rows.map((row) => statement.bind(...row)));
}

export interface Restored {
  readonly actor: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
}

interface NamedRows {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/**
 * Rows for `insertRows`. Those of the log of administration say who has brought them, whatever the file says of it:
 * nobody can write there as somebody else.
 */
export function markRestored({ name, columns, rows }: NamedRows, { actor, at }: Restored): NamedRows {
  if (name !== ACTS) return { name, columns, rows };
  const kept = columns.flatMap((column, index) => (/^restored(?:by|at)$/i.test(column) ? [] : [index]));
  const pick = <T>(values: readonly T[]) => values.filter((_, index) => kept.includes(index));
  return {
    name,
    columns: [...pick(columns), "RestoredBy", "RestoredAt"],
    rows: rows.map((row) => [...pick(row), actor, at]),
  };
}

const EMPTIED_ROWS = 2_000;

/** Deletes a piece of a table; true when nothing is left. Rejects when D1 does. */
export async function emptyTable(db: D1Database, name: string): Promise<boolean> {
  if (NEVER_EMPTIED.includes(name)) return true;
  const key = (await keyOf(db, name)).join(", ");
  const { meta } = await db
    .prepare(
      `DELETE FROM ${quoted(name)} WHERE (${key}) IN (SELECT ${key} FROM ${quoted(name)} LIMIT ${EMPTIED_ROWS})`,
    )
    .run();
  // Triggers count too: only none is none.
  return meta.changes === 0;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
