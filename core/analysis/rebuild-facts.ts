/** The part of a rebuild that has the analysis look again: at chains, their sums, and questions. */
import type { Reader } from "../record/reader.ts";
import { analysisVersion, writeStep } from "./analysis-batch.ts";
import type { RebuildStores } from "./rebuild.ts";
import type { Place } from "./rollup-cursor.ts";
import { emptySums, sumChains } from "./sum-chains.ts";

const PIECE_CHAINS = 500;
const PIECE_MESSAGES = 2_000;

/** First every chain on record is marked to be looked at again, then the sums over all chains are made. */
export async function rebuildChains(stores: RebuildStores, { part, place }: Place): Promise<Place | null> {
  switch (part) {
    case "":
      return forgetPingPongs(stores);
    case "mark":
      return markChains(stores, place);
    case "empty":
      // Beaten by the analysis: the next call tries again.
      return { part: (await emptySums(stores.db)) ? "add" : "empty", place: "" };
    default:
      return (await sumChains(stores.db, stores.reader)).more ? { part: "add", place: "" } : null;
  }
}

/** Exchanges of which messages are gone cannot be found again: they stay. */
async function forgetPingPongs({ db }: RebuildStores): Promise<Place> {
  const written = await writeStep(db, await analysisVersion(db), [
    db.prepare(
      `DELETE FROM "PingPongs" WHERE "FirstAt" >= (SELECT "OccurredAt" FROM "AgentMessages" ORDER BY "OccurredAt" LIMIT 1)`,
    ),
  ]);
  return { part: written ? "mark" : "", place: "" };
}

async function markChains({ db, reader }: RebuildStores, after: string): Promise<Place> {
  const roots = await reader.all<{ root: string }>(
    `SELECT "root" FROM (${rootsIn("RunReceipts")}) UNION SELECT "root" FROM (${rootsIn("AgentMessages")}) ORDER BY 1 LIMIT ${PIECE_CHAINS}`,
    after,
  );
  const last = roots.at(-1);
  if (last === undefined) return { part: "empty", place: "" };
  await db
    .prepare(
      `INSERT INTO "DirtyChains" ("RootRunId") SELECT "value" FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    )
    .bind(JSON.stringify(roots.map(({ root }) => root)))
    .run();
  return { part: "mark", place: last.root };
}

const rootsIn = (table: string) =>
  `SELECT DISTINCT "RootRunId" AS "root" FROM "${table}" WHERE "RootRunId" > ?1 ORDER BY "RootRunId" LIMIT ${PIECE_CHAINS}`;

/** Groups go, and the answers that are on record are looked at once more. */
export async function rebuildQuestions(
  { db, reader }: RebuildStores,
  { part, place }: Place,
): Promise<Place | null> {
  if (part === "") return forgetGroups(db, reader);
  const rows = await reader.all<{ id: number; isAnswer: number }>(
    `SELECT "Id" AS "id", "Channel" = 'ask' AND "Direction" = 'response' AS "isAnswer" FROM "AgentMessages" WHERE "Id" > ? ORDER BY "Id" LIMIT ${PIECE_MESSAGES}`,
    Number(place),
  );
  const last = rows.at(-1);
  if (last === undefined) return null;
  await db
    .prepare(
      `INSERT INTO "NewAnswers" ("MessageId") SELECT "value" FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    )
    .bind(JSON.stringify(rows.filter(({ isAnswer }) => isAnswer === 1).map(({ id }) => id)))
    .run();
  return { part: "mark", place: String(last.id) };
}

async function forgetGroups(db: D1Database, reader: Reader): Promise<Place> {
  const some = `SELECT "GroupId" FROM "QuestionGroups" ORDER BY "GroupId" LIMIT ${PIECE_CHAINS}`;
  const groups = await reader.all<{ GroupId: number }>(some);
  if (groups.length === 0) return { part: "mark", place: "0" };
  // Guarded, or a step that has just read a group would put it back. Beaten: the next call tries again.
  await writeStep(db, await analysisVersion(db), [
    db.prepare(`DELETE FROM "QuestionGroups" WHERE "GroupId" IN (${some})`),
  ]);
  return { part: "", place: "" };
}
