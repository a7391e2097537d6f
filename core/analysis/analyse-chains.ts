/**
 * The part of the analysis that looks at chains: those with new rows are summed up anew, and the sums over all
 * chains follow. Safe to be cut short anywhere and to run twice at once: a step is one guarded batch.
 */
import { selectList } from "../record/columns.ts";
import type { Reader } from "../record/reader.ts";
import { analysisVersion, putRows, writeStep } from "./analysis-batch.ts";
import { type ChainFacts, type ChainMessage, type ChainRun, factsOf } from "./chain-facts.ts";
import { type Change, changedSums } from "./changed-sums.ts";
import { findPingPongs } from "./find-ping-pongs.ts";
import { chainFacts, chainRollups, pingPongs } from "./schema.ts";
import { countedUpTo } from "./sum-chains.ts";

export interface AnalysisStep {
  /** Chains, or questions, that were dealt with. */
  readonly done: number;
  /** Whether another step is worth its reads. */
  readonly more: boolean;
}

const STEP_CHAINS = 100;
/** Of a larger chain the first rows count, and the root. */
export const CHAIN_ROWS = 5_000;
const STEP_ROWS = 2 * CHAIN_ROWS;

interface DirtyChain {
  readonly rootRunId: string;
  readonly runs: number;
  readonly messages: number;
}

/** One step. `reader` reads from the same database. Rejects when D1 does. */
export async function analyseChains(db: D1Database, reader: Reader): Promise<AnalysisStep> {
  const version = await analysisVersion(db);
  const dirty = await dirtyChains(reader);
  if (dirty.length === 0) return { done: 0, more: false };
  const roots = JSON.stringify(dirty.map(({ rootRunId }) => rootRunId));
  const [runs, messages, before] = await Promise.all([
    reader.all<ChainRun>(RUNS_OF, roots, CHAIN_ROWS),
    reader.all<ChainMessage>(MESSAGES_OF, roots, CHAIN_ROWS),
    reader.all<ChainFacts>(FACTS_OF, roots),
  ]);
  const changes = changesOf(dirty, { runs, messages, before });
  const sums = await changedSums(reader, await alreadySummed(reader, changes));
  const exchanges = await findPingPongs(reader, messages);
  const written = await writeStep(db, version, [
    ...putRows(
      db,
      chainFacts,
      changes.map(({ now }) => now),
    ),
    ...putRows(db, chainRollups, sums),
    db
      .prepare(`DELETE FROM "PingPongs" WHERE "MessageId" IN (SELECT "value" FROM json_each(?))`)
      .bind(JSON.stringify(exchanges.parts)),
    ...putRows(db, pingPongs, exchanges.rows),
    db.prepare(FORGET).bind(JSON.stringify(dirty.map((each) => [each.rootRunId, each.runs, each.messages]))),
  ]);
  return { done: written ? dirty.length : 0, more: !written || dirty.length === STEP_CHAINS };
}

/** As many chains as may be read together; a single one may be larger. */
async function dirtyChains(reader: Reader): Promise<readonly DirtyChain[]> {
  const dirty = await reader.all<DirtyChain>(DIRTY, STEP_CHAINS);
  let rows = 0;
  return dirty.filter(({ runs, messages }, index) => {
    rows += Math.min(CHAIN_ROWS, runs) + Math.min(CHAIN_ROWS, messages);
    return index === 0 || rows <= STEP_ROWS;
  });
}

/** No more are counted than are read, so that a huge chain costs no more than a large one. */
const counted = (table: string, rootRunId: string) =>
  `(SELECT count(*) FROM (SELECT 1 FROM "${table}" x WHERE x."RootRunId" = ${rootRunId} LIMIT ${CHAIN_ROWS + 1}))`;

const DIRTY = `SELECT d."RootRunId" AS "rootRunId",
    ${counted("RunReceipts", `d."RootRunId"`)} AS "runs", ${counted("AgentMessages", `d."RootRunId"`)} AS "messages"
  FROM "DirtyChains" d ORDER BY d."RootRunId" LIMIT ?`;

/** A chain that has got rows since they were counted stays. */
const FORGET = `DELETE FROM "DirtyChains" WHERE "RootRunId" IN (
    SELECT json_extract("value", '$[0]') FROM json_each(?) c
    WHERE ${counted("RunReceipts", `json_extract(c."value", '$[0]')`)} <= json_extract(c."value", '$[1]')
      AND ${counted("AgentMessages", `json_extract(c."value", '$[0]')`)} <= json_extract(c."value", '$[2]'))`;

const RUNS_OF = `SELECT r."RootRunId" AS "rootRunId", r."RunId" AS "runId", r."ParentRunId" AS "parentRunId", r."AgentId" AS "agentId",
    r."Trigger" AS "trigger", r."Model" AS "model", r."Status" AS "status", r."CostMicros" AS "costMicros",
    r."StartedAt" AS "startedAt", r."FinishedAt" AS "finishedAt"
  FROM json_each(?1) c JOIN "RunReceipts" r ON r.rowid IN (
    SELECT "row" FROM (SELECT x.rowid AS "row" FROM "RunReceipts" x WHERE x."RootRunId" = c."value" ORDER BY x.rowid LIMIT ?2)
    UNION SELECT x.rowid FROM "RunReceipts" x WHERE x."RunId" = c."value")
  ORDER BY r.rowid`;

const MESSAGES_OF = `SELECT m."RootRunId" AS "rootRunId", m."Id" AS "id", m."PairKey" AS "pairKey", m."FromAgentId" AS "from", m."ToAgentId" AS "to",
    m."Channel" AS "channel", m."Direction" AS "direction", m."RunId" AS "runId", m."OccurredAt" AS "at"
  FROM json_each(?1) c JOIN "AgentMessages" m ON m."Id" IN (
    SELECT x."Id" FROM "AgentMessages" x WHERE x."RootRunId" = c."value" ORDER BY x."OccurredAt" LIMIT ?2)
  ORDER BY m."Id"`;

const FACTS_OF = `SELECT ${selectList(chainFacts, "f")} FROM "ChainFacts" f WHERE f."RootRunId" IN (SELECT "value" FROM json_each(?))`;

interface Rows {
  readonly runs: readonly ChainRun[];
  readonly messages: readonly ChainMessage[];
  readonly before: readonly ChainFacts[];
}

function changesOf(dirty: readonly DirtyChain[], rows: Rows): Change[] {
  const runs = Map.groupBy(rows.runs, (run) => run.rootRunId);
  const messages = Map.groupBy(rows.messages, (message) => message.rootRunId);
  const known = new Map(rows.before.map((facts) => [facts.rootRunId, facts]));
  return dirty.flatMap(({ rootRunId, runs: count }) => {
    const now = factsOf(rootRunId, {
      runs: runs.get(rootRunId) ?? [],
      messages: messages.get(rootRunId) ?? [],
      cut: count > CHAIN_ROWS,
    });
    const before = known.get(rootRunId) ?? null;
    // Retention has taken rows: what was known is more than what is left.
    const lessThanKnown =
      now === null || (before !== null && (now.runs < before.runs || now.messages < before.messages));
    return lessThanKnown || JSON.stringify(now) === JSON.stringify(before) ? [] : [{ before, now }];
  });
}

/** While the sums are made anew, chains that are not in them yet must not be taken out of them. */
async function alreadySummed(reader: Reader, changes: readonly Change[]): Promise<readonly Change[]> {
  const upTo = await countedUpTo(reader);
  return upTo === null ? changes : changes.filter(({ now }) => now.rootRunId <= upTo);
}
