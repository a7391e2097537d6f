/** The mirror's other side: tables in MySQL or MariaDB that hold the record's rows as D1 has them, with whole texts. */
import { z } from "zod";
import type { MirrorTarget } from "../core/mirror/run-mirror.ts";
import type { MirrorColumn, MirrorRow, MirrorTable } from "../core/mirror/tables.ts";
import { cutToBytes, utf8Bytes } from "../core/record/stored-text.ts";
import { type MySqlConnection, type MySqlPlace, mySqlConnection } from "../protocols/mysql/connection.ts";

const TIMES = { connect: 8_000, statement: 20_000 };

/** Runs `work` on a connection of its own, which is closed however it ends. Rejects as the driver does. */
export async function withMirrorTarget(
  place: MySqlPlace,
  work: (target: MirrorTarget) => Promise<void>,
): Promise<void> {
  const connection = await mySqlConnection(place, TIMES);
  try {
    await connection.connect();
    await connection.command(
      "SET SESSION sql_mode = CONCAT_WS(',', @@SESSION.sql_mode, 'STRICT_ALL_TABLES')",
    );
    await work(await targetOn(connection));
    await connection.end();
  } finally {
    connection.destroy();
  }
}

async function targetOn(connection: MySqlConnection): Promise<MirrorTarget> {
  const maxBytes = (await packetBytes(connection)) * 0.9 - 10_000;
  return {
    prepare: async (tables) => {
      for (const table of tables) await prepareTable(connection, table);
    },
    write: async (table, rows) => {
      const fitting = rows.map((row) => fitRow(row, maxBytes));
      for (const part of bounded(
        fitting.map(({ row }) => row),
        maxBytes,
      ))
        await connection.execute(upsert(table, part));
      return fitting.filter(({ cut }) => cut).length;
    },
  };
}

/** What the server takes in one go, a statement or a row of it. */
async function packetBytes(connection: MySqlConnection): Promise<number> {
  const { rows } = await connection.execute({ sql: "SELECT @@max_allowed_packet", parameters: [] });
  return z.coerce.number().parse(rows[0]?.[0]);
}

/** Compared exactly, as D1 does. */
const EXACTLY = "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
/** Columns of the keys and indexes, with characters that they may have; every other text may be of any length. */
const CHARS: Readonly<Record<string, number>> = {
  Uid: 512,
  RunId: 512,
  RootRunId: 512,
  PairKey: 255,
  AgentId: 255,
  OccurredAt: 40,
  StartedAt: 40,
};
const INDEXES = [["RootRunId"], ["PairKey", "OccurredAt"], ["AgentId", "StartedAt"]];

async function prepareTable(connection: MySqlConnection, table: MirrorTable): Promise<void> {
  const names = new Set(table.columns.map(({ name }) => name));
  const indexes = INDEXES.filter((index) => index.every((name) => names.has(name))).map(
    (index) => `INDEX (${index.map(quoted).join(", ")})`,
  );
  const parts = [...table.columns.map(definition), `PRIMARY KEY (${quoted(table.identity)})`, ...indexes];
  await connection.command(
    `CREATE TABLE IF NOT EXISTS ${quoted(table.name)} (${parts.join(", ")}) ENGINE=InnoDB DEFAULT ${EXACTLY}`,
  );
  const there = await connection.execute({
    sql: "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?",
    parameters: [table.name],
  });
  const known = new Set(there.rows.map(([name]) => String(name)));
  // A later version of the record may have further columns.
  for (const column of table.columns.filter(({ name }) => !known.has(name)))
    await connection.command(
      `ALTER TABLE ${quoted(table.name)} ADD COLUMN ${definition({ ...column, notNull: false })}`,
    );
}

function definition({ name, isText, notNull }: MirrorColumn): string {
  const chars = CHARS[name];
  const text = chars === undefined ? "LONGTEXT" : `VARCHAR(${chars})`;
  return `${quoted(name)} ${isText ? `${text} ${EXACTLY}` : "BIGINT"}${notNull ? " NOT NULL" : ""}`;
}

function upsert({ name, identity, columns }: MirrorTable, rows: readonly MirrorRow[]) {
  const names = columns.map((column) => quoted(column.name));
  const marks = `(${columns.map(() => "?").join(", ")})`;
  const sets = columns
    .filter((column) => column.name !== identity)
    .map((column) => `${quoted(column.name)} = VALUES(${quoted(column.name)})`);
  return {
    sql: `INSERT INTO ${quoted(name)} (${names.join(", ")}) VALUES ${rows.map(() => marks).join(", ")}
      ON DUPLICATE KEY UPDATE ${sets.join(", ")}`,
    parameters: rows.flatMap((row) => columns.map((column) => row[column.name] ?? null)),
  };
}

/** Its longest text is cut when the server would not take it, rather than that the mirror stands still for ever. */
function fitRow(row: MirrorRow, maxBytes: number): { readonly row: MirrorRow; readonly cut: boolean } {
  const excess = bytesOf(row) - maxBytes;
  if (excess <= 0) return { row, cut: false };
  const texts = Object.entries(row).flatMap(([name, value]) =>
    typeof value === "string" ? [{ name, value, bytes: utf8Bytes(value) }] : [],
  );
  const longest = texts.reduce((a, b) => (b.bytes > a.bytes ? b : a));
  const text = cutToBytes(longest.value, Math.max(0, longest.bytes - excess));
  return { row: { ...row, [longest.name]: text }, cut: true };
}

/** Rows that a statement may hold besides its bytes. */
const MAX_ROWS = 100;

function bounded(rows: readonly MirrorRow[], maxBytes: number): MirrorRow[][] {
  const parts: MirrorRow[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = bytesOf(row);
    const last = parts.at(-1);
    if (last === undefined || last.length >= MAX_ROWS || bytes + size > maxBytes) {
      parts.push([row]);
      bytes = size;
    } else {
      last.push(row);
      bytes += size;
    }
  }
  return parts;
}

function bytesOf(row: MirrorRow): number {
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? utf8Bytes(value) + 9 : 9),
    0,
  );
}

function quoted(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}
