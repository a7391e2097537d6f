/** The figures that are compared: plain sums, independent of the statements that count. */
import type { Difference } from "./check-rollups.ts";
import { ASSIGNEE } from "./rollup-sql.ts";

export interface CheckedFigure {
  readonly name: string;
  /** Of a roll-up. */
  readonly rollup: string;
  /** Of a row on record; null where only the roll-ups can be compared with each other. */
  readonly raw: string | null;
}

const total = (counters: string) => `(SELECT coalesce(sum(j."value"), 0) FROM json_each(${counters}) j)`;
const QUESTION = `("Channel" = 'ask' AND "Direction" = 'request')`;
const TROUBLE = `("Status" <> 'delivered')`;

export const MESSAGE_FIGURES: readonly CheckedFigure[] = [
  { name: "requests", rollup: `"Requests"`, raw: `"Direction" = 'request'` },
  { name: "responses", rollup: `"Responses"`, raw: `"Direction" = 'response'` },
  {
    name: "trouble",
    rollup: `"RequestFailed" + "RequestTimeout" + "RequestDenied" + "ResponseFailed" + "ResponseTimeout" + "ResponseDenied"`,
    raw: TROUBLE,
  },
  {
    name: "senders",
    rollup: `length("FromAgentId") * ("Requests" + "Responses")`,
    raw: `length("FromAgentId")`,
  },
  {
    name: "byHour",
    rollup: total(`"ByHour"`),
    raw: `1 + ${TROUBLE} + (NOT ${QUESTION}) * (1 + ${TROUBLE})`,
  },
  { name: "waits", rollup: total(`"Waits"`), raw: null },
];

/** How tasks ended, from the board, which forgets: it may know of fewer, never of more. */
export const END_FIGURES: readonly CheckedFigure[] = [
  { name: "done", rollup: `"Done"`, raw: `"Status" = 'done'` },
  { name: "blocked", rollup: `"Blocked"`, raw: `"Status" = 'blocked' AND "Rejections" = 0` },
  { name: "rejected", rollup: `"Rejected"`, raw: `"Status" = 'blocked' AND "Rejections" > 0` },
  { name: "cancelled", rollup: `"Cancelled"`, raw: `"Status" = 'cancelled'` },
];

/** Tasks that one agent gave another within `[?1, ?2)`. */
export const GIVEN_TASKS = `"Tasks" r WHERE r."CreatedAt" >= ?1 AND r."CreatedAt" < ?2 AND r."Creator" <> ${ASSIGNEE}`;

export const RUN_FIGURES: readonly CheckedFigure[] = [
  { name: "runs", rollup: `"Runs"`, raw: "1" },
  { name: "cost", rollup: `"CostMicros"`, raw: `"CostMicros"` },
  { name: "unpriced", rollup: `"Unpriced"`, raw: `"CostMicros" IS NULL` },
  {
    name: "not completed",
    rollup: `"Failed" + "Timeout" + "StepLimit" + "Budget" + "Cancelled"`,
    raw: `"Status" <> 'completed'`,
  },
  { name: "costs", rollup: total(`"Costs"`), raw: `"CostMicros" IS NOT NULL` },
];

export const CHAIN_FIGURES: readonly CheckedFigure[] = [
  { name: "chains", rollup: `json_extract("Sums", '$.chains')`, raw: "1" },
  { name: "failed", rollup: `json_extract("Sums", '$.failed')`, raw: `"FailedRuns" > 0` },
  { name: "cost", rollup: `json_extract("Sums", '$.micros')`, raw: `"CostMicros"` },
  { name: "unpriced", rollup: `json_extract("Sums", '$.unpriced')`, raw: `"Unpriced" > 0` },
  { name: "priced runs", rollup: `json_extract("Sums", '$.pricedRuns')`, raw: `"Runs" - "Unpriced"` },
];

export type Values = Readonly<Record<string, number>>;

/** Null and 0 where there is nothing. */
export const sumsFrom = (expressions: readonly string[], source: string) =>
  `SELECT ${expressions.map((each, index) => `coalesce(sum(${each}), 0) AS "f${index}"`).join(", ")} FROM ${source}`;

export const rollupsOf = (figures: readonly CheckedFigure[]) => figures.map(({ rollup }) => rollup);
export const rawsOf = (figures: readonly CheckedFigure[]) => figures.map(({ raw }) => raw ?? "0");

export interface Comparison {
  readonly table: Difference["table"];
  readonly figures: readonly CheckedFigure[];
  readonly key: string;
  readonly rows: Values | null;
  readonly rollup: Values | null;
}

/** Figures that differ, in the direction that counts: `more` passes over those of which the rows are fewer. */
export function differencesIn(
  { table, figures, key, rows, rollup }: Comparison,
  which: "any" | "more" = "any",
): Difference[] {
  return figures.flatMap(({ name }, index): Difference[] => {
    const [there, counted] = [rows?.[`f${index}`] ?? 0, rollup?.[`f${index}`] ?? 0];
    const differs = which === "more" ? there > counted : there !== counted;
    return differs ? [{ table, key: `${key} ${name}`, rows: there, rollup: counted }] : [];
  });
}
