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
]);

/** Of a column, whatever its case, or of a key in JSON that this code made. */
export function isStructural(name: string): boolean {
  const key = name.charAt(0).toLowerCase() + name.slice(1);
  return STRUCTURAL.has(key) || key.endsWith("At");
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
  "Jobs.plan",
  "Jobs.open",
  "Jobs.last",
  "Jobs.starts",
  "Summaries.cost",
  "Settings.value",
  "Feed.events",
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
