/** Deletes approvals decided before `olderThan` (ISO 8601), at most `limit`; the audit keeps what came of them. Rejects when D1 does. */
export async function deleteOldApprovals(db: D1Database, olderThan: string, limit: number): Promise<void> {
  await db
    .prepare(
      `DELETE FROM "Approvals" WHERE "Uid" IN (SELECT "Uid" FROM "Approvals" WHERE "DecidedAt" < ? LIMIT ?)`,
    )
    .bind(olderThan, limit)
    .run();
}
