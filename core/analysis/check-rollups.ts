/** Compares the roll-ups with the rows that they are sums of, a bounded piece a call. Changes nothing. */
import type { Reader } from "../record/reader.ts";

export interface Difference {
  readonly table: "MessageRollups" | "RunRollups" | "ChainFacts";
  /** The day or chain. */
  readonly key: string;
  readonly rows: number;
  readonly rollup: number;
}

export interface CheckStep {
  readonly done: boolean;
  readonly cursor: string | null;
  readonly checked: number;
  /** At most 100 of a piece. */
  readonly differences: readonly Difference[];
}

const PIECE_DAYS = 5;
const PIECE_CHAINS = 200;
const SHOWN = 100;
const CURSOR = /^(messages|runs|chains) ?(.{0,300})$/;

/** Null for a cursor that no step answered. Rejects when D1 does. */
export async function checkStep(reader: Reader, cursor: string | null): Promise<CheckStep | null> {
  const [, phase, at = ""] = CURSOR.exec(cursor ?? "messages") ?? [];
  switch (phase) {
    case "messages":
      return answer("messages", "runs", await days(reader, MESSAGES, at));
    case "runs":
      return answer("runs", "chains", await days(reader, RUNS, at));
    case "chains":
      return answer("chains", null, await chains(reader, at));
    default:
      return null;
  }
}

interface Piece {
  readonly checked: number;
  readonly differences: readonly Difference[];
  readonly next: string | null;
}

function answer(phase: string, following: string | null, { checked, differences, next }: Piece): CheckStep {
  const cursor = next === null ? following : `${phase} ${next}`;
  return { done: cursor === null, cursor, checked, differences: differences.slice(0, SHOWN) };
}

interface Compared {
  readonly table: "MessageRollups" | "RunRollups";
  /** Of one day: what the rows, its hours and the day itself say, one figure a row. */
  readonly figures: string;
}

/** Independent of the statements that count: plain sums, each told by the rows, by the day, and by its hours. */
const sumsOf = (rollups: string, figures: readonly (readonly [rollup: string, raw: string])[], raw: string) =>
  figures
    .map(
      ([rollup, expression], index) => `SELECT ${index} AS "figure",
      (SELECT coalesce(sum(${expression}), 0) FROM ${raw}) AS "rows",
      (SELECT coalesce(sum(${rollup}), 0) FROM "${rollups}" WHERE "Period" = ?1) AS "day",
      (SELECT coalesce(sum(${rollup}), 0) FROM "${rollups}" WHERE "Period" > ?1 || 'T' AND "Period" < ?1 || 'U') AS "hours"`,
    )
    .join(" UNION ALL ");

const MESSAGES: Compared = {
  table: "MessageRollups",
  figures: sumsOf(
    "MessageRollups",
    [
      [`"Requests"`, `"Direction" = 'request'`],
      [`"Responses"`, `"Direction" = 'response'`],
      [
        `"RequestFailed" + "RequestTimeout" + "RequestDenied" + "ResponseFailed" + "ResponseTimeout" + "ResponseDenied"`,
        `"Status" <> 'delivered'`,
      ],
      [`length("FromAgentId") * ("Requests" + "Responses")`, `length("FromAgentId")`],
    ],
    `"AgentMessages" WHERE "OccurredAt" >= ?1 AND "OccurredAt" < ?1 || 'U'`,
  ),
};
const RUNS: Compared = {
  table: "RunRollups",
  figures: sumsOf(
    "RunRollups",
    [
      [`"Runs"`, "1"],
      [`"CostMicros"`, `"CostMicros"`],
      [`"Unpriced"`, `"CostMicros" IS NULL`],
      [`"Failed" + "Timeout" + "StepLimit" + "Budget" + "Cancelled"`, `"Status" <> 'completed'`],
    ],
    `(SELECT r.* FROM (SELECT DISTINCT "AgentId" AS "agent" FROM "RunRollups" WHERE "Period" = ?1) a CROSS JOIN "RunReceipts" r
      ON r."AgentId" = a."agent" AND r."StartedAt" >= ?1 AND r."StartedAt" < ?1 || 'U')`,
  ),
};

async function days(reader: Reader, compared: Compared, after: string): Promise<Piece> {
  const keys = await nextDays(reader, compared.table, after);
  const differences: Difference[] = [];
  for (const day of keys) {
    const figures = await reader.all<{ figure: number; rows: number; day: number; hours: number }>(
      compared.figures,
      day,
    );
    for (const { figure, rows, day: rollup, hours } of figures) {
      const key = `${day} figure ${figure}`;
      // Fewer rows than were counted are what retention leaves.
      if (rows > rollup) differences.push({ table: compared.table, key, rows, rollup });
      else if (hours !== rollup)
        differences.push({ table: compared.table, key: `${key} by hours`, rows: hours, rollup });
      else if (rows < rollup && !(await isOldest(reader, compared.table, day)))
        differences.push({ table: compared.table, key, rows, rollup });
    }
  }
  return { checked: keys.length, differences, next: keys.length < PIECE_DAYS ? null : (keys.at(-1) ?? null) };
}

/** Days with roll-ups: jumps from one to the next, so that hours and months in between cost nothing. */
async function nextDays(reader: Reader, table: Compared["table"], after: string): Promise<string[]> {
  const days: string[] = [];
  for (let at = after; days.length < PIECE_DAYS; ) {
    const from = at === "" ? "" : `${at}U`;
    const row = await reader.first<{ period: string }>(
      `SELECT "Period" AS "period" FROM "${table}" WHERE "Period" >= ? AND length("Period") >= 10 ORDER BY "Period" LIMIT 1`,
      from,
    );
    if (row === null) break;
    at = row.period.slice(0, 10);
    days.push(at);
  }
  return days;
}

/** Whether retention has come as far as this day, or beyond it. */
async function isOldest(reader: Reader, table: Compared["table"], day: string): Promise<boolean> {
  const sql =
    table === "MessageRollups"
      ? `SELECT "OccurredAt" AS "at" FROM "AgentMessages" ORDER BY "OccurredAt" LIMIT 1`
      : `SELECT min("StartedAt") AS "at" FROM (SELECT (SELECT min(r."StartedAt") FROM "RunReceipts" r WHERE r."AgentId" = a."agent") AS "StartedAt"
          FROM (SELECT DISTINCT "AgentId" AS "agent" FROM "RunRollups" WHERE "Period" = substr(?1, 1, 7)) a)`;
  const row = await reader.first<{ at: string | null }>(sql, ...(table === "MessageRollups" ? [] : [day]));
  return row === null || row.at === null || row.at.slice(0, 10) >= day;
}

interface ChainCounts {
  readonly key: string;
  readonly rows: number;
  readonly rollup: number;
  readonly cost: number;
  readonly costRollup: number;
}

/** Chains that wait to be looked at, and those of which receipts are gone, are left out. */
async function chains(reader: Reader, after: string): Promise<Piece> {
  const rows = await reader.all<ChainCounts>(
    `SELECT f."RootRunId" AS "key", f."Runs" AS "rollup", f."CostMicros" AS "costRollup",
      (SELECT count(*) FROM "RunReceipts" r WHERE r."RootRunId" = f."RootRunId") AS "rows",
      (SELECT coalesce(sum(r."CostMicros"), 0) FROM "RunReceipts" r WHERE r."RootRunId" = f."RootRunId") AS "cost"
    FROM (SELECT * FROM "ChainFacts" WHERE "RootRunId" > ? ORDER BY "RootRunId" LIMIT ${PIECE_CHAINS}) f
    WHERE NOT EXISTS (SELECT 1 FROM "DirtyChains" d WHERE d."RootRunId" = f."RootRunId")`,
    after,
  );
  const last = await reader.first<{ key: string | null }>(
    `SELECT max("RootRunId") AS "key" FROM (SELECT "RootRunId" FROM "ChainFacts" WHERE "RootRunId" > ? ORDER BY "RootRunId" LIMIT ${PIECE_CHAINS})`,
    after,
  );
  const differences = rows.flatMap(({ key, rows: there, rollup, cost, costRollup }): Difference[] => {
    if (there > rollup) return [{ table: "ChainFacts", key, rows: there, rollup }];
    return there === rollup && cost !== costRollup
      ? [{ table: "ChainFacts", key: `${key} cost`, rows: cost, rollup: costRollup }]
      : [];
  });
  return { checked: rows.length, differences, next: last?.key ?? null };
}
