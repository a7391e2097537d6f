/** Retention of ticks: by age, and by number for each job. */
import { KEPT_TICKS, TICK_RETENTION_DAYS } from "../limits.ts";
import { firstIdAt } from "./insert-statement.ts";

const DAY_MS = 86_400_000;

/** At most `batchRows` of those that are too old; ids follow time, so it reads near what it deletes. Rejects when D1 does. */
export async function deleteOldTicks(db: D1Database, now: number, batchRows: number): Promise<void> {
  const oldest = new Date(now - TICK_RETENTION_DAYS * DAY_MS).toISOString();
  await db
    .prepare(
      `DELETE FROM "JobTicks" WHERE "Id" IN (SELECT "Id" FROM "JobTicks" WHERE "Id" < ? ORDER BY "Id" LIMIT ?)`,
    )
    .bind(firstIdAt(oldest), batchRows)
    .run();
}

/** Steps from job to job over the index, instead of reading all of it. */
const JOBS = `
  WITH RECURSIVE jobs(agent, job) AS (
    SELECT * FROM (SELECT "AgentId", "JobId" FROM "JobTicks" ORDER BY "AgentId", "JobId" LIMIT 1)
    UNION ALL
    SELECT next."AgentId", next."JobId" FROM jobs JOIN "JobTicks" next ON next."Id" = (
      SELECT "Id" FROM "JobTicks" WHERE ("AgentId", "JobId") > (jobs.agent, jobs.job)
      ORDER BY "AgentId", "JobId" LIMIT 1)
  ) SELECT agent, job FROM jobs`;

const TRIM = `
  DELETE FROM "JobTicks" WHERE "AgentId" = ?1 AND "JobId" = ?2 AND "Id" <= (
    SELECT "Id" FROM "JobTicks" WHERE "AgentId" = ?1 AND "JobId" = ?2 ORDER BY "Id" DESC LIMIT 1 OFFSET ?3)`;

/** Those beyond the newest of each job: reads at most `KEPT_TICKS` rows a job and what it deletes. Rejects when D1 does. */
export async function trimTicks(db: D1Database, kept = KEPT_TICKS): Promise<void> {
  const { results } = await db.prepare(JOBS).all<{ agent: string; job: string }>();
  if (results.length === 0) return;
  const trim = db.prepare(TRIM);
  await db.batch(results.map(({ agent, job }) => trim.bind(agent, job, kept)));
}
