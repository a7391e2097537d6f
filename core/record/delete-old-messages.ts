/** Retention: old messages go, in batches that can be interrupted anywhere. */

export interface OldMessages {
  /** ISO 8601 UTC with milliseconds; messages before it are deleted. */
  readonly olderThan: string;
  /** 1 to 1,000, which is what R2 deletes at once. */
  readonly batchRows: number;
}

export interface DeletedBatch {
  readonly deleted: number;
  /** Whether another batch is worth its call. */
  readonly more: boolean;
  readonly rowsRead: number;
  readonly rowsWritten: number;
}

const MAX_BATCH_ROWS = 1_000;

/**
 * Deletes the oldest messages, one batch. The search index follows by trigger. Texts in R2 go before their
 * rows: cut short in between, the row is still there and the next call takes both, whereas the other order
 * would leave texts that nothing refers to and nobody would ever delete. Safe to repeat. Rejects when D1 or
 * R2 does.
 */
export async function deleteOldMessages(
  db: D1Database,
  texts: R2Bucket,
  { olderThan, batchRows }: OldMessages,
): Promise<DeletedBatch> {
  const limit = Math.min(MAX_BATCH_ROWS, Math.max(1, Math.trunc(batchRows)));
  const old = await db
    .prepare(
      `SELECT "Id" AS id, "ContentRef" AS contentRef FROM "AgentMessages" WHERE "OccurredAt" < ? ORDER BY "OccurredAt", "Id" LIMIT ?`,
    )
    .bind(olderThan, limit)
    .all<{ id: number; contentRef: string | null }>();
  const { results, meta } = old;
  if (results.length === 0) return { deleted: 0, more: false, rowsRead: meta.rows_read, rowsWritten: 0 };
  const refs = results.flatMap(({ contentRef }) => (contentRef === null ? [] : [contentRef]));
  if (refs.length > 0) await texts.delete(refs);
  const gone = await db
    .prepare(`DELETE FROM "AgentMessages" WHERE "Id" IN (SELECT value FROM json_each(?))`)
    .bind(JSON.stringify(results.map(({ id }) => id)))
    .run();
  return {
    deleted: results.length,
    more: results.length === limit,
    rowsRead: meta.rows_read + gone.meta.rows_read,
    rowsWritten: gone.meta.rows_written,
  };
}
