/** Compares days with their rows and their hours; a day with many rows hour by hour. */
import type { Reader } from "../record/reader.ts";
import {
  type CheckedFigure,
  differencesIn,
  END_FIGURES,
  GIVEN_TASKS,
  MESSAGE_FIGURES,
  RUN_FIGURES,
  rawsOf,
  rollupsOf,
  sumsFrom,
  type Values,
} from "./check-figures.ts";
import type { CheckPiece, Difference } from "./check-rollups.ts";
import type { Place } from "./rollup-cursor.ts";

const PIECE_UNITS = 10;
/** A day with more rows is done hour by hour, and a piece ends after so many. */
const PIECE_ROWS = 5_000;

interface Compared {
  readonly table: "MessageRollups" | "RunRollups";
  readonly figures: readonly CheckedFigure[];
  /** Rows within `[?1, ?2)`. */
  readonly source: string;
  /** The time of the first row from `?1` on; null where no index tells it, and only the roll-ups say where to look. */
  readonly next: string | null;
  /** The time of the oldest row, perhaps by the month of `?1`. */
  readonly oldest: string;
}

const MESSAGES: Compared = {
  table: "MessageRollups",
  figures: MESSAGE_FIGURES,
  source: `"AgentMessages" WHERE "OccurredAt" >= ?1 AND "OccurredAt" < ?2`,
  next: `SELECT "OccurredAt" AS "at" FROM "AgentMessages" WHERE "OccurredAt" >= ?1 ORDER BY "OccurredAt" LIMIT 1`,
  oldest: `SELECT "OccurredAt" AS "at" FROM "AgentMessages" WHERE ?1 <> '' ORDER BY "OccurredAt" LIMIT 1`,
};
const AGENTS = `(SELECT DISTINCT "AgentId" AS "agent" FROM "RunRollups" WHERE "Period" = substr(?1, 1, 7))`;
const RUNS: Compared = {
  table: "RunRollups",
  figures: RUN_FIGURES,
  source: `(SELECT r.* FROM ${AGENTS} a CROSS JOIN "RunReceipts" r WHERE r."AgentId" = a."agent" AND r."StartedAt" >= ?1 AND r."StartedAt" < ?2)`,
  next: null,
  oldest: `SELECT min("first") AS "at" FROM (SELECT (SELECT min(r."StartedAt") FROM "RunReceipts" r WHERE r."AgentId" = a."agent") AS "first" FROM ${AGENTS} a)`,
};

export const checkMessages = (reader: Reader, at: Place) => checkDays(reader, MESSAGES, at);
export const checkRuns = (reader: Reader, at: Place) => checkDays(reader, RUNS, at);

/** Stands at the day or hour that was looked at last. */
async function checkDays(reader: Reader, compared: Compared, { place }: Place): Promise<CheckPiece> {
  const differences: Difference[] = [];
  let [at, rows, checked] = [place, 0, 0];
  for (; checked < PIECE_UNITS && rows <= PIECE_ROWS; checked += 1) {
    const unit = await nextUnit(reader, compared, at);
    if (unit === null) return { checked, differences, next: null };
    differences.push(...(await compareUnit(reader, compared, unit)));
    ({ key: at } = unit);
    rows += unit.rows;
  }
  return { checked, differences, next: { part: "", place: at } };
}

interface Unit {
  /** A day, or an hour of a day with many rows. */
  readonly key: string;
  readonly rows: number;
  /** Whether the day is to be compared with its hours. */
  readonly beginsDay: boolean;
}

/** Everything of a period sorts before the period with this at its end. */
const afterAll = (key: string) => `${key}~`;

async function nextUnit(reader: Reader, compared: Compared, at: string): Promise<Unit | null> {
  if (at.length === 13) {
    const hour = await nextKey(reader, compared, { after: at, length: 13 });
    if (hour?.startsWith(at.slice(0, 10)) === true) return { key: hour, rows: PIECE_ROWS, beginsDay: false };
  }
  const day = await nextKey(reader, compared, { after: at.slice(0, 10), length: 10 });
  if (day === null) return null;
  const row = await reader.first<{ count: number }>(
    `SELECT count(*) AS "count" FROM (SELECT 1 FROM ${compared.source} LIMIT ${PIECE_ROWS + 1})`,
    day,
    afterAll(day),
  );
  const rows = row?.count ?? 0;
  if (rows <= PIECE_ROWS) return { key: day, rows, beginsDay: true };
  const hour = await nextKey(reader, compared, { after: "", length: 13, from: `${day}T` });
  return { key: hour ?? `${day}T00`, rows, beginsDay: true };
}

/** The next day or hour that has roll-ups or rows. */
async function nextKey(
  reader: Reader,
  { table, next }: Compared,
  {
    after,
    length,
    from = after === "" ? "" : afterAll(after),
  }: { after: string; length: 10 | 13; from?: string },
): Promise<string | null> {
  const counted = await reader.first<{ at: string }>(
    `SELECT "Period" AS "at" FROM "${table}" WHERE "Period" >= ? AND length("Period") >= ${length} ORDER BY "Period" LIMIT 1`,
    from,
  );
  const there = next === null ? null : await reader.first<{ at: string }>(next, from);
  const [first] = [counted?.at, there?.at].filter((time) => time !== undefined).sort();
  return first?.slice(0, length) ?? null;
}

async function compareUnit(reader: Reader, compared: Compared, unit: Unit): Promise<Difference[]> {
  const { table, figures, source } = compared;
  const { key } = unit;
  const known = figures.filter(({ raw }) => raw !== null);
  const range = [key, afterAll(key)] as const;
  const rows = await reader.first<Values>(sumsFrom(rawsOf(known), source), ...range);
  const rollup = await reader.first<Values>(sumsFrom(rollupsOf(known), `"${table}" WHERE "Period" = ?`), key);
  // Fewer rows than were counted are what retention leaves.
  const which = (await isOldest(reader, compared, key)) ? "more" : "any";
  return [
    ...differencesIn({ table, figures: known, key, rows, rollup }, which),
    ...(unit.beginsDay ? await compareHours(reader, compared, key.slice(0, 10)) : []),
    ...(table === "MessageRollups" ? await compareEnds(reader, key) : []),
  ];
}

async function compareHours(
  reader: Reader,
  { table, figures }: Compared,
  day: string,
): Promise<Difference[]> {
  const all = table === "MessageRollups" ? [...figures, ...END_FIGURES] : figures;
  const sums = rollupsOf(all);
  const rollup = await reader.first<Values>(sumsFrom(sums, `"${table}" WHERE "Period" = ?`), day);
  const rows = await reader.first<Values>(
    sumsFrom(sums, `"${table}" WHERE "Period" > ? AND "Period" < ?`),
    day,
    afterAll(day),
  );
  return differencesIn({ table, figures: all, key: `${day} by hours`, rows, rollup });
}

async function compareEnds(reader: Reader, key: string): Promise<Difference[]> {
  const rows = await reader.first<Values>(sumsFrom(rawsOf(END_FIGURES), GIVEN_TASKS), key, afterAll(key));
  const rollup = await reader.first<Values>(
    sumsFrom(rollupsOf(END_FIGURES), `"MessageRollups" WHERE "Period" = ?`),
    key,
  );
  return differencesIn({ table: "MessageRollups", figures: END_FIGURES, key, rows, rollup }, "more");
}

/** Whether retention has come as far as this day, or beyond it. */
async function isOldest(reader: Reader, { oldest }: Compared, key: string): Promise<boolean> {
  const row = await reader.first<{ at: string | null }>(oldest, key);
  return row === null || row.at === null || row.at.slice(0, key.length) >= key;
}
