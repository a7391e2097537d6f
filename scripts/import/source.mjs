/** The older database, read only: its tables, what identifies it, and its rows one after the other. */
import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Problem } from "../instance/problem.mjs";
import { oldCell, oldKey } from "./cells.mjs";

/** In the order in which they are imported: whoever sees a message finds its run. */
export const TABLES = ["RunReceipts", "AuditLog", "AgentMessages"];

const BUSY_MS = 5_000;

/**
 * Opens the file. Throws a {@link Problem} for one that is none of ours.
 * @returns `{fingerprint, tables: [{name, rows, read(after)}], others: [names], close()}`
 */
export function openSource(file) {
  checkFile(file);
  return reading(file, () => {
    const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
    try {
      return describe(file, db);
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function checkFile(file) {
  if (!existsSync(file)) throw new Problem(`There is no file ${file}.`);
  const found = statSync(file);
  if (!found.isFile()) throw new Problem(`${file} is no file.`);
  if (found.size === 0) throw new Problem(`${file} is empty (0 bytes).`);
}

function describe(file, db) {
  const names = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all()
    .map(({ name }) => name);
  const found = TABLES.flatMap((name) => {
    const stored = names.find((other) => plain(other) === plain(name));
    return stored === undefined ? [] : [describeTable(file, db, { name, stored })];
  });
  if (found.length === 0)
    throw new Problem(
      `${file} has none of the tables ${TABLES.join(", ")}; it has ${names.length === 0 ? "no tables at all" : names.join(", ")}.`,
    );
  const stored = new Set(found.map((table) => table.stored));
  return {
    fingerprint: fingerprintOf(found),
    tables: found,
    others: names.filter((name) => !stored.has(name)),
    close: () => db.close(),
  };
}

function describeTable(file, db, { name, stored }) {
  const columns = db.prepare(`PRAGMA table_info(${quoted(stored)})`).all();
  const order = orderOf(db, stored, columns);
  const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const shape = {
    stored,
    order,
    columns: columns.map((column) => column.name),
    // Without a primary key of its own the row's number is one.
    keyOf: (row, place) =>
      oldKey(keys.length === 0 ? place : keys.map((column) => row[column.cid + order.length])),
  };
  const rows = Number(db.prepare(`SELECT count(*) AS n FROM ${quoted(stored)}`).get().n);
  return {
    name,
    stored,
    rows,
    columns: shape.columns,
    numbered: isNumbered(order),
    read: (after) => readRows(file, db, { ...shape, after }),
  };
}

const ROW_NUMBER = ["rowid", "_rowid_", "oid"];
const isNumbered = (order) => ROW_NUMBER.includes(order[0]);

/** What rows are read by: their number, or the primary key where the table has no numbers. */
function orderOf(db, stored, columns) {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  const { wr } = db
    .prepare("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?")
    .get(stored);
  const alias = ROW_NUMBER.find((name) => !taken.has(name));
  if (wr === 0 && alias !== undefined) return [alias];
  return columns
    .filter(({ pk }) => pk > 0)
    .sort((a, b) => a.pk - b.pk)
    .map(({ name }) => quoted(name));
}

/** Rows after a place, `{key, cells, place}`; a place is what the row is ordered by. */
function* readRows(file, db, { stored, order, columns, keyOf, after }) {
  const by = order.join(", ");
  const from = after === null ? "" : `WHERE (${by}) > (${order.map(() => "?").join(", ")})`;
  const list = [...order, ...columns.map(quoted)].join(", ");
  const statement = reading(file, () =>
    db.prepare(`SELECT ${list} FROM ${quoted(stored)} ${from} ORDER BY ${by}`),
  );
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const rows = statement.iterate(...(after ?? []).map(boundValue));
  for (;;) {
    const next = reading(file, () => rows.next());
    if (next.done) return;
    const place = next.value.slice(0, order.length).map(oldCell);
    yield { key: keyOf(next.value, place), cells: next.value.slice(order.length).map(oldCell), place };
  }
}

/** A row's number beyond 2^53 went into the cursor as text. */
function boundValue(value) {
  return typeof value === "string" && /^-?\d{16,19}$/.test(value) ? BigInt(value) : value;
}

/** By the first row of a table: the same as long as rows are only added. Where rows have no numbers, a new one may be first. */
function fingerprintOf(tables) {
  const having = tables.filter(({ rows }) => rows > 0);
  const filled = having.find(({ numbered }) => numbered) ?? having[0];
  const first = filled?.read(null).next().value;
  const identity = [filled?.name ?? "", first?.key ?? "", identityIn(filled, first)];
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex").slice(0, 32);
}

/** The columns that an update of the old program never changes. */
function identityIn(table, row) {
  const stable = /^(runid|agentid|fromagentid|startedat|occurredat|timestamp|createdat)$/;
  return (table?.columns ?? []).flatMap((column, index) =>
    stable.test(plain(column)) ? [[plain(column), row.cells[index]]] : [],
  );
}

const plain = (name) => name.toLowerCase().replaceAll("_", "");
const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

const CODES = {
  5: (file) => `${file} is locked. End the program that uses it, or copy the file and import the copy.`,
  6: (file) => `${file} is locked. End the program that uses it, or copy the file and import the copy.`,
  8: (file) =>
    `${file} cannot be opened without writing to it (its journal is unfinished). Copy it with its -wal and -journal files and open the copy once with sqlite3.`,
  11: (file) => `${file} is damaged. Make a whole one with sqlite3 ${file} .recover, and import that.`,
  14: (file) => `${file} cannot be opened. Check its permissions and those of its folder.`,
  26: (file) => `${file} is no SQLite database.`,
};

function reading(file, act) {
  try {
    return act();
  } catch (error) {
    const told = error?.code === "ERR_SQLITE_ERROR" ? CODES[error.errcode & 0xff] : undefined;
    if (told === undefined) throw error;
    throw new Problem(`${told(file)} (${error.message})`);
  }
}
