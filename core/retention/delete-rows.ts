/** Deletes rows that are kept nowhere else. */
import type { KeptTable } from "./kept-tables.ts";
import type { OldRow } from "./old-rows.ts";

/**
 * Texts in R2 go before their rows: cut short in between, the row is still there and the next call takes both,
 * whereas the other order would leave texts that nothing refers to. The search index follows by trigger.
 * `rows` are at most 1,000, which is what R2 deletes at once. Safe to repeat. Rejects when D1 or R2 does.
 */
export async function deleteRows(
  { db, texts }: { readonly db: D1Database; readonly texts: R2Bucket },
  table: KeptTable,
  rows: readonly OldRow[],
): Promise<void> {
  const keys = JSON.stringify(rows.map(({ key }) => key));
  await deleteTexts(texts, await textsOf(db, table, keys));
  await db
    .prepare(`DELETE FROM "${table.name}" WHERE "${table.key}" IN (SELECT value FROM json_each(?))`)
    .bind(keys)
    .run();
}

async function textsOf(db: D1Database, { name, key, texts }: KeptTable, keys: string): Promise<string[]> {
  if (texts === null) return [];
  const { results } = await db
    .prepare(
      `SELECT "${texts.column}" AS "value" FROM "${name}" WHERE "${key}" IN (SELECT value FROM json_each(?)) AND "${texts.column}" IS NOT NULL`,
    )
    .bind(keys)
    .all<{ value: string }>();
  return results.flatMap(({ value }) => [...texts.keysIn(value)]);
}

const MAX_DELETED = 1_000;

async function deleteTexts(texts: R2Bucket, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += MAX_DELETED) await texts.delete(keys.slice(at, at + MAX_DELETED));
}
