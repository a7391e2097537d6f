/** What tests of the roll-ups' upkeep share. */
import { z } from "zod";

const stepShape = z.looseObject({ done: z.boolean(), cursor: z.string().nullable() });

/** Calls until it is done; answers what each call answered. */
export async function walk(step: (cursor: string | null) => Promise<unknown>) {
  const answers: z.infer<typeof stepShape>[] = [];
  for (let cursor: string | null = null, done = false; !done; ) {
    const answer = stepShape.parse(await step(cursor));
    answers.push(answer);
    ({ cursor, done } = answer);
  }
  return answers;
}

/** All rows of the roll-ups, their counters in one order. */
export function rollupRows(db: D1Database) {
  const tables = ["MessageRollups", "RunRollups", "ChainRollups"].map(async (table) => {
    const { results } = await db
      .prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3, 4`)
      .all<Record<string, unknown>>();
    return results.map((row) => ({
      ...row,
      ...Object.fromEntries(
        ["ByHour", "Waits", "Costs", "Sums"]
          .filter((key) => key in row)
          .map((key) => [key, sorted(JSON.parse(String(row[key])))]),
      ),
    }));
  });
  return Promise.all(tables);
}

function sorted(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, inner]) => [key, sorted(inner)]),
      )
    : value;
}
