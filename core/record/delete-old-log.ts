/** Retention of log lines, in batches that can be interrupted anywhere. */
import { firstIdAt } from "./insert-statement.ts";

/**
 * Deletes the oldest lines before that time (ISO 8601 UTC with milliseconds), at most `batchRows`. Answers
 * whether another batch is worth its call. Rejects when D1 does.
 */
export async function deleteOldLog(db: D1Database, olderThan: string, batchRows: number): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `DELETE FROM "Logs" WHERE "Id" IN (SELECT "Id" FROM "Logs" WHERE "Id" < ? ORDER BY "Id" LIMIT ?)`,
    )
    .bind(firstIdAt(olderThan), batchRows)
    .run();
  return meta.changes >= batchRows;
}
