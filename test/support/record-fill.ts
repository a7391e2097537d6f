/** Many messages at once, inserted by the database itself. */
import { START } from "./record-rows.ts";

/**
 * `count` messages between two agents, one a second, ids as the writer gives them. Every tenth speaks of
 * "Rueckfragen" with umlaut, the one numbered n of "Vorgang n".
 */
export async function fillPair(db: D1Database, pair: string, count: number): Promise<void> {
  await db
    .prepare(FILL)
    .bind(...fillValues(pair, count))
    .run();
}

/** What {@link FILL} takes, in order. */
export function fillValues(pair: string, count: number): [number, string, string, string, number] {
  const [a = "", b = ""] = pair.split("|");
  return [count, pair, a, b, START];
}

/** The statement behind {@link fillPair}, for databases that are no binding. */
export const FILL = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)
 INSERT INTO AgentMessages (Id, Uid, PairKey, FromAgentId, ToAgentId, Channel, Direction, Content, RunId, RootRunId, Status, OccurredAt)
 SELECT
   coalesce((SELECT max(Id) + 1 FROM AgentMessages WHERE Id >= (?5 + i * 1000) * 2048 AND Id < (?5 + i * 1000 + 1) * 2048), (?5 + i * 1000) * 2048),
   ?2 || i, ?2, iif(i % 2, ?4, ?3), iif(i % 2, ?3, ?4),
   iif(i % 5, 'ask', 'task'), iif(i % 2, 'response', 'request'),
   'Vorgang ' || i || iif(i % 10, ' ist erledigt', ' hat noch Rückfragen'),
   'run-' || (i / 4), 'root-' || (i / 40), iif(i % 100, 'delivered', 'failed'),
   strftime('%Y-%m-%dT%H:%M:%S', (?5 + i * 1000) / 1000, 'unixepoch') || '.000Z'
 FROM n`;
