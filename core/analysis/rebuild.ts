/**
 * Makes the roll-ups anew from the rows on record, a bounded piece a call. Each piece is one batch, so figures
 * are right before and after it, and rows that come in meanwhile count once. What retention has deleted stays
 * counted: times from which rows are missing are left as they are.
 */
import type { Reader } from "../record/reader.ts";
import { latest } from "./period.ts";
import { rebuildChains, rebuildQuestions } from "./rebuild-facts.ts";
import { rebuildMessages, rebuildRuns, type Slice } from "./rebuild-sql.ts";
import { type Place, readCursor, writeCursor } from "./rollup-cursor.ts";

export interface RebuildStep {
  readonly done: boolean;
  /** For the next call; null when done. */
  readonly cursor: string | null;
}

export interface RebuildStores {
  readonly db: D1Database;
  /** Reads from the same database. */
  readonly reader: Reader;
}

const PHASES = ["messages", "runs", "chains", "questions"] as const;
type Phase = (typeof PHASES)[number];

/** Null for a cursor that no step answered. Rejects when D1 does. */
export async function rebuildStep(stores: RebuildStores, cursor: string | null): Promise<RebuildStep | null> {
  const at = readCursor(cursor, PHASES);
  if (at === null) return null;
  const { phase } = at;
  const next = await PIECES[phase](stores, at);
  if (next !== null) return { done: false, cursor: writeCursor({ phase, ...next }) };
  const following = PHASES[PHASES.indexOf(phase) + 1];
  return following === undefined
    ? { done: true, cursor: null }
    : { done: false, cursor: writeCursor({ phase: following, part: "", place: "" }) };
}

/** Does a piece and answers where to go on; null at the phase's end. */
type Piece = (stores: RebuildStores, at: Place) => Promise<Place | null>;

const PIECES: Readonly<Record<Phase, Piece>> = {
  messages,
  runs,
  chains: rebuildChains,
  questions: rebuildQuestions,
};

const HOUR_MS = 3_600_000;
/** A day with more rows is done hour by hour. */
const SLICE_ROWS = 5_000;
const iso = (ms: number) => new Date(ms).toISOString();
const fullHour = (time: string, hours = 0) =>
  iso(Math.floor(Date.parse(time) / HOUR_MS) * HOUR_MS + hours * HOUR_MS);
const dayAfter = (time: string) => iso(Date.parse(`${time.slice(0, 10)}T00:00:00.000Z`) + 24 * HOUR_MS);

/** The day of the next row from where the piece before ended, so that hours without rows lose what they should not have. */
function sinceDay(from: string, before: string): string {
  return before === "" ? from : latest(before, `${from.slice(0, 10)}T00:00:00.000Z`);
}

/** Stands at a time. */
async function messages({ db, reader }: RebuildStores, { place: at }: Place): Promise<Place | null> {
  const from = at === "" ? await firstWholeHour(reader, MESSAGES) : await nextHour(reader, MESSAGES, at);
  if (from === null) return null;
  const slice = await sliceFrom(reader, MESSAGES, { from: sinceDay(from, at) });
  await db.batch(rebuildMessages(db, slice));
  return { part: "", place: slice.to };
}

/** Stands at an agent and a time, which is empty between two agents. */
async function runs(
  { db, reader }: RebuildStores,
  { part: agent, place: time }: Place,
): Promise<Place | null> {
  const agentId = time === "" ? await nextAgent(reader, agent) : agent;
  if (agentId === null) return null;
  const own = { ...RUNS, params: [agentId] };
  const from = time === "" ? await firstWholeHour(reader, own) : await nextHour(reader, own, time);
  if (from === null) return { part: agentId, place: "" };
  const slice = await sliceFrom(reader, own, { from: sinceDay(from, time) });
  await db.batch(rebuildRuns(db, slice, agentId));
  return { part: agentId, place: slice.to };
}

async function nextAgent(reader: Reader, after: string): Promise<string | null> {
  const row = await reader.first<{ agentId: string }>(
    `SELECT "AgentId" AS "agentId" FROM "RunReceipts" WHERE "AgentId" > ? ORDER BY "AgentId" LIMIT 1`,
    after,
  );
  return row?.agentId ?? null;
}

interface Rows {
  readonly table: string;
  readonly time: string;
  readonly where: string;
  readonly params: readonly string[];
  /** The sum of an hour in the roll-ups. */
  readonly counted: string;
}

const MESSAGES: Rows = {
  table: "AgentMessages",
  time: "OccurredAt",
  where: "1",
  params: [],
  counted: `SELECT coalesce(sum("Requests" + "Responses"), 0) AS "count" FROM "MessageRollups" WHERE "Period" = ?`,
};
const RUNS: Rows = {
  table: "RunReceipts",
  time: "StartedAt",
  where: `"AgentId" = ?`,
  params: [],
  counted: `SELECT coalesce(sum("Runs"), 0) AS "count" FROM "RunRollups" WHERE "Period" = ? AND "AgentId" = ?`,
};

/** The hour of the oldest row, or the one after it when retention has begun to take that one away. */
async function firstWholeHour(reader: Reader, rows: Rows): Promise<string | null> {
  const oldest = await nextHour(reader, rows, "");
  if (oldest === null) return null;
  const there = await countRows(reader, rows, { from: oldest, to: fullHour(oldest, 1) });
  const counted = await reader.first<{ count: number }>(rows.counted, oldest.slice(0, 13), ...rows.params);
  return there >= (counted?.count ?? 0) ? oldest : nextHour(reader, rows, fullHour(oldest, 1));
}

/** The hour of the first row from that time on. */
async function nextHour(reader: Reader, rows: Rows, from: string): Promise<string | null> {
  const row = await reader.first<{ at: string }>(
    `SELECT "${rows.time}" AS "at" FROM "${rows.table}" WHERE ${rows.where} AND "${rows.time}" >= ? ORDER BY "${rows.time}" LIMIT 1`,
    ...rows.params,
    from,
  );
  return row === null ? null : fullHour(row.at);
}

async function sliceFrom(reader: Reader, rows: Rows, { from }: Pick<Slice, "from">): Promise<Slice> {
  const day = { from, to: dayAfter(from) };
  return (await countRows(reader, rows, day)) <= SLICE_ROWS ? day : { from, to: fullHour(from, 1) };
}

async function countRows(reader: Reader, rows: Rows, { from, to }: Slice): Promise<number> {
  const row = await reader.first<{ count: number }>(
    `SELECT count(*) AS "count" FROM (SELECT 1 FROM "${rows.table}" WHERE ${rows.where} AND "${rows.time}" >= ? AND "${rows.time}" < ? LIMIT ${SLICE_ROWS + 1})`,
    ...rows.params,
    from,
    to,
  );
  return row?.count ?? 0;
}
