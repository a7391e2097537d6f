/** Compares months with their days, and of the sums over chains the days with their hours. */
import type { Reader } from "../record/reader.ts";
import {
  CHAIN_FIGURES,
  type Comparison,
  differencesIn,
  END_FIGURES,
  MESSAGE_FIGURES,
  RUN_FIGURES,
  rollupsOf,
  sumsFrom,
  type Values,
} from "./check-figures.ts";
import type { CheckPiece, Difference } from "./check-rollups.ts";
import type { Place } from "./rollup-cursor.ts";

const PIECE_MONTHS = 3;
const TABLES: readonly Pick<Comparison, "table" | "figures">[] = [
  { table: "MessageRollups", figures: [...MESSAGE_FIGURES, ...END_FIGURES] },
  { table: "RunRollups", figures: RUN_FIGURES },
  { table: "ChainRollups", figures: CHAIN_FIGURES },
];

/** Stands at the month that was looked at last. */
export async function checkMonths(reader: Reader, { place }: Place): Promise<CheckPiece> {
  const differences: Difference[] = [];
  let at = place;
  for (let checked = 0; checked < PIECE_MONTHS; checked += 1) {
    const month = await nextMonth(reader, at);
    if (month === null) return { checked, differences, next: null };
    for (const compared of TABLES) differences.push(...(await compareMonth(reader, compared, month)));
    at = month;
  }
  return { checked: PIECE_MONTHS, differences, next: { part: "", place: at } };
}

async function nextMonth(reader: Reader, after: string): Promise<string | null> {
  const row = await reader.first<{ month: string | null }>(
    `SELECT min("first") AS "month" FROM (${TABLES.map(
      ({ table }) =>
        `SELECT (SELECT "Period" FROM "${table}" WHERE "Period" >= ?1 ORDER BY "Period" LIMIT 1) AS "first"`,
    ).join(" UNION ALL ")})`,
    after === "" ? "" : `${after}~`,
  );
  return row?.month?.slice(0, 7) ?? null;
}

const DAYS = Array.from({ length: 31 }, (_, index) => String(index + 1).padStart(2, "0"));
const AT = `"Period" IN (SELECT "value" FROM json_each(?))`;

async function compareMonth(
  reader: Reader,
  { table, figures }: Pick<Comparison, "table" | "figures">,
  month: string,
): Promise<Difference[]> {
  const at = (where: string) => sumsFrom(rollupsOf(figures), `"${table}" WHERE ${where}`);
  const days = JSON.stringify(DAYS.map((day) => `${month}-${day}`));
  const [whole, byDays] = await Promise.all([
    reader.first<Values>(at(`"Period" = ?`), month),
    reader.first<Values>(at(AT), days),
  ]);
  const found = differencesIn({ table, figures, key: `${month} by days`, rows: byDays, rollup: whole });
  if (table !== "ChainRollups") return found;
  const byHours = await reader.first<Values>(
    at(`"Period" > ? AND "Period" < ? AND length("Period") = 13`),
    month,
    `${month}~`,
  );
  return [
    ...found,
    ...differencesIn({ table, figures, key: `${month} by hours`, rows: byHours, rollup: whole }),
  ];
}
