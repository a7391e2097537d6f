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
/** So many rows are looked at for those that are in trouble. */
const MAX_LOOKED_AT = 2_000;

interface SourceRow {
  readonly id: number | null;
  readonly rootRunId: string;
  readonly at: string;
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
    firstAt: oldestFirst[0]?.at ?? null,
    lastAt: oldestFirst.at(-1)?.at ?? null,
  };
}

type Statement = [sql: string, ...params: (string | number)[]];

function sourceStatement(finding: RateFinding, since: string, before: string): Statement {
  const [first = "", second = ""] = finding.agents;
  switch (finding.code) {
    case "failing_pair":
      return troubled({ scope: `"PairKey" = ?`, filter: `"Channel" = ?` }, [
        pairKey(first, second),
        since,
        before,
        MAX_LOOKED_AT,
        finding.channel ?? "",
        MAX_SOURCES,
      ]);
    case "failing_channel":
      return troubled({ scope: "1", filter: `"Channel" = ?` }, [
        since,
        before,
        MAX_LOOKED_AT,
        finding.channel ?? "",
        MAX_SOURCES,
      ]);
    case "failing_hour":
      return troubled({ scope: "1", filter: `substr("OccurredAt", 12, 2) = ?` }, [
        since,
        before,
        MAX_LOOKED_AT,
        String(finding.hour ?? 0).padStart(2, "0"),
        MAX_SOURCES,
      ]);
    case "step_limits":
      return [STEP_LIMITS, first, since, before, MAX_LOOKED_AT, MAX_SOURCES];
    case "only_asks":
      return [asks("FromAgentId"), first, since, before, MAX_LOOKED_AT, MAX_SOURCES];
    case "never_answers":
      return [asks("ToAgentId"), first, since, before, MAX_LOOKED_AT, MAX_SOURCES];
  }
}

const COLUMNS = `"Id" AS "id", "RootRunId" AS "rootRunId", "OccurredAt" AS "at"`;

/** The outer LIMIT ends the walk over the index as soon as enough are found. */
function troubled(
  { scope, filter }: { readonly scope: string; readonly filter: string },
  params: (string | number)[],
): Statement {
  return [
    `SELECT ${COLUMNS} FROM (
      SELECT * FROM (SELECT "Id", "RootRunId", "OccurredAt", "Channel", "Status" FROM "AgentMessages"
        WHERE ${scope} AND "OccurredAt" >= ? AND "OccurredAt" < ? ORDER BY "OccurredAt" DESC, "Id" DESC LIMIT ?)
      WHERE "Status" <> 'delivered' AND ${filter} LIMIT ?)`,
    ...params,
  ];
}

function asks(column: "FromAgentId" | "ToAgentId"): string {
  return `SELECT ${COLUMNS} FROM (
      SELECT * FROM (SELECT "Id", "RootRunId", "OccurredAt", "Channel", "Direction" FROM "AgentMessages"
        WHERE "${column}" = ? AND "OccurredAt" >= ? AND "OccurredAt" < ? ORDER BY "OccurredAt" DESC, "Id" DESC LIMIT ?)
      WHERE "Channel" = 'ask' AND "Direction" = 'request' LIMIT ?)`;
}

const STEP_LIMITS = `SELECT NULL AS "id", "RootRunId" AS "rootRunId", "StartedAt" AS "at" FROM (
    SELECT * FROM (SELECT "RootRunId", "StartedAt", "Status" FROM "RunReceipts"
      WHERE "AgentId" = ? AND "StartedAt" >= ? AND "StartedAt" < ? ORDER BY "StartedAt" DESC LIMIT ?)
    WHERE "Status" = 'step_limit' LIMIT ?)`;
