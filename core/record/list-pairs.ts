/** Who talks with whom, how often and how well. */
import { parseInstant, parseUntil } from "./instant.ts";
import type { Reader } from "./reader.ts";
import { MESSAGE_CHANNELS, type MessageChannel } from "./vocabulary.ts";

export interface PairView {
  readonly pairKey: string;
  readonly agentA: string;
  readonly agentB: string;
  readonly messages: number;
  /** Messages of any status but `delivered`. */
  readonly failed: number;
  readonly firstAt: string;
  readonly lastAt: string;
  /** The beginning of the newest message. */
  readonly lastText: string;
  readonly channels: Readonly<Record<MessageChannel, number>>;
}

export interface Period {
  /** ISO 8601; both ends belong to the period. */
  readonly since?: string | null | undefined;
  readonly until?: string | null | undefined;
}

export type ListPairsResult =
  | { readonly ok: true; readonly pairs: readonly PairView[] }
  | {
      readonly ok: false;
      readonly problem: { readonly code: "bad_time"; readonly parameter: "since" | "until" };
    };

const LAST_TEXT_CHARS = 200;
const CHANNEL_COUNTS = MESSAGE_CHANNELS.map(
  (channel) => `sum("Channel" = '${channel}') AS "${channel}"`,
).join(", ");

/**
 * Pairs with messages in the period, the one that spoke last first. Reads every message of the period:
 * fine for a page that is opened now and then, nothing to poll. Rejects when D1 does.
 */
export async function listPairs(reader: Reader, period: Period): Promise<ListPairsResult> {
  const since = period.since ? parseInstant(period.since) : "";
  if (since === null) return { ok: false, problem: { code: "bad_time", parameter: "since" } };
  // "~" sorts after every ISO date.
  const until = period.until ? parseUntil(period.until) : "~";
  if (until === null) return { ok: false, problem: { code: "bad_time", parameter: "until" } };
  const rows = await reader.all<PairCounts>(pairsSql(since !== "" || until !== "~"), since, until);
  return { ok: true, pairs: rows.map(pairView) };
}

type PairCounts = Omit<PairView, "agentA" | "agentB" | "channels"> & Record<MessageChannel, number>;

function pairsSql(bounded: boolean): string {
  // Without a period the scan of the table is cheaper than one over an index that must look up every row.
  const period = bounded ? `"OccurredAt" BETWEEN ?1 AND ?2` : `?1 < ?2`;
  return `
    SELECT p.*, (
      SELECT substr(m."Content", 1, ${LAST_TEXT_CHARS}) FROM "AgentMessages" m
      WHERE m."PairKey" = p."pairKey" AND m."OccurredAt" = p."lastAt" ORDER BY m."Id" DESC LIMIT 1
    ) AS "lastText"
    FROM (
      SELECT "PairKey" AS "pairKey", count(*) AS "messages", sum("Status" <> 'delivered') AS "failed",
        min("OccurredAt") AS "firstAt", max("OccurredAt") AS "lastAt", ${CHANNEL_COUNTS}
      FROM "AgentMessages" WHERE ${period} GROUP BY +"PairKey"
    ) p ORDER BY p."lastAt" DESC, p."pairKey"`;
}

function pairView(row: PairCounts): PairView {
  const { ask, task, task_comment, task_result, mail, ...counts } = row;
  const middle = row.pairKey.indexOf("|");
  return {
    ...counts,
    agentA: row.pairKey.slice(0, middle),
    agentB: row.pairKey.slice(middle + 1),
    channels: { ask, task, task_comment, task_result, mail },
  };
}
