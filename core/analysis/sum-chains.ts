/** The sums over all chains, made anew from their facts: a rebuild empties them, the analysis fills them up again. */
import { selectList } from "../record/columns.ts";
import type { Reader } from "../record/reader.ts";
import type { AnalysisStep } from "./analyse-chains.ts";
import { analysisVersion, putRows, writeStep } from "./analysis-batch.ts";
import type { ChainFacts } from "./chain-facts.ts";
import { changedSums } from "./changed-sums.ts";
import { chainFacts, chainRollups } from "./schema.ts";

const STEP_CHAINS = 500;

/** From here on chains are added by `sumChains`, and until all are, they are not taken out again. False: beaten by another step. */
export async function emptySums(db: D1Database): Promise<boolean> {
  return writeStep(db, await analysisVersion(db), [
    db.prepare(`DELETE FROM "ChainRollups"`),
    db.prepare(`UPDATE "AnalysisState" SET "CountedUpTo" = '' WHERE "Id" = 1`),
  ]);
}

/** Null when the sums hold all chains; else the chain up to which they do. */
export async function countedUpTo(reader: Reader): Promise<string | null> {
  const state = await reader.first<{ upTo: string | null }>(
    `SELECT "CountedUpTo" AS "upTo" FROM "AnalysisState" WHERE "Id" = 1`,
  );
  return state?.upTo ?? null;
}

/** One step; nothing when the sums hold all chains. `reader` reads from the same database. Rejects when D1 does. */
export async function sumChains(db: D1Database, reader: Reader): Promise<AnalysisStep> {
  const version = await analysisVersion(db);
  const upTo = await countedUpTo(reader);
  if (upTo === null) return { done: 0, more: false };
  const facts = await reader.all<ChainFacts>(
    `SELECT ${selectList(chainFacts, "f")} FROM "ChainFacts" f WHERE f."RootRunId" > ? ORDER BY f."RootRunId" LIMIT ${STEP_CHAINS}`,
    upTo,
  );
  const sums = await changedSums(
    reader,
    facts.map((now) => ({ before: null, now })),
  );
  const written = await writeStep(db, version, [
    ...putRows(db, chainRollups, sums),
    db
      .prepare(`UPDATE "AnalysisState" SET "CountedUpTo" = ? WHERE "Id" = 1`)
      .bind(facts.at(-1)?.rootRunId ?? null),
  ]);
  return { done: written ? facts.length : 0, more: !written || facts.length > 0 };
}
