/** Reads roll-ups, added up over a period. Rows read: at most one for each period key and combination. */
import { ownJson } from "../journal/database.ts";
import type { Trigger } from "../lineage.ts";
import type { Reader } from "../record/reader.ts";
import type { MessageChannel } from "../record/vocabulary.ts";
import { type ChainSums, joinSums } from "./chain-sums.ts";
import { type Counters, sumCounters } from "./histogram.ts";
import { ENDS, MESSAGE_COUNT_NAMES, RUN_COUNT_NAMES } from "./rollup-sql.ts";
import { agentClause, channelClause, pairClause, type Scope } from "./scope.ts";

export interface MessageSums {
  readonly from: string;
  readonly to: string;
  readonly channel: MessageChannel;
  readonly requests: number;
  readonly responses: number;
  readonly requestFailed: number;
  readonly requestTimeout: number;
  readonly requestDenied: number;
  readonly responseFailed: number;
  readonly responseTimeout: number;
  readonly responseDenied: number;
  readonly done: number;
  readonly blocked: number;
  readonly rejected: number;
  readonly cancelled: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly byHour: Counters;
  readonly waits: Counters;
}

const COUNTS = [...MESSAGE_COUNT_NAMES, ...ENDS];
const camel = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);
const summed = (names: readonly string[]) =>
  names.map((name) => `sum("${name}") AS "${camel(name)}"`).join(", ");
/** Counters are added in code; the database joins them, which costs no rows. */
const joined = (name: string) => `'[' || group_concat("${name}") || ']' AS "${camel(name)}"`;
const IN_PERIOD = `"Period" IN (SELECT "value" FROM json_each(?))`;

/** By sender, recipient and channel. */
export async function readMessageSums(reader: Reader, scope: Scope): Promise<MessageSums[]> {
  const pair = pairClause(scope.filter);
  const channel = channelClause(scope.filter);
  type Row = Omit<MessageSums, "byHour" | "waits"> & { readonly byHour: string; readonly waits: string };
  const rows = await reader.all<Row>(
    `SELECT "FromAgentId" AS "from", "ToAgentId" AS "to", "Channel" AS "channel", ${summed(COUNTS)},
      min("FirstAt") AS "firstAt", max("LastAt") AS "lastAt", ${joined("ByHour")}, ${joined("Waits")}
    FROM "MessageRollups" WHERE ${IN_PERIOD}${pair.sql}${channel.sql} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    scope.keys,
    ...pair.params,
    ...channel.params,
  );
  return rows.map((row) => ({ ...row, byHour: sumCounters(row.byHour), waits: sumCounters(row.waits) }));
}

export interface RunSums {
  readonly agentId: string;
  readonly trigger: Trigger;
  readonly model: string;
  readonly runs: number;
  readonly failed: number;
  readonly timeout: number;
  readonly cancelled: number;
  readonly stepLimit: number;
  readonly budget: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
  readonly unpriced: number;
  readonly costs: Counters;
}

/** By agent, trigger and model. */
export async function readRunSums(reader: Reader, scope: Scope): Promise<RunSums[]> {
  const agents = agentClause(scope.filter);
  const rows = await reader.all<Omit<RunSums, "costs"> & { readonly costs: string }>(
    `SELECT "AgentId" AS "agentId", "Trigger" AS "trigger", "Model" AS "model", ${summed(RUN_COUNT_NAMES)}, ${joined("Costs")}
    FROM "RunRollups" WHERE ${IN_PERIOD}${agents.sql} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    scope.keys,
    ...agents.params,
  );
  return rows.map((row) => ({ ...row, costs: sumCounters(row.costs) }));
}

export interface ChainGroup {
  readonly agentId: string;
  readonly trigger: Trigger;
  readonly model: string;
  readonly sums: ChainSums;
}

/** By who was instructed, by what, and with which model. */
export async function readChainSums(reader: Reader, scope: Scope): Promise<ChainGroup[]> {
  const agents = agentClause(scope.filter);
  const rows = await reader.all<Omit<ChainGroup, "sums"> & { readonly sums: string }>(
    `SELECT "AgentId" AS "agentId", "Trigger" AS "trigger", "Model" AS "model", ${joined("Sums")}
    FROM "ChainRollups" WHERE ${IN_PERIOD}${agents.sql} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    scope.keys,
    ...agents.params,
  );
  return rows.map((row) => ({ ...row, sums: joinSums(ownJson<ChainSums[]>(row.sums)) }));
}

export interface MessageStep {
  readonly period: string;
  readonly messages: number;
  readonly failed: number;
  readonly timeout: number;
  readonly denied: number;
}

export function readMessageSeries(reader: Reader, scope: Scope): Promise<MessageStep[]> {
  const pair = pairClause(scope.filter);
  const channel = channelClause(scope.filter);
  return reader.all<MessageStep>(
    `SELECT "Period" AS "period", sum("Requests" + "Responses") AS "messages", sum("RequestFailed" + "ResponseFailed") AS "failed",
      sum("RequestTimeout" + "ResponseTimeout") AS "timeout", sum("RequestDenied" + "ResponseDenied") AS "denied"
    FROM "MessageRollups" WHERE ${IN_PERIOD}${pair.sql}${channel.sql} GROUP BY 1 ORDER BY 1`,
    scope.steps,
    ...pair.params,
    ...channel.params,
  );
}

export interface RunStep {
  readonly period: string;
  readonly runs: number;
  readonly failedRuns: number;
  readonly costMicros: number;
  readonly unpriced: number;
}

export function readRunSeries(reader: Reader, scope: Scope): Promise<RunStep[]> {
  const agents = agentClause(scope.filter);
  return reader.all<RunStep>(
    `SELECT "Period" AS "period", sum("Runs") AS "runs", sum("Failed" + "Timeout" + "StepLimit" + "Budget") AS "failedRuns",
      sum("CostMicros") AS "costMicros", sum("Unpriced") AS "unpriced"
    FROM "RunRollups" WHERE ${IN_PERIOD}${agents.sql} GROUP BY 1 ORDER BY 1`,
    scope.steps,
    ...agents.params,
  );
}

const COUNTED_PENDING = 1_000;

/** Chains and answers that the analysis has still to look at, and chains to add up anew, at most 1,000. */
export async function readPending(reader: Reader): Promise<number> {
  const row = await reader.first<{ pending: number }>(
    `SELECT count(*) AS "pending" FROM (SELECT 1 FROM (SELECT 1 FROM "DirtyChains" LIMIT ?1) UNION ALL SELECT 1 FROM (SELECT 1 FROM "NewAnswers" LIMIT ?1)
      UNION ALL SELECT 1 FROM (SELECT 1 FROM "ChainFacts" WHERE "RootRunId" > (SELECT "CountedUpTo" FROM "AnalysisState" WHERE "Id" = 1) LIMIT ?1) LIMIT ?1)`,
    COUNTED_PENDING,
  );
  return row?.pending ?? 0;
}
