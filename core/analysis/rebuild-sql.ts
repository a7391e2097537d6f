/** Statements that make roll-ups anew for a piece of time. Hours come from the rows, days and months from their hours. */
import {
  ASSIGNEE,
  countEnds,
  countMessages,
  countRuns,
  ENDED,
  ENDS,
  endOf,
  MESSAGE_COUNT_NAMES,
  RUN_COUNT_NAMES,
} from "./rollup-sql.ts";

/** `[from, to)` in ISO 8601, within one UTC day, both at full hours. */
export interface Slice {
  readonly from: string;
  readonly to: string;
}

const hour = (time: string) => time.slice(0, 13);
const zero = (columns: readonly string[]) => columns.map((column) => `"${column}" = 0`).join(", ");
const HOURS = `length("Period") = 13 AND "Period" >= ? AND "Period" < ?`;

/** How the tasks of an hour ended, as counted. */
const ENDS_SUM = ENDS.map((end) => `"${end}"`).join(" + ");
/**
 * Hours of the slice, as ?1 and ?2, of which the board has forgotten tasks that had ended: how these ended is known
 * from the counts alone. True of the same hours before and after the others have been emptied.
 */
const LOST_ENDS = `SELECT c."Period" FROM (SELECT "Period", sum(${ENDS_SUM}) AS "ends" FROM "MessageRollups"
    WHERE length("Period") = 13 AND "Period" >= substr(?1, 1, 13) AND "Period" < substr(?2, 1, 13) AND "Channel" = 'task' GROUP BY "Period") c
  WHERE c."ends" > (SELECT count(*) FROM "Tasks" r WHERE r."CreatedAt" >= c."Period" AND r."CreatedAt" < c."Period" || ';'
    AND r."Status" IN (${ENDED}) AND r."Creator" <> ${ASSIGNEE})`;

const IS_END = endOf(`r."Status"`, `r."Rejections"`);
/** In those hours what the board still knows is the least that there was. */
const AT_LEAST_KNOWN = `UPDATE "MessageRollups" SET ${ENDS.map(
  (end) =>
    `"${end}" = max("${end}", (SELECT count(*) FROM "Tasks" r WHERE r."CreatedAt" >= "MessageRollups"."Period" AND r."CreatedAt" < "MessageRollups"."Period" || ';'
      AND r."Creator" = "FromAgentId" AND ${ASSIGNEE} = "ToAgentId" AND ${IS_END[end]}))`,
).join(", ")} WHERE length("Period") = 13 AND "Channel" = 'task' AND "Period" IN (${LOST_ENDS})`;

/** Hours of which the board has forgotten tasks keep what these came to. */
export function rebuildMessages(db: D1Database, slice: Slice): D1PreparedStatement[] {
  const hours = [hour(slice.from), hour(slice.to)];
  const empty = [...MESSAGE_COUNT_NAMES, ...ENDS].map((column) => `"${column}" = 0`).join(" AND ");
  const ended = `(SELECT * FROM "Tasks" r WHERE r."CreatedAt" >= ?1 AND r."CreatedAt" < ?2 AND r."Status" IN (${ENDED})
      AND substr(r."CreatedAt", 1, 13) NOT IN (${LOST_ENDS}))`;
  return [
    db
      .prepare(
        `UPDATE "MessageRollups" SET ${zero(ENDS)} WHERE length("Period") = 13 AND "Period" >= substr(?1, 1, 13) AND "Period" < substr(?2, 1, 13)
          AND "Period" NOT IN (${LOST_ENDS})`,
      )
      .bind(slice.from, slice.to),
    db
      .prepare(
        `UPDATE "MessageRollups" SET ${zero(MESSAGE_COUNT_NAMES)}, "FirstAt" = '~', "LastAt" = '', "ByHour" = '{}', "Waits" = '{}' WHERE ${HOURS}`,
      )
      .bind(...hours),
    db.prepare(countMessages(within("AgentMessages", "OccurredAt"), "hours")).bind(slice.from, slice.to),
    db.prepare(countEnds(ended, "hours", false)).bind(slice.from, slice.to),
    db.prepare(AT_LEAST_KNOWN).bind(slice.from, slice.to),
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

function within(table: string, time: string): string {
  return `(SELECT * FROM "${table}" WHERE "${time}" >= ?1 AND "${time}" < ?2)`;
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
  counts: [...MESSAGE_COUNT_NAMES, ...ENDS],
  times: true,
  counters: ["ByHour", "Waits"],
};
const RUNS: Summed = {
  table: "RunRollups",
  names: ["AgentId", "Trigger", "Model"],
  counts: RUN_COUNT_NAMES,
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
