/** The record as the analyst's tool reads it. */
import { type ChainView, chainOf } from "../record/chain-of.ts";
import { type ListMessagesResult, listMessages } from "../record/list-messages.ts";
import { type ListPairsResult, listPairs, type Period } from "../record/list-pairs.ts";
import type { MessageFilter } from "../record/message-filter.ts";
import { createReader } from "../record/reader.ts";
import { type Prepares, selectOnly } from "../record/select-only.ts";
import { type FindingsInput, type FindingsResult, readFindings } from "./findings.ts";
import type { FigureInput } from "./scope.ts";
import { readStats, type StatsClock, type StatsResult } from "./stats.ts";

/** Each call may reject when D1 cannot be read. */
export interface AnalystRecord {
  pairs(period: Period): Promise<ListPairsResult>;
  stats(input: FigureInput): Promise<StatsResult>;
  findings(input: FindingsInput): Promise<FindingsResult>;
  messages(filter: MessageFilter): Promise<ListMessagesResult>;
  /** Empty for an unknown chain. */
  chain(rootRunId: string): Promise<ChainView>;
}

/** Whatever is asked of it, it reads: `db` is wrapped so that nothing else can be prepared. */
export function createAnalystRecord(db: Prepares, clock: () => Promise<StatsClock>): AnalystRecord {
  const reader = () => createReader(selectOnly(db));
  return {
    pairs: (period) => listPairs(reader(), period),
    stats: async (input) => readStats(reader(), input, await clock()),
    findings: async (input) => readFindings(reader(), input, await clock()),
    messages: (filter) => listMessages(reader(), filter),
    chain: (rootRunId) => chainOf(reader(), rootRunId),
  };
}
