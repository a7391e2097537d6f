import type { Backend, Call, UpsertRows } from "../backend.ts";
import type { Query, Row } from "../input.ts";
import { createPage, type PageRequest } from "../page.ts";
import { readTable } from "./catalogue.ts";
import { isDeadlock, isDuplicate, mysqlFailure } from "./failure.ts";
import { pageRows, selectSql } from "./select.ts";
import { type Session, withSession } from "./session.ts";
import { mysqlSettings } from "./settings.ts";
import { shownRows } from "./shown.ts";
import type { Table } from "./table.ts";
import { checkKeys, insertSql, updateSql } from "./write.ts";

/** Another session may make the same row between our look and our insert, and either may be a deadlock's victim. */
const UPSERT_ATTEMPTS = 3;

export const mysqlBackend: Backend = {
  query: (query, page, call) =>
    onTable(call, { table: query.table, readOnly: true }, (session, table) =>
      select(session, table, { query, page }),
    ),
  insert: (table, rows, call) =>
    onTable(call, { table, readOnly: false }, (session, known) => insert(session, known, rows)),
  upsert: (table, { rows, keys }, call) =>
    onTable(call, { table, readOnly: false }, (session, known) => upsert(session, known, { rows, keys })),
};

interface Access {
  readonly table: string;
  readonly readOnly: boolean;
}

async function onTable(
  { config, signal }: Call,
  { table, readOnly }: Access,
  work: (session: Session, table: Table) => Promise<string>,
): Promise<string> {
  const settings = mysqlSettings(config);
  try {
    return await withSession({ settings, signal, readOnly }, async (session) => {
      const known = await readTable(session, table, { config, database: settings.database });
      return work(session, known);
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw mysqlFailure(error, settings);
  }
}

interface Selection {
  readonly query: Query;
  readonly page: PageRequest;
}

async function select(session: Session, table: Table, { query, page: request }: Selection): Promise<string> {
  const page = createPage({ ...request, limit: pageRows(query, table) });
  const answer = await session.run(selectSql(query, table));
  for (const row of shownRows(answer)) if (!page.add(row)) break;
  return page.text();
}

async function insert(session: Session, table: Table, rows: readonly Row[]): Promise<string> {
  const { affectedRows, insertId } = await session.run(insertSql(rows, table));
  return JSON.stringify({ inserted: affectedRows, ...(insertId === 0 ? {} : { firstId: insertId }) });
}

/** All rows or none. */
async function upsert(session: Session, table: Table, { rows, keys }: UpsertRows): Promise<string> {
  checkKeys(rows, keys, table);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return JSON.stringify(await upsertAll(session, table, { rows, keys }));
    } catch (error) {
      if (attempt === UPSERT_ATTEMPTS || !isDeadlock(error)) throw error;
    }
  }
}

async function upsertAll(session: Session, table: Table, { rows, keys }: UpsertRows) {
  const counts = { inserted: 0, updated: 0 };
  await session.command("START TRANSACTION");
  try {
    for (const row of rows) counts[await upsertRow(session, table, { row, keys })] += 1;
    await session.command("COMMIT");
    return counts;
  } catch (error) {
    // Of a connection that is gone the server takes it back by itself.
    await session.command("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

interface UpsertRow {
  readonly row: Row;
  readonly keys: readonly string[];
}

/**
 * Not MySQL's own "on duplicate key update": that changes whichever row is in the way, by any unique key, also
 * one that `keys` does not name.
 */
async function upsertRow(session: Session, table: Table, { row, keys }: UpsertRow) {
  const update = async () => (await session.run(updateSql(row, keys, table))).affectedRows > 0;
  if (await update()) return "updated";
  try {
    await session.run(insertSql([row], table));
    return "inserted";
  } catch (error) {
    // Another session has just made this row; or, when there still is none, another unique key is in the way.
    if (isDuplicate(error) && (await update())) return "updated";
    throw error;
  }
}
