/** How the analysis writes: each step is one batch that is undone when another step was faster. */
import type { SQLiteTable } from "drizzle-orm/sqlite-core/table";
import { type Cell, tableShape } from "../record/columns.ts";

type CellRow = Readonly<Record<string, Cell>>;

/** Where the analysis stood when a step began to read. Rejects when D1 does. */
export async function analysisVersion(db: D1Database): Promise<number> {
  const row = await db
    .prepare(`SELECT "Version" AS version FROM "AnalysisState" WHERE "Id" = 1`)
    .first<{ version: number }>();
  return row?.version ?? 0;
}

/** False, and nothing is written, when another step was made since `version`. Rejects when D1 does. */
export async function writeStep(
  db: D1Database,
  version: number,
  statements: readonly D1PreparedStatement[],
): Promise<boolean> {
  // A database that was restored from a backup of before this table has no row in it.
  const state = db.prepare(
    `INSERT INTO "AnalysisState" ("Id", "Version", "Guard") VALUES (1, 0, 0) ON CONFLICT DO NOTHING`,
  );
  const guard = db
    .prepare(
      `UPDATE "AnalysisState" SET "Version" = "Version" + 1, "Guard" = iif("Version" = ?, 0, NULL) WHERE "Id" = 1`,
    )
    .bind(version);
  try {
    await db.batch([state, guard, ...statements]);
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes("NOT NULL constraint failed: AnalysisState.Guard"))
      return false;
    throw error;
  }
}

/** Puts rows in place of those with their keys; D1 takes few parameters, so they go as one. No statement for no rows. */
export function putRows<Row extends CellRow>(
  db: D1Database,
  table: SQLiteTable,
  rows: readonly Row[],
): D1PreparedStatement[] {
  if (rows.length === 0) return [];
  const shape = tableShape(table);
  const names = shape.columns.map(({ name }) => `"${name}"`).join(", ");
  const values = shape.columns.map((_, index) => `json_extract("value", '$[${index}]')`).join(", ");
  const data = rows.map((row) => shape.columns.map(({ key }) => row[key] ?? null));
  return [
    db
      .prepare(`INSERT OR REPLACE INTO ${shape.table} (${names}) SELECT ${values} FROM json_each(?)`)
      .bind(JSON.stringify(data)),
  ];
}
