/** What holds the record together and is never erased: ids, words of closed sets, times. People's texts stand beside it. */

const STRUCTURAL: ReadonlySet<string> = new Set([
  "uid",
  "id",
  "seq",
  "key",
  "runId",
  "parentRunId",
  "rootRunId",
  "askRunId",
  "wakeRunId",
  "creatorRunId",
  "taskId",
  "parentTaskId",
  "approvalId",
  "agentId",
  "jobId",
  "toolName",
  "tableName",
  "objectName",
  "worker",
  "creatorObject",
  "contentRef",
  "longTexts",
  "keys",
  "channel",
  "direction",
  "status",
  "outcome",
  "trigger",
  "level",
  "kind",
  "type",
  "cause",
  "decision",
  "priority",
  "delivery",
  "lane",
  "creatorLane",
  "state",
  "told",
  "module",
  "lineage",
  "path",
  "day",
  "finishReason",
  "model",
  "period",
  "cron",
  "timeZone",
  "timing",
]);

/** Of a column, whatever its case, or of a key in JSON that this code made. */
export function isStructural(name: string): boolean {
  const key = name.charAt(0).toLowerCase() + name.slice(1);
  return STRUCTURAL.has(key) || key.endsWith("At");
}

/** What says who or which in one word: a function, an agent, `@human`, the name of a setting. */
const NAMES: ReadonlySet<string> = new Set([
  "name",
  "tool",
  "functionName",
  "hook",
  "creator",
  "assignee",
  "actor",
  "owner",
]);

/**
 * Whether it is such a name as the engine goes by, of which a text that is an ordinary word may be a part. A name
 * that a model made up may be anything, and what is no plain word is no name of ours.
 */
export function isPlainName(column: string, value: string): boolean {
  const key = column.charAt(0).toLowerCase() + column.slice(1);
  return NAMES.has(key) && /^@?[\w-]+(?::[\w-]+)?$/.test(value);
}

/** Figures, ids and cursors that are kept as text: digits in them are no text of a person. */
const FIGURES: ReadonlySet<string> = new Set([
  "MessageRollups.ByHour",
  "MessageRollups.Waits",
  "RunRollups.Costs",
  "ChainRollups.Sums",
  "ChainFacts.ByDepth",
  "PingPongs.Messages",
  "QuestionGroups.Members",
  "QuestionGroups.Vector",
  "AnalysisState.CountedUpTo",
  "Mirror.Backfill",
  "Mirror.Target",
]);

/** Whether nothing in that column of D1 is ever erased. */
export function isLeftColumn(table: string, column: string): boolean {
  return isStructural(column) || FIGURES.has(`${table}.${column}`);
}

/** Columns with JSON of our own making, as `Table.Column`: its keys, and values that are structure, stay. */
const OWN_JSON: ReadonlySet<string> = new Set([
  "TaskWakes.Run",
  "Tasks.Stages",
  "Runs.receipt",
  "Runs.cancel",
  "Steps.answer",
  "Outbox.body",
  "Approvals.result",
  "QuestionGroups.Print",
  "QuestionGroups.AnswerPrint",
  "MailReplies.letter",
  "Jobs.plan",
  "Jobs.open",
  "Jobs.last",
  "Jobs.starts",
  "Summaries.cost",
  "Settings.value",
  "Runs.asker",
  "Calls.answer",
  "Members.member",
  "Members.receipt",
  "State.json",
]);

export function isOwnJson(table: string, column: string): boolean {
  return OWN_JSON.has(`${table}.${column}`);
}

/** Long texts of an agent's object lie apart, under the name of their column. */
export function isOwnLongText(key: string): boolean {
  return /^(outbox|step|setting):/.test(key) || /^approval:.*:result$/s.test(key);
}
