/** Retention of ticks by number: those beyond the newest of each job. */
import type { OldRow } from "./old-rows.ts";

/** Steps from job to job over the index, instead of reading all of it: the agent's next job, else the next agent's first. */
const JOBS = `
  WITH RECURSIVE jobs(agent, job) AS (
    SELECT * FROM (SELECT "AgentId", "JobId" FROM "JobTicks" ORDER BY "AgentId", "JobId" LIMIT 1)
    UNION ALL
    SELECT next."AgentId", next."JobId" FROM jobs JOIN "JobTicks" next ON next."Id" = coalesce(
      (SELECT "Id" FROM "JobTicks" WHERE "AgentId" = jobs.agent AND "JobId" > jobs.job ORDER BY "JobId" LIMIT 1),
      (SELECT "Id" FROM "JobTicks" WHERE "AgentId" > jobs.agent ORDER BY "AgentId", "JobId" LIMIT 1))
  ) SELECT agent, job FROM jobs`;

const SURPLUS = `
  SELECT "Id" AS "key", "FinishedAt" AS "at", coalesce(length("Summary"), 0) AS "size" FROM "JobTicks"
  WHERE "AgentId" = ?1 AND "JobId" = ?2 AND "Id" <= (
    SELECT "Id" FROM "JobTicks" WHERE "AgentId" = ?1 AND "JobId" = ?2 ORDER BY "Id" DESC LIMIT 1 OFFSET ?3)
  ORDER BY "Id" LIMIT ?4`;

/** At most `limit` rows, the oldest first. Reads at most `kept` rows a job and what it finds. Rejects when D1 does. */
export async function surplusTicks(db: D1Database, kept: number, limit: number): Promise<OldRow[]> {
  const { results } = await db.prepare(JOBS).all<{ agent: string; job: string }>();
  if (results.length === 0) return [];
  const surplus = db.prepare(SURPLUS);
  const found = await db.batch<OldRow>(
    results.map(({ agent, job }) => surplus.bind(agent, job, kept, limit)),
  );
  return found
    .flatMap((answer) => answer.results)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .slice(0, limit);
}
