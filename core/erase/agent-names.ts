/** Agents that have ever run, by the roll-ups, which outlast the record and whatever the hub has forgotten. */
import type { Reader } from "../record/reader.ts";

/** From month to month, and in each from agent to agent: it reads one row for each pair. */
const AGENTS = `WITH RECURSIVE months (month) AS (
    SELECT min("Period") FROM "RunRollups"
    UNION ALL
    SELECT (SELECT min("Period") FROM "RunRollups" WHERE "Period" > substr(month, 1, 7) || '~') FROM months WHERE month IS NOT NULL),
  agents (month, agent) AS (
    SELECT month, (SELECT min("AgentId") FROM "RunRollups" WHERE "Period" = month) FROM months WHERE month IS NOT NULL
    UNION ALL
    SELECT month, (SELECT min("AgentId") FROM "RunRollups" WHERE "Period" = month AND "AgentId" > agent)
      FROM agents WHERE agent IS NOT NULL)
  SELECT DISTINCT agent AS "agentId" FROM agents WHERE agent IS NOT NULL`;

const AGENT_ID = /^[\w-]+$/;

/** Ids, in no order. Rejects when D1 does. */
export async function agentsOnRecord(reader: Reader): Promise<string[]> {
  const rows = await reader.all<{ agentId: string }>(AGENTS);
  return rows.map(({ agentId }) => agentId).filter((agentId) => AGENT_ID.test(agentId));
}
