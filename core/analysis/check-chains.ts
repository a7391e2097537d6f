/** Compares what is known of chains with their receipts, and the sums over chains with what is known of each. */
import { z } from "zod";
import type { Reader } from "../record/reader.ts";
import { CHAIN_ROWS } from "./analyse-chains.ts";
import { CHAIN_FIGURES, differencesIn, rawsOf, rollupsOf, sumsFrom, type Values } from "./check-figures.ts";
import type { CheckPiece, Difference } from "./check-rollups.ts";
import type { Place } from "./rollup-cursor.ts";

const PIECE_CHAINS = 200;

interface ChainCounts {
  readonly key: string;
  readonly rows: number;
  readonly rollup: number;
  readonly cost: number;
  readonly costRollup: number;
}

/** Chains that wait to be looked at, those of which receipts are gone, and those too large to be read whole are left out. */
export async function checkChains(reader: Reader, { place }: Place): Promise<CheckPiece> {
  const rows = await reader.all<ChainCounts>(
    `SELECT f."RootRunId" AS "key", f."Runs" AS "rollup", f."CostMicros" AS "costRollup",
      (SELECT count(*) FROM "RunReceipts" r WHERE r."RootRunId" = f."RootRunId") AS "rows",
      (SELECT coalesce(sum(r."CostMicros"), 0) FROM "RunReceipts" r WHERE r."RootRunId" = f."RootRunId") AS "cost"
    FROM (SELECT * FROM "ChainFacts" WHERE "RootRunId" > ? ORDER BY "RootRunId" LIMIT ${PIECE_CHAINS}) f
    WHERE f."Runs" < ${CHAIN_ROWS} AND NOT EXISTS (SELECT 1 FROM "DirtyChains" d WHERE d."RootRunId" = f."RootRunId")`,
    place,
  );
  const last = await reader.first<{ key: string | null }>(
    `SELECT max("RootRunId") AS "key" FROM (SELECT "RootRunId" FROM "ChainFacts" WHERE "RootRunId" > ? ORDER BY "RootRunId" LIMIT ${PIECE_CHAINS})`,
    place,
  );
  const differences = rows.flatMap(({ key, rows: there, rollup, cost, costRollup }): Difference[] => {
    if (there > rollup) return [{ table: "ChainFacts", key, rows: there, rollup }];
    return there === rollup && cost !== costRollup
      ? [{ table: "ChainFacts", key: `${key} cost`, rows: cost, rollup: costRollup }]
      : [];
  });
  const next = last?.key ?? null;
  return { checked: rows.length, differences, next: next === null ? null : { part: "", place: next } };
}

const PIECE_FACTS = 2_000;
/** The analysis' version at the beginning, and the figures so far. */
const sumsShape = z.tuple([z.number(), z.record(z.string(), z.number())]);

/**
 * Adds up the facts of all chains, some a piece, and compares at the end. Nothing can be said when the analysis
 * has moved on meanwhile, or has not added up all chains yet: then nothing is told. Null for a place that no
 * piece answered.
 */
export async function checkChainSums(reader: Reader, { part, place }: Place): Promise<CheckPiece | null> {
  const state = await reader.first<{ version: number; upTo: string | null }>(
    `SELECT "Version" AS "version", "CountedUpTo" AS "upTo" FROM "AnalysisState" WHERE "Id" = 1`,
  );
  const version = state?.version ?? 0;
  const begun = sumsShape.safeParse(part === "" ? [version, {}] : jsonOf(part));
  if (!begun.success) return null;
  const [first, before] = begun.data;
  if (first !== version || (state?.upTo ?? null) !== null) return { checked: 0, differences: [], next: null };
  const sums = await reader.first<Values>(sumsFrom(rawsOf(CHAIN_FIGURES), PIECE), place);
  const last = await reader.first<{ last: string | null; count: number }>(
    `SELECT max("RootRunId") AS "last", count(*) AS "count" FROM ${PIECE}`,
    place,
  );
  const added = Object.fromEntries(
    CHAIN_FIGURES.map((_, index) => [`f${index}`, (before[`f${index}`] ?? 0) + (sums?.[`f${index}`] ?? 0)]),
  );
  const checked = last?.count ?? 0;
  if (last !== null && last.last !== null && checked === PIECE_FACTS)
    return { checked, differences: [], next: { part: JSON.stringify([version, added]), place: last.last } };
  return { checked, differences: await compareSums(reader, added), next: null };
}

const PIECE = `(SELECT * FROM "ChainFacts" WHERE "RootRunId" > ?1 ORDER BY "RootRunId" LIMIT ${PIECE_FACTS})`;

/** From one month to the next, without the days and hours in between. */
const MONTHS = `WITH RECURSIVE months("month") AS (
    SELECT (SELECT substr("Period", 1, 7) FROM "ChainRollups" ORDER BY "Period" LIMIT 1)
    UNION ALL SELECT (SELECT substr("Period", 1, 7) FROM "ChainRollups" WHERE "Period" >= m."month" || '~' ORDER BY "Period" LIMIT 1)
      FROM months m WHERE m."month" IS NOT NULL)`;

async function compareSums(reader: Reader, rows: Values): Promise<Difference[]> {
  const rollup = await reader.first<Values>(
    `${MONTHS} ${sumsFrom(rollupsOf(CHAIN_FIGURES), `months m JOIN "ChainRollups" c ON c."Period" = m."month"`)}`,
  );
  return differencesIn({ table: "ChainRollups", figures: CHAIN_FIGURES, key: "all", rows, rollup });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
