/** The part of a rebuild that has the analysis look again: at chains, their sums, and questions. */
import { ownJson } from "../journal/database.ts";
import { selectList } from "../record/columns.ts";
import { analysisVersion, putRows, writeStep } from "./analysis-batch.ts";
import type { ChainFacts } from "./chain-facts.ts";
import { changedSums } from "./changed-sums.ts";
import type { RebuildStores } from "./rebuild.ts";
import { chainFacts, chainRollups } from "./schema.ts";

const PIECE_CHAINS = 500;
const PIECE_MESSAGES = 2_000;

/** First every chain on record is marked to be summed up anew, then the sums over all chains are made. */
export async function rebuildChains(stores: RebuildStores, at: string): Promise<string | null> {
  const [part = "mark", place = ""] = at === "" ? [] : ownJson<[string, string]>(at);
  if (part === "mark") return markChains(stores, place);
  return part === "empty" ? emptySums(stores) : addChains(stores);
}

async function markChains({ db, reader }: RebuildStores, after: string): Promise<string> {
  const roots = await reader.all<{ root: string }>(
    `SELECT DISTINCT "RootRunId" AS "root" FROM "RunReceipts" WHERE "RootRunId" > ? ORDER BY "RootRunId" LIMIT ${PIECE_CHAINS}`,
    after,
  );
  const last = roots.at(-1);
  if (last === undefined) return JSON.stringify(["empty", ""]);
  await db
    .prepare(
      `INSERT INTO "DirtyChains" ("RootRunId") SELECT "value" FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    )
    .bind(JSON.stringify(roots.map(({ root }) => root)))
    .run();
  return JSON.stringify(["mark", last.root]);
}

async function emptySums({ db }: RebuildStores): Promise<string> {
  const written = await writeStep(db, await analysisVersion(db), [
    db.prepare(`DELETE FROM "ChainRollups"`),
    db.prepare(`UPDATE "AnalysisState" SET "CountedUpTo" = '' WHERE "Id" = 1`),
  ]);
  // Beaten by the analysis: the next call tries again.
  return JSON.stringify([written ? "add" : "empty", ""]);
}

async function addChains({ db, reader }: RebuildStores): Promise<string | null> {
  const version = await analysisVersion(db);
  const state = await reader.first<{ countedUpTo: string | null }>(
    `SELECT "CountedUpTo" AS "countedUpTo" FROM "AnalysisState" WHERE "Id" = 1`,
  );
  if (state === null || state.countedUpTo === null) return null;
  const facts = await reader.all<ChainFacts>(
    `SELECT ${selectList(chainFacts, "f")} FROM "ChainFacts" f WHERE f."RootRunId" > ? ORDER BY f."RootRunId" LIMIT ${PIECE_CHAINS}`,
    state.countedUpTo,
  );
  const last = facts.at(-1)?.rootRunId ?? null;
  const sums = await changedSums(
    reader,
    facts.map((now) => ({ before: null, now })),
  );
  // Beaten by the analysis: the next call tries again from the same place.
  await writeStep(db, version, [
    ...putRows(db, chainRollups, sums),
    db.prepare(`UPDATE "AnalysisState" SET "CountedUpTo" = ? WHERE "Id" = 1`).bind(last),
  ]);
  return JSON.stringify(["add", ""]);
}

/** Groups go, and the answers that are on record are looked at once more. */
export async function rebuildQuestions({ db, reader }: RebuildStores, at: string): Promise<string | null> {
  if (at === "") {
    const gone = await db
      .prepare(
        `DELETE FROM "QuestionGroups" WHERE "GroupId" IN (SELECT "GroupId" FROM "QuestionGroups" LIMIT ${PIECE_CHAINS})`,
      )
      .run();
    return gone.meta.changes === 0 ? "0" : "";
  }
  const rows = await reader.all<{ id: number; isAnswer: number }>(
    `SELECT "Id" AS "id", "Channel" = 'ask' AND "Direction" = 'response' AS "isAnswer" FROM "AgentMessages" WHERE "Id" > ? ORDER BY "Id" LIMIT ${PIECE_MESSAGES}`,
    Number(at),
  );
  const last = rows.at(-1);
  if (last === undefined) return null;
  await db
    .prepare(
      `INSERT INTO "NewAnswers" ("MessageId") SELECT "value" FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    )
    .bind(JSON.stringify(rows.filter(({ isAnswer }) => isAnswer === 1).map(({ id }) => id)))
    .run();
  return String(last.id);
}
