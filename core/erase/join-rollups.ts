/** Sums of a pair whose name is erased go to those that the erased name has already: none is lost. */
import { getTableColumns } from "drizzle-orm/utils";
import { mergeCounters } from "../analysis/rollup-sql.ts";
import { messageRollups } from "../analysis/schema.ts";
import { type Cell, keyColumnsOf } from "../record/columns.ts";

const KEY = keyColumnsOf(messageRollups);
const COUNTS = Object.values(getTableColumns(messageRollups)).flatMap((column) =>
  column.getSQLType() === "integer" ? [column.name] : [],
);
const REST = [...COUNTS, "FirstAt", "LastAt", "ByHour", "Waits"];

const list = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(", ");
const IS_OLD = KEY.map((column, index) => `"${column}" = ?${KEY.length + index + 1}`).join(" AND ");

const ADD = `INSERT INTO "MessageRollups" (${list([...KEY, ...REST])})
  SELECT ${KEY.map((_, index) => `?${index + 1}`).join(", ")}, ${list(REST)} FROM "MessageRollups" WHERE ${IS_OLD}
  ON CONFLICT DO UPDATE SET ${COUNTS.map((column) => `"${column}" = "${column}" + excluded."${column}"`).join(", ")},
    "FirstAt" = min("FirstAt", excluded."FirstAt"), "LastAt" = max("LastAt", excluded."LastAt"),
    ${mergeCounters("ByHour", "MessageRollups")}, ${mergeCounters("Waits", "MessageRollups")}`;

const DROP = `DELETE FROM "MessageRollups" WHERE ${KEY.map((column) => `"${column}" = ?`).join(" AND ")}`;

/** For one batch. A row that is gone adds nothing. Values of the primary key, in its order. */
export function joinRollups(
  db: D1Database,
  from: readonly Cell[],
  to: readonly Cell[],
): D1PreparedStatement[] {
  return [db.prepare(ADD).bind(...to, ...from), db.prepare(DROP).bind(...from)];
}
