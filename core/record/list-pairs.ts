/** Who talks with whom, how often and how well. */
import { keysWithin, partsOf } from "../analysis/period-parts.ts";
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

/**
 * Pairs with messages in the period, the one that spoke last first. Whole hours come from the roll-ups, the
 * parts of hours at the period's ends from the messages themselves. A pair of which no message is left is left
 * out. Rejects when D1 does.
 */
export async function listPairs(reader: Reader, period: Period): Promise<ListPairsResult> {
  const since = period.since ? parseInstant(period.since) : null;
  if (period.since && since === null) return { ok: false, problem: { code: "bad_time", parameter: "since" } };
  const until = period.until ? parseUntil(period.until) : null;
  if (period.until && until === null) return { ok: false, problem: { code: "bad_time", parameter: "until" } };
  const { whole, edges } = partsOf(since, until);
  const keys = await keysWithin(reader, whole);
  const params = [JSON.stringify(keys), JSON.stringify(edges), since ?? "", until ?? "~"];
  return { ok: true, pairs: (await reader.all<PairCounts>(PAIRS, ...params)).map(pairView) };
}

type PairCounts = Omit<PairView, "agentA" | "agentB" | "channels"> & Record<MessageChannel, number>;

const counted = (value: (channel: string) => string) =>
  MESSAGE_CHANNELS.map((channel) => `${value(channel)} AS "${channel}"`).join(", ");

const PAIRS = `
  WITH parts AS (
    SELECT min("FromAgentId", "ToAgentId") || '|' || max("FromAgentId", "ToAgentId") AS "pairKey", "Requests" + "Responses" AS "messages",
      "RequestFailed" + "RequestTimeout" + "RequestDenied" + "ResponseFailed" + "ResponseTimeout" + "ResponseDenied" AS "failed",
      "FirstAt" AS "firstAt", "LastAt" AS "lastAt", ${counted((channel) => `iif("Channel" = '${channel}', "Requests" + "Responses", 0)`)}
    FROM "MessageRollups" WHERE "Period" IN (SELECT "value" FROM json_each(?1)) AND "Requests" + "Responses" > 0
    UNION ALL
    SELECT m."PairKey", 1, m."Status" <> 'delivered', m."OccurredAt", m."OccurredAt", ${counted((channel) => `m."Channel" = '${channel}'`)}
    FROM json_each(?2) e JOIN "AgentMessages" m
      ON m."OccurredAt" >= json_extract(e."value", '$[0]') AND m."OccurredAt" <= json_extract(e."value", '$[1]')
  ), pairs AS (
    SELECT "pairKey", sum("messages") AS "messages", sum("failed") AS "failed", min("firstAt") AS "firstAt", max("lastAt") AS "lastAt",
      ${counted((channel) => `sum("${channel}")`)}
    FROM parts GROUP BY "pairKey"
  )
  SELECT * FROM (SELECT p.*, (
    SELECT substr(m."Content", 1, ${LAST_TEXT_CHARS}) FROM "AgentMessages" m
    WHERE m."PairKey" = p."pairKey" AND m."OccurredAt" >= ?3 AND m."OccurredAt" <= ?4 ORDER BY m."OccurredAt" DESC, m."Id" DESC LIMIT 1
  ) AS "lastText" FROM pairs p) WHERE "lastText" IS NOT NULL ORDER BY "lastAt" DESC, "pairKey"`;

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
