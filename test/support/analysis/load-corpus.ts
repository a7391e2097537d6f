/** Writes a corpus straight into D1, many rows a statement; the triggers count them as they count others. */
import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { tasks } from "../../../core/board/schema.ts";
import { agentMessages, runReceipts } from "../../../core/record/schema.ts";
import type { Corpus } from "./office.ts";

const ROWS = 1_000;
const IDS_PER_MILLISECOND = 2_048;

type Cells = Readonly<Record<string, string | number | null>>;

export async function loadCorpus(
  db: D1Database,
  { messages, receipts, tasks: given }: Corpus,
): Promise<void> {
  const ids = new Map<number, number>();
  const numbered = messages
    .toSorted((a, b) => (a.occurredAt < b.occurredAt ? -1 : 1))
    .map((row) => {
      const first = Date.parse(row.occurredAt) * IDS_PER_MILLISECOND;
      const next = ids.get(first) ?? 0;
      ids.set(first, next + 1);
      return { ...row, id: first + next, contentRef: null };
    });
  await insert(
    db,
    tasks,
    given.map((row) => ({ ...row, guard: 0 })),
  );
  await insert(db, agentMessages, numbered);
  await insert(db, runReceipts, receipts);
}

async function insert(db: D1Database, table: SQLiteTable, rows: readonly Cells[]): Promise<void> {
  const columns = Object.entries(getTableColumns(table));
  const names = columns.map(([, { name }]) => `"${name}"`).join(", ");
  const values = columns.map((_, index) => `json_extract("value", '$[${index}]')`).join(", ");
  const sql = `INSERT INTO "${getTableName(table)}" (${names}) SELECT ${values} FROM json_each(?)`;
  for (let from = 0; from < rows.length; from += ROWS) {
    const part = rows.slice(from, from + ROWS).map((row) => columns.map(([key]) => row[key] ?? null));
    await db.prepare(sql).bind(JSON.stringify(part)).run();
  }
}
