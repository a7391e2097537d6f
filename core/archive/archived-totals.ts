/** What archived runs add to a chain's totals. */
import { type ChainTotals, type ChainView, chainDepth, totalsOf } from "../record/chain-of.ts";
import type { Reader } from "../record/reader.ts";
import { type ReceiptView, receiptRow } from "../record/run-view.ts";

/** Of these archived runs those that D1 does not count. `kept` lists only the first runs of a large chain. Rejects when D1 does. */
export async function notInD1(
  reader: Reader,
  kept: ChainView,
  archived: readonly ReceiptView[],
): Promise<readonly ReceiptView[]> {
  if (isWhole(kept) || archived.length === 0) return archived;
  const rows = await reader.all<{ runId: string }>(
    `SELECT "RunId" AS "runId" FROM "RunReceipts" WHERE "RunId" IN (SELECT value FROM json_each(?))`,
    JSON.stringify(archived.map(({ runId }) => runId)),
  );
  const there = new Set(rows.map(({ runId }) => runId));
  return archived.filter(({ runId }) => !there.has(runId));
}

function isWhole({ runs, totals }: ChainView): boolean {
  return runs.length === totals.runs;
}

/** The totals of what D1 has and of archived runs that it does not have. */
export function withArchived(kept: ChainView, archived: readonly ReceiptView[]): ChainTotals {
  const all = [...kept.runs, ...archived].map(receiptRow);
  if (isWhole(kept)) return totalsOf(all);
  const [sums, more] = [kept.totals, totalsOf(archived.map(receiptRow))];
  const costs = [sums.costUsd, more.costUsd].filter((cost) => cost !== null);
  return {
    runs: sums.runs + more.runs,
    depth: Math.max(sums.depth, chainDepth(all)),
    inputTokens: sums.inputTokens + more.inputTokens,
    outputTokens: sums.outputTokens + more.outputTokens,
    costUsd: costs.length === 0 ? null : inMicros(costs.reduce((total, cost) => total + cost, 0)),
    unpricedRuns: sums.unpricedRuns + more.unpricedRuns,
    durationMs: wallTime(kept, archived),
  };
}

const inMicros = (dollars: number) => Math.round(dollars * 1_000_000) / 1_000_000;

/** The first of D1 is listed, the last may not be. */
function wallTime({ runs, totals }: ChainView, archived: readonly ReceiptView[]): number {
  const start = Date.parse(runs[0]?.startedAt ?? "");
  const starts = [start, ...archived.map((run) => Date.parse(run.startedAt))];
  const ends = [start + totals.durationMs, ...archived.map((run) => Date.parse(run.finishedAt))];
  return Math.max(...ends) - Math.min(...starts);
}
