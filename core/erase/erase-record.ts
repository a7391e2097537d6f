/** Erasing in the tables of D1, a stretch of rows at a time. */
import { ownJson } from "../journal/database.ts";
import type { Cell } from "../record/columns.ts";
import { groupBySize } from "../record/group-by-size.ts";
import type { Reader } from "../record/reader.ts";
import { pairKey } from "../record/rows.ts";
import { eraseOwnJson, eraseText } from "./erase-value.ts";
import { joinRollups } from "./join-rollups.ts";
import type { Eraser, Needle } from "./needle.ts";
import { DROP_QUESTION_GROUPS } from "./question-groups.ts";
import type { ErasedTable } from "./record-tables.ts";
import { fittingRow } from "./row-size.ts";
import { isOwnJson, isPlainName } from "./structure.ts";

/** How many rows one call looks at. */
const LOOKED_AT = 2_000;
/** Characters that are held in memory at once. */
const LOADED_CHARS = 4_000_000;
const UPDATES = 40;

/** Values of a primary key. */
type Key = readonly Cell[];

export interface RecordPlace {
  readonly table: ErasedTable;
  /** The key of the last row that was looked at, as JSON; null at first. */
  readonly place: string | null;
  /** False only counts. */
  readonly write: boolean;
}

export interface ErasedRows {
  /** Rows in which it was found. */
  readonly found: number;
  /** Where to go on; null when this was all. */
  readonly next: string | null;
}

type FoundRow = Readonly<Record<string, Cell>>;

/** One stretch. A row that is changed meanwhile stays for the next pass. Rejects when D1 does. */
export async function eraseRows(
  { reader, db }: { readonly reader: Reader; readonly db: D1Database },
  needle: Needle,
  { table, place, write }: RecordPlace,
): Promise<ErasedRows> {
  const after = place === null ? null : ownJson<Key>(place);
  const upTo = await lastOf(reader, table, after);
  const rows = await candidates(reader, needle, { table, after, upTo });
  let found = 0;
  for (const group of groupBySize(rows, LOADED_CHARS)) {
    const keys = `[${group.map(({ key }) => key).join(",")}]`;
    const loaded = await reader.all<FoundRow>(
      `SELECT ${keyOf(table)} AS "rowKey", ${list(table.columns)} FROM "${table.name}" WHERE (${list(table.key)}) IN
         (SELECT ${table.key.map((_, index) => `json_extract(value, '$[${index}]')`).join(", ")} FROM json_each(?))`,
      keys,
    );
    const changes = loaded.flatMap((row) => changeOf(table, row, needle));
    found += changes.length;
    if (write) await update(db, table, changes);
  }
  return { found, next: upTo === null ? null : JSON.stringify(upTo) };
}

const list = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(", ");
const marks = (values: readonly unknown[]) => values.map(() => "?").join(", ");
const keyOf = (table: ErasedTable) => `json_array(${list(table.key)})`;

/** The key of the stretch's last row; null when the table ends before. */
async function lastOf(reader: Reader, table: ErasedTable, after: Key | null): Promise<Key | null> {
  const where = after === null ? "" : `WHERE (${list(table.key)}) > (${marks(after)})`;
  const row = await reader.first<{ key: string }>(
    `SELECT ${keyOf(table)} AS "key" FROM "${table.name}" ${where} ORDER BY ${list(table.key)} LIMIT 1 OFFSET ${LOOKED_AT - 1}`,
    ...(after ?? []),
  );
  return row === null ? null : ownJson<Key>(row.key);
}

function candidates(
  reader: Reader,
  needle: Needle,
  {
    table,
    after,
    upTo,
  }: { readonly table: ErasedTable; readonly after: Key | null; readonly upTo: Key | null },
): Promise<{ key: string; chars: number }[]> {
  const { name, key, columns } = table;
  const size = columns.map((column) => `coalesce(length("${column}"), 0)`).join(" + ");
  // Numbered, because a statement takes a hundred parameters and a table may have many columns.
  const like = columns
    .flatMap((column) => needle.likes.map((_, index) => `"${column}" LIKE ?${index + 1}`))
    .join(" OR ");
  const numbered = (values: Key, from: number) => values.map((_, index) => `?${from + index}`).join(", ");
  const first = needle.likes.length + 1;
  const within = [
    ...(after === null ? [] : [`(${list(key)}) > (${numbered(after, first)})`]),
    ...(upTo === null ? [] : [`(${list(key)}) <= (${numbered(upTo, first + (after?.length ?? 0))})`]),
  ];
  return reader.all(
    `SELECT ${keyOf(table)} AS "key", ${size} AS "chars" FROM "${name}" WHERE ${[...within, `(${like})`].join(" AND ")}`,
    ...needle.likes,
    ...(after ?? []),
    ...(upTo ?? []),
  );
}

interface Change {
  readonly key: Key;
  readonly columns: readonly string[];
  readonly before: readonly Cell[];
  readonly after: readonly Cell[];
}

function changeOf(table: ErasedTable, row: FoundRow, needle: Needle): Change[] {
  const erased = fittingRow(needle, (eraser) => erasedRow(table, row, eraser));
  const changed = table.columns.filter((column) => erased[column] !== row[column]);
  if (changed.length === 0) return [];
  const cells = (from: FoundRow) => changed.map((column) => from[column] ?? null);
  return [
    { key: ownJson<Key>(String(row.rowKey)), columns: changed, before: cells(row), after: cells(erased) },
  ];
}

function erasedRow({ name, columns }: ErasedTable, row: FoundRow, eraser: Eraser): FoundRow {
  const erased = Object.fromEntries(
    columns.map((column) => [column, eraseCell(`${name}.${column}`, row[column] ?? null, eraser)]),
  );
  // An unknown colleague's name may be anything; the pair's key follows it.
  const { FromAgentId: from, ToAgentId: to, PairKey: key } = erased;
  if (typeof from === "string" && typeof to === "string" && key !== row.PairKey)
    return { ...erased, PairKey: pairKey(from, to) };
  return erased;
}

/** `place`: `Table.Column` as in the schema. */
export function eraseCell(place: string, value: Cell, eraser: Eraser): Cell {
  const [table = "", column = ""] = place.split(".");
  if (typeof value !== "string" || isPlainName(column, value)) return value;
  return isOwnJson(table, column) ? eraseOwnJson(value, eraser) : eraseText(value, eraser);
}

async function update(db: D1Database, table: ErasedTable, changes: readonly Change[]): Promise<void> {
  for (let at = 0; at < changes.length; at += UPDATES) {
    const some = changes.slice(at, at + UPDATES);
    await db.batch([...groupsOf(db, table, some), ...some.flatMap((change) => updatesOf(db, table, change))]);
  }
}

function groupsOf(db: D1Database, { name }: ErasedTable, changes: readonly Change[]): D1PreparedStatement[] {
  if (name !== "AgentMessages") return [];
  return [db.prepare(DROP_QUESTION_GROUPS).bind(JSON.stringify(changes.flatMap(({ key }) => key)))];
}

/** Rows of figures that differ only in what is erased become one, with the sums of both. */
function updatesOf(db: D1Database, table: ErasedTable, change: Change): D1PreparedStatement[] {
  const { name, key } = table;
  if (name === "MessageRollups" && change.columns.some((column) => key.includes(column)))
    return joinRollups(db, change.key, renamedKey(table, change));
  const sets = change.columns.map((column) => `"${column}" = ?`).join(", ");
  const same = change.columns.map((column) => `"${column}" IS ?`).join(" AND ");
  const where = key.map((column) => `"${column}" IS ?`).join(" AND ");
  // Who works on a task by its older version must read it again.
  const version = name === "Tasks" ? `, "Version" = "Version" + 1` : "";
  return [
    db
      .prepare(`UPDATE OR REPLACE "${name}" SET ${sets}${version} WHERE ${where} AND ${same}`)
      .bind(...change.after, ...change.key, ...change.before),
  ];
}

function renamedKey({ key }: ErasedTable, change: Change): Key {
  return key.map((column, index) => {
    const at = change.columns.indexOf(column);
    return (at < 0 ? change.key[index] : change.after[at]) ?? null;
  });
}
