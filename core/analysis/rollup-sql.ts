/**
 * How rows of the record count in the roll-ups: the same expressions serve the triggers that keep them and
 * the statements that make them anew, so that both come to the same. A test compares the migration's triggers
 * with these.
 *
 * Each statement reads its rows from a source named r: `NEW` in a trigger, a piece of a table in a rebuild.
 */

/** Buckets grow by a tenth: whatever is read from one is at most 5 per cent off. */
export const BUCKET_GROWTH = 1.1;

const bucketPath = (value: string) =>
  `'$.b' || CAST(floor(ln(max(${value}, 1)) / ln(${BUCKET_GROWTH})) AS INTEGER)`;

/** Lengths of a time's beginning that name its month, day and hour, as a source named p. */
const periods = (levels: Levels) =>
  levels === "all"
    ? `(SELECT 7 AS "length" UNION ALL SELECT 10 UNION ALL SELECT 13)`
    : `(SELECT 13 AS "length")`;
const periodOf = (time: string) => `substr(${time}, 1, p."length")`;

/** A trigger counts in all three levels, a rebuild in hours only: days and months are sums of them. */
export type Levels = "all" | "hours";

/** When what a message answers was written: the question of an ask, the order of a task. Null when it answers nothing. */
const ANSWERED_AT = `iif(r."Direction" <> 'response' OR r."Status" <> 'delivered', NULL,
    iif(r."Channel" = 'ask', iif(r."Uid" NOT LIKE 'import:%',
      (SELECT q."OccurredAt" FROM "AgentMessages" q WHERE q."Uid" = substr(r."Uid", 1, length(r."Uid") - 8) || 'request'),
      (SELECT q."OccurredAt" FROM "AgentMessages" q WHERE q."RootRunId" = r."RootRunId" AND q."OccurredAt" <= r."OccurredAt"
        AND q."Channel" = 'ask' AND q."Direction" = 'request' AND q."FromAgentId" = r."ToAgentId" AND q."ToAgentId" = r."FromAgentId"
        ORDER BY q."OccurredAt" DESC LIMIT 1)),
    iif(r."Channel" = 'task_result', coalesce(
      (SELECT t."CreatedAt" FROM "Tasks" t WHERE t."TaskId" = r."TaskId"),
      (SELECT q."OccurredAt" FROM "AgentMessages" q WHERE q."RootRunId" = r."RootRunId" AND q."TaskId" = r."TaskId"
        AND q."Channel" = 'task' ORDER BY q."OccurredAt" LIMIT 1)), NULL)))`;

const WAITED = `CAST(round((julianday(r."OccurredAt") - julianday(${ANSWERED_AT})) * 86400000) AS INTEGER)`;
/** LIMIT keeps the database from asking for the same time once for each period. */
const timed = (source: string) =>
  `(SELECT r.*, ${WAITED} AS "waited" FROM ${source} r LIMIT 9223372036854775807)`;

const STATUSES = ["Failed", "Timeout", "Denied"] as const;
const statusCounts = (["Request", "Response"] as const).flatMap((side) =>
  STATUSES.map((status) => ({
    column: `${side}${status}`,
    value: `(r."Direction" = '${side.toLowerCase()}' AND r."Status" = '${status.toLowerCase()}')`,
  })),
);
const MESSAGE_COUNTS = [
  { column: "Requests", value: `(r."Direction" = 'request')` },
  { column: "Responses", value: `(r."Direction" = 'response')` },
  ...statusCounts,
];

/** The columns of the roll-ups that are plain counts. */
export const MESSAGE_COUNT_NAMES: readonly string[] = MESSAGE_COUNTS.map(({ column }) => column);

const list = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(", ");
const add = (column: string) => `"${column}" = "${column}" + excluded."${column}"`;

const hourPath = (letter: string) => `'$.${letter}' || substr(r."OccurredAt", 12, 2)`;
const countedIn = (...letters: string[]) =>
  `json_set('{}', ${letters.map((letter) => `${hourPath(letter)}, 1`).join(", ")})`;
const IS_QUESTION = `r."Channel" = 'ask' AND r."Direction" = 'request'`;
/**
 * What one message adds to a JSON object of counters, as such an object: it is a message (m), perhaps not delivered
 * (t), and unless it is a question, of which only the answer counts, an outcome (o), perhaps none (x).
 */
const BY_HOUR = `iif(r."Status" = 'delivered', iif(${IS_QUESTION}, ${countedIn("m")}, ${countedIn("m", "o")}), iif(${IS_QUESTION}, ${countedIn("m", "t")}, ${countedIn("m", "t", "o", "x")}))`;
const oneIn = (value: string) => `coalesce(json_set('{}', ${bucketPath(value)}, 1), '{}')`;

/** Both objects' counters, added. */
export const mergeCounters = (column: string, table: string) =>
  `"${column}" = iif(excluded."${column}" = '{}', "${table}"."${column}", (SELECT json_group_object("key", "total") FROM (
      SELECT "key", sum("value") AS "total" FROM (
        SELECT "key", "value" FROM json_each("${table}"."${column}") UNION ALL SELECT "key", "value" FROM json_each(excluded."${column}")
      ) GROUP BY "key")))`;

/** Counts the messages of `source`. */
export function countMessages(source: string, levels: Levels): string {
  const columns = MESSAGE_COUNT_NAMES;
  return `INSERT INTO "MessageRollups" ("Period", "FromAgentId", "ToAgentId", "Channel", ${list(columns)}, "FirstAt", "LastAt", "ByHour", "Waits")
  SELECT ${periodOf(`r."OccurredAt"`)}, r."FromAgentId", r."ToAgentId", r."Channel", ${MESSAGE_COUNTS.map(({ value }) => value).join(", ")}, r."OccurredAt", r."OccurredAt", ${BY_HOUR}, ${oneIn(`r."waited"`)}
  FROM ${timed(source)} r, ${periods(levels)} p WHERE true
  ON CONFLICT DO UPDATE SET ${columns.map(add).join(", ")},
    "FirstAt" = min("FirstAt", excluded."FirstAt"), "LastAt" = max("LastAt", excluded."LastAt"),
    ${mergeCounters("ByHour", "MessageRollups")}, ${mergeCounters("Waits", "MessageRollups")}`;
}

const RUN_STATUSES = [
  { column: "Failed", status: "failed" },
  { column: "Timeout", status: "timeout" },
  { column: "Cancelled", status: "cancelled" },
  { column: "StepLimit", status: "step_limit" },
  { column: "Budget", status: "budget" },
] as const;
const RUN_COUNTS = [
  { column: "Runs", value: "1" },
  ...RUN_STATUSES.map(({ column, status }) => ({ column, value: `(r."Status" = '${status}')` })),
  { column: "InputTokens", value: `coalesce(r."InputTokens", 0)` },
  { column: "OutputTokens", value: `coalesce(r."OutputTokens", 0)` },
  { column: "CostMicros", value: `coalesce(r."CostMicros", 0)` },
  { column: "Unpriced", value: `(r."CostMicros" IS NULL)` },
];

export const RUN_COUNT_NAMES: readonly string[] = RUN_COUNTS.map(({ column }) => column);

/** Counts the receipts of `source`, by the time at which their runs started. */
export function countRuns(source: string, levels: Levels): string {
  const columns = RUN_COUNT_NAMES;
  return `INSERT INTO "RunRollups" ("Period", "AgentId", "Trigger", "Model", ${list(columns)}, "Costs")
  SELECT ${periodOf(`r."StartedAt"`)}, r."AgentId", r."Trigger", r."Model", ${RUN_COUNTS.map(({ value }) => value).join(", ")}, ${oneIn(`r."CostMicros"`)}
  FROM ${source} r, ${periods(levels)} p WHERE true
  ON CONFLICT DO UPDATE SET ${columns.map(add).join(", ")}, ${mergeCounters("Costs", "RunRollups")}`;
}

export const ENDS = ["Done", "Blocked", "Rejected", "Cancelled"] as const;
/** The states in which a task is over, as a list for IN. */
export const ENDED = `'done', 'blocked', 'cancelled'`;
/** A task counts for the agent that it was given to, also when a fresh worker of it does the work. */
export const ASSIGNEE = `iif(r."Assignee" LIKE '@new:%', substr(r."Assignee", 6), r."Assignee")`;

/** What counts as which end. */
export const endOf = (status: string, rejections: string): Record<(typeof ENDS)[number], string> => ({
  Done: `(${status} = 'done')`,
  Blocked: `(${status} = 'blocked' AND ${rejections} = 0)`,
  Rejected: `(${status} = 'blocked' AND ${rejections} > 0)`,
  Cancelled: `(${status} = 'cancelled')`,
});

/** Counts how the tasks of `source` ended, in the period in which they were given; `before` names their former state, null when they had none. */
export function countEnds(source: string, levels: Levels, before: boolean): string {
  const now = endOf(`r."Status"`, `r."Rejections"`);
  const then = endOf(`r."OldStatus"`, `r."OldRejections"`);
  const values = ENDS.map((end) => (before ? `${now[end]} - ${then[end]}` : now[end]));
  return `INSERT INTO "MessageRollups" ("Period", "FromAgentId", "ToAgentId", "Channel", ${list(ENDS)}, "FirstAt", "LastAt")
  SELECT ${periodOf(`r."CreatedAt"`)}, r."Creator", ${ASSIGNEE}, 'task', ${values.join(", ")}, r."CreatedAt", r."CreatedAt"
  FROM ${source} r, ${periods(levels)} p WHERE r."Creator" <> ${ASSIGNEE}
  ON CONFLICT DO UPDATE SET ${ENDS.map(add).join(", ")}`;
}

const fresh = (columns: readonly string[]) =>
  `(SELECT ${columns.map((column) => `NEW."${column}" AS "${column}"`).join(", ")})`;

const MESSAGE_SOURCE = fresh([
  "Uid",
  "OccurredAt",
  "FromAgentId",
  "ToAgentId",
  "Channel",
  "Direction",
  "Status",
  "RootRunId",
  "TaskId",
]);
const RUN_SOURCE = fresh([
  "StartedAt",
  "AgentId",
  "Trigger",
  "Model",
  "Status",
  "InputTokens",
  "OutputTokens",
  "CostMicros",
]);
const TASK_SOURCE = fresh(["CreatedAt", "Creator", "Assignee", "Status", "Rejections"]);
const TASK_CHANGE_SOURCE = `(SELECT NEW."CreatedAt" AS "CreatedAt", NEW."Creator" AS "Creator", NEW."Assignee" AS "Assignee",
    NEW."Status" AS "Status", NEW."Rejections" AS "Rejections", OLD."Status" AS "OldStatus", OLD."Rejections" AS "OldRejections")`;

const markDirty = `INSERT INTO "DirtyChains" ("RootRunId") VALUES (NEW."RootRunId") ON CONFLICT DO NOTHING`;

/** The triggers of the migration, by name. A row that was there already fires none, so nothing counts twice. */
export const ROLLUP_TRIGGERS: Readonly<Record<string, string>> = {
  AgentMessages_Rollup: `CREATE TRIGGER "AgentMessages_Rollup" AFTER INSERT ON "AgentMessages" BEGIN
  ${countMessages(MESSAGE_SOURCE, "all")};
  ${markDirty};
END`,
  AgentMessages_NewAnswer: `CREATE TRIGGER "AgentMessages_NewAnswer" AFTER INSERT ON "AgentMessages" WHEN NEW."Channel" = 'ask' AND NEW."Direction" = 'response' BEGIN
  INSERT INTO "NewAnswers" ("MessageId") VALUES (NEW."Id") ON CONFLICT DO NOTHING;
END`,
  RunReceipts_Rollup: `CREATE TRIGGER "RunReceipts_Rollup" AFTER INSERT ON "RunReceipts" BEGIN
  ${countRuns(RUN_SOURCE, "all")};
  ${markDirty};
END`,
  Tasks_NewEnd: `CREATE TRIGGER "Tasks_NewEnd" AFTER INSERT ON "Tasks" WHEN NEW."Status" IN (${ENDED}) BEGIN
  ${countEnds(TASK_SOURCE, "all", false)};
END`,
  Tasks_Ended: `CREATE TRIGGER "Tasks_Ended" AFTER UPDATE OF "Status" ON "Tasks"
WHEN NEW."Status" <> OLD."Status" AND (NEW."Status" IN (${ENDED}) OR OLD."Status" IN (${ENDED})) BEGIN
  ${countEnds(TASK_CHANGE_SOURCE, "all", true)};
END`,
};
