/** A chain: every run and message with one RootRunId. */
import { LISTED_MESSAGE, listedMessage, type MessageView, type SelectedMessage } from "./message-view.ts";
import type { Reader } from "./reader.ts";
import type { ReceiptRow } from "./rows.ts";
import { costInUsd, RECEIPT_COLUMNS, type ReceiptView, receiptView } from "./run-view.ts";

export interface ChainTotals {
  readonly runs: number;
  /** Counted along parents, a root is 1; 0 without runs. */
  readonly depth: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the runs with a price: at least this when `unpricedRuns` is not 0. Null when none has one. */
  readonly costUsd: number | null;
  readonly unpricedRuns: number;
  /** From the first start to the last end, by the clock. */
  readonly durationMs: number;
}

export interface ChainView {
  readonly runs: readonly ReceiptView[];
  readonly messages: readonly MessageView[];
  /** All of the chain's, where the list holds fewer. */
  readonly messageCount: number;
  readonly totals: ChainTotals;
}

/** A chain may be that large in a list; its totals count everything. */
const MAX_RUNS = 1_000;
export const MAX_MESSAGES = 500;

/** Receipts by start, messages by time with long texts cut; empty for an unknown chain. Rejects when D1 does. */
export async function chainOf(reader: Reader, rootRunId: string): Promise<ChainView> {
  const runs = await reader.all<ReceiptRow>(
    `SELECT ${RECEIPT_COLUMNS} FROM "RunReceipts" r WHERE r."RootRunId" = ? ORDER BY r."StartedAt", r."RunId" LIMIT ${MAX_RUNS}`,
    rootRunId,
  );
  const messages = await reader.all<SelectedMessage>(
    `SELECT ${LISTED_MESSAGE} FROM "AgentMessages" m WHERE m."RootRunId" = ? ORDER BY m."OccurredAt", m."Id" LIMIT ${MAX_MESSAGES}`,
    rootRunId,
  );
  const totals =
    runs.length < MAX_RUNS ? totalsOf(runs) : await totalsInD1(reader, rootRunId, chainDepth(runs));
  const messageCount =
    messages.length < MAX_MESSAGES ? messages.length : await countMessages(reader, rootRunId);
  return { runs: runs.map(receiptView), messages: messages.map(listedMessage), messageCount, totals };
}

async function countMessages(reader: Reader, rootRunId: string): Promise<number> {
  const row = await reader.first<{ count: number }>(
    `SELECT count(*) AS "count" FROM "AgentMessages" WHERE "RootRunId" = ?`,
    rootRunId,
  );
  return row?.count ?? 0;
}

/** The totals of these receipts. */
export function totalsOf(runs: readonly ReceiptRow[]): ChainTotals {
  const priced = runs.filter((run) => run.costMicros !== null);
  return {
    runs: runs.length,
    depth: chainDepth(runs),
    inputTokens: sum(runs, (run) => run.inputTokens),
    outputTokens: sum(runs, (run) => run.outputTokens),
    costUsd: priced.length === 0 ? null : costInUsd(sum(priced, (run) => run.costMicros)),
    unpricedRuns: runs.length - priced.length,
    durationMs: wallTime(runs),
  };
}

/** The longest way from a run up to its root. A parent without a receipt yet still counts. */
export function chainDepth(runs: readonly Pick<ReceiptRow, "runId" | "parentRunId">[]): number {
  const parents = new Map(runs.map((run) => [run.runId, run.parentRunId]));
  const depths = new Map<string, number>();
  for (const { runId } of runs) setDepths(parents, depths, runId);
  return Math.max(0, ...depths.values());
}

/** Walks up to a run of known depth, then gives each run on the way its own. */
function setDepths(
  parents: ReadonlyMap<string, string | null>,
  depths: Map<string, number>,
  from: string,
): void {
  const way: string[] = [];
  let at: string | null = from;
  while (at !== null && !depths.has(at) && !way.includes(at)) {
    way.push(at);
    at = parents.get(at) ?? null;
  }
  let depth = at === null ? 0 : (depths.get(at) ?? 0);
  for (const runId of way.reverse()) depths.set(runId, ++depth);
}

function wallTime(runs: readonly ReceiptRow[]): number {
  if (runs.length === 0) return 0;
  const first = Math.min(...runs.map((run) => Date.parse(run.startedAt)));
  return Math.max(...runs.map((run) => Date.parse(run.finishedAt))) - first;
}

function sum(runs: readonly ReceiptRow[], value: (run: ReceiptRow) => number | null): number {
  return runs.reduce((total, run) => total + (value(run) ?? 0), 0);
}

interface SummedChain {
  readonly runs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number | null;
  readonly priced: number;
  readonly startedAt: string;
  readonly finishedAt: string;
}

const SUMMED_CHAIN = `
  SELECT count(*) AS "runs", coalesce(sum("InputTokens"), 0) AS "inputTokens",
    coalesce(sum("OutputTokens"), 0) AS "outputTokens", sum("CostMicros") AS "costMicros",
    count("CostMicros") AS "priced", min("StartedAt") AS "startedAt", max("FinishedAt") AS "finishedAt"
  FROM "RunReceipts" WHERE "RootRunId" = ?`;

async function totalsInD1(reader: Reader, rootRunId: string, depth: number): Promise<ChainTotals> {
  const summed = await reader.first<SummedChain>(SUMMED_CHAIN, rootRunId);
  if (summed === null) return totalsOf([]);
  const { runs, inputTokens, outputTokens, costMicros, priced, startedAt, finishedAt } = summed;
  const durationMs = Date.parse(finishedAt) - Date.parse(startedAt);
  const costUsd = costInUsd(costMicros);
  return { runs, depth, inputTokens, outputTokens, costUsd, unpricedRuns: runs - priced, durationMs };
}
