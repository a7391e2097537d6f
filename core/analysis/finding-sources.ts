/** The messages and chains behind a finding, for links. Statements look at a bounded number of rows. */
import type { Reader } from "../record/reader.ts";
import { pairKey } from "../record/rows.ts";
import type { RateFinding } from "./find-rates.ts";
import type { CountedPeriod } from "./stats-view.ts";

export interface Sources {
  /** Newest last. */
  readonly messageIds: readonly number[];
  readonly rootRunIds: readonly string[];
  readonly firstAt: string | null;
  readonly lastAt: string | null;
}

export const MAX_SOURCES = 20;
/** So many rows are looked at, the newest first. */
const MAX_LOOKED_AT = 2_000;
/** Of an agent that does little else nearly every message is one. */
const MAX_ASKS_LOOKED_AT = 500;

interface SourceRow {
  readonly id: number | null;
  readonly rootRunId: string;
  readonly at: string;
  /** Of all that were looked at, where more were than are shown. */
  readonly firstAt?: string;
}

/** Rejects when D1 does. */
export async function sourcesOf(
  reader: Reader,
  finding: RateFinding,
  period: CountedPeriod,
): Promise<Sources> {
  const rows = await reader.all<SourceRow>(
    ...sourceStatement(finding, period.since ?? "", period.before ?? "~"),
  );
  return joinSources(rows);
}

/** Rows newest first. */
export function joinSources(rows: readonly SourceRow[]): Sources {
  const oldestFirst = rows.toReversed();
  return {
    messageIds: oldestFirst.flatMap(({ id }) => (id === null ? [] : [id])).slice(-MAX_SOURCES),
    rootRunIds: [...new Set(oldestFirst.map(({ rootRunId }) => rootRunId))].slice(-MAX_SOURCES),
    firstAt: oldestFirst[0]?.firstAt ?? oldestFirst[0]?.at ?? null,
    lastAt: oldestFirst.at(-1)?.at ?? null,
  };
}

type Statement = [sql: string, ...params: (string | number)[]];

function sourceStatement(finding: RateFinding, since: string, before: string): Statement {
  const [first = ""] = finding.agents;
  switch (finding.code) {
    case "failing_pair":
      return troubledPair(finding, since, before);
    case "failing_channel":
      return [troubled(`"Channel" = ?3`), since, before, finding.channel ?? ""];
    case "failing_hour":
      return [
        troubled(`substr("OccurredAt", 12, 2) = ?3`),
        since,
        before,
        String(finding.hour ?? 0).padStart(2, "0"),
      ];
    case "step_limits":
      return [STEP_LIMITS, first, since, before, MAX_LOOKED_AT, MAX_SOURCES];
    case "only_asks":
      return [asks("FromAgentId"), first, since, before, MAX_ASKS_LOOKED_AT, MAX_SOURCES];
    case "never_answers":
      return [asks("ToAgentId"), first, since, before, MAX_ASKS_LOOKED_AT, MAX_SOURCES];
  }
}

const COLUMNS = `"Id" AS "id", "RootRunId" AS "rootRunId", "OccurredAt" AS "at"`;

/** What the first wanted of the second and did not get: an ask by its answer, which goes the other way. */
function troubledPair({ agents, channel }: RateFinding, since: string, before: string): Statement {
  const [from = "", to = ""] = agents;
  const ends = channel === "ask" ? [to, from] : [from, to];
  const isAnswer = channel === "ask" ? ` AND "Direction" = 'response'` : "";
  return [
    troubled(`"PairKey" = ?3 AND "Channel" = ?4 AND "FromAgentId" = ?5 AND "ToAgentId" = ?6${isAnswer}`),
    since,
    before,
    pairKey(from, to),
    channel ?? "",
    ...ends,
  ];
}

/** Indexes hold only what is in trouble. The first and last time are of all that were looked at, not of those shown. */
function troubled(filter: string): string {
  return `SELECT ${COLUMNS}, min("OccurredAt") OVER () AS "firstAt" FROM (
      SELECT "Id", "RootRunId", "OccurredAt" FROM "AgentMessages"
      WHERE "Status" <> 'delivered' AND "OccurredAt" >= ?1 AND "OccurredAt" < ?2 AND ${filter}
      ORDER BY "OccurredAt" DESC, "Id" DESC LIMIT ${MAX_LOOKED_AT})
    ORDER BY "OccurredAt" DESC, "Id" DESC LIMIT ${MAX_SOURCES}`;
}

function asks(column: "FromAgentId" | "ToAgentId"): string {
  return `SELECT ${COLUMNS}, min("OccurredAt") OVER () AS "firstAt" FROM (
      SELECT "Id", "RootRunId", "OccurredAt", "Channel", "Direction" FROM "AgentMessages"
        WHERE "${column}" = ? AND "OccurredAt" >= ? AND "OccurredAt" < ? ORDER BY "OccurredAt" DESC, "Id" DESC LIMIT ?)
      WHERE "Channel" = 'ask' AND "Direction" = 'request' ORDER BY "OccurredAt" DESC, "Id" DESC LIMIT ?`;
}

const STEP_LIMITS = `SELECT NULL AS "id", "RootRunId" AS "rootRunId", "StartedAt" AS "at", min("StartedAt") OVER () AS "firstAt" FROM (
    SELECT "RootRunId", "StartedAt", "Status" FROM "RunReceipts"
      WHERE "AgentId" = ? AND "StartedAt" >= ? AND "StartedAt" < ? ORDER BY "StartedAt" DESC LIMIT ?)
    WHERE "Status" = 'step_limit' ORDER BY "StartedAt" DESC LIMIT ?`;
