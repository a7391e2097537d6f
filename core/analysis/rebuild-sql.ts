/** Statements that make roll-ups anew for a piece of time. Hours come from the rows, days and months from their hours. */
import { countEnds, countMessages, countRuns } from "./rollup-sql.ts";

/** `[from, to)` in ISO 8601, within one UTC day, both at full hours. */
export interface Slice {
  readonly from: string;
  readonly to: string;
}

const MESSAGE_COUNTS = [
  "Requests",
  "Responses",
  "RequestFailed",
  "RequestTimeout",
  "RequestDenied",
  "ResponseFailed",
  "ResponseTimeout",
  "ResponseDenied",
];
const ENDS = ["Done", "Blocked", "Rejected", "Cancelled"];
const RUN_COUNTS = [
  "Runs",
  "Failed",
  "Timeout",
  "Cancelled",
  "StepLimit",
  "Budget",
  "InputTokens",
  "OutputTokens",
  "CostMicros",
  "Unpriced",
];

const hour = (time: string) => time.slice(0, 13);
const zero = (columns: readonly string[]) => columns.map((column) => `"${column}" = 0`).join(", ");
const HOURS = `length("Period") = 13 AND "Period" >= ? AND "Period" < ?`;

/** `ends`: the board still knows all tasks of this time; otherwise what they came to stays as it was. */
export function rebuildMessages(db: D1Database, slice: Slice, ends: boolean): D1PreparedStatement[] {
  const hours = [hour(slice.from), hour(slice.to)];
  const reset = [...MESSAGE_COUNTS, ...(ends ? ENDS : [])];
  const empty = [...MESSAGE_COUNTS, ...ENDS].map((column) => `"${column}" = 0`).join(" AND ");
  return [
    db
      .prepare(
        `UPDATE "MessageRollups" SET ${zero(reset)}, "FirstAt" = '~', "LastAt" = '', "ByHour" = '{}', "Waits" = '{}' WHERE ${HOURS}`,
      )
      .bind(...hours),
    db.prepare(countMessages(within("AgentMessages", "OccurredAt"), "hours")).bind(slice.from, slice.to),
    ...(ends
      ? [
          db
            .prepare(
              countEnds(
                within("Tasks", "CreatedAt", ` AND "Status" IN ('done', 'blocked', 'cancelled')`),
                "hours",
                false,
              ),
            )
            .bind(slice.from, slice.to),
        ]
      : []),
    db.prepare(`DELETE FROM "MessageRollups" WHERE ${HOURS} AND ${empty}`).bind(...hours),
    // Of what is only known by how it ended the times are unknown now: those of its hour.
    db
      .prepare(
        `UPDATE "MessageRollups" SET "FirstAt" = "Period" || ':00:00.000Z', "LastAt" = "Period" || ':59:59.999Z' WHERE ${HOURS} AND "FirstAt" = '~'`,
      )
      .bind(...hours),
    ...sumUp(db, MESSAGES, slice),
  ];
}

export function rebuildRuns(db: D1Database, slice: Slice, agentId: string): D1PreparedStatement[] {
  return [
    db
      .prepare(`DELETE FROM "RunRollups" WHERE ${HOURS} AND "AgentId" = ?`)
      .bind(hour(slice.from), hour(slice.to), agentId),
    db
      .prepare(
        countRuns(
          `(SELECT * FROM "RunReceipts" WHERE "AgentId" = ?3 AND "StartedAt" >= ?1 AND "StartedAt" < ?2)`,
          "hours",
        ),
      )
      .bind(slice.from, slice.to, agentId),
    ...sumUp(db, RUNS, { from: slice.from, agentId }),
  ];
}

function within(table: string, time: string, more = ""): string {
  return `(SELECT * FROM "${table}" WHERE "${time}" >= ?1 AND "${time}" < ?2${more})`;
}

interface Summed {
  readonly table: string;
  readonly names: readonly string[];
  readonly counts: readonly string[];
  readonly times: boolean;
  readonly counters: readonly string[];
}

const MESSAGES: Summed = {
  table: "MessageRollups",
  names: ["FromAgentId", "ToAgentId", "Channel"],
  counts: [...MESSAGE_COUNTS, ...ENDS],
  times: true,
  counters: ["ByHour", "Waits"],
};
const RUNS: Summed = {
  table: "RunRollups",
  names: ["AgentId", "Trigger", "Model"],
  counts: RUN_COUNTS,
  times: false,
  counters: ["Costs"],
};

const DAYS = Array.from({ length: 31 }, (_, index) => String(index + 1).padStart(2, "0"));

/** The slice's day as the sum of its hours, and its month as the sum of its days. */
function sumUp(
  db: D1Database,
  summed: Summed,
  { from, agentId }: Pick<Slice, "from"> & { readonly agentId?: string },
): D1PreparedStatement[] {
  const [day, month] = [from.slice(0, 10), from.slice(0, 7)];
  const one = agentId === undefined ? "" : ` AND "AgentId" = ?`;
  const own = agentId === undefined ? [] : [agentId];
  const insert = sumStatement(summed, one);
  const days = JSON.stringify(DAYS.map((number) => `${month}-${number}`));
  return [
    db.prepare(`DELETE FROM "${summed.table}" WHERE "Period" = ?${one}`).bind(day, ...own),
    db.prepare(insert(`"Period" > ? AND "Period" < ?`)).bind(day, `${day}T`, `${day}U`, ...own),
    db.prepare(`DELETE FROM "${summed.table}" WHERE "Period" = ?${one}`).bind(month, ...own),
    db.prepare(insert(`"Period" IN (SELECT "value" FROM json_each(?))`)).bind(month, days, ...own),
  ];
}

function sumStatement(
  { table, names, counts, times, counters }: Summed,
  one: string,
): (where: string) => string {
  const quoted = (columns: readonly string[]) => columns.map((column) => `"${column}"`);
  const columns = [
    ...quoted(names),
    ...quoted(counts),
    ...(times ? [`"FirstAt"`, `"LastAt"`] : []),
    ...quoted(counters),
  ];
  const inner = [
    ...quoted(names),
    ...counts.map((column) => `sum("${column}") AS "${column}"`),
    ...(times ? [`min("FirstAt") AS "FirstAt"`, `max("LastAt") AS "LastAt"`] : []),
    ...counters.map((column) => `'[' || group_concat("${column}") || ']' AS "${column}"`),
  ];
  const outer = [
    ...quoted(names),
    ...quoted(counts),
    ...(times ? [`"FirstAt"`, `"LastAt"`] : []),
    ...counters.map(
      (column) => `coalesce((SELECT json_group_object("key", "total") FROM (
      SELECT j."key" AS "key", sum(j."value") AS "total" FROM json_each(s."${column}") l, json_each(l."value") j GROUP BY j."key")), '{}')`,
    ),
  ];
  return (where) =>
    `INSERT INTO "${table}" ("Period", ${columns.join(", ")}) SELECT ?, ${outer.join(", ")} FROM (
      SELECT ${inner.join(", ")} FROM "${table}" WHERE ${where}${one} GROUP BY ${quoted(names).join(", ")}) s`;
}
