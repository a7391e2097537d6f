/** Fields of a task that do not fit its row: whole in R2, their beginning in the row. */

import { ownJson } from "../journal/database.ts";
import { MAX_ROW_TEXT_BYTES, ROW_EXCERPT_BYTES } from "../limits.ts";
import { rowBytes } from "../record/split-record.ts";
import { cutToBytes, storableText, utf8Bytes } from "../record/stored-text.ts";
import type { TaskRow } from "./task.ts";

const FIELDS = ["description", "acceptance", "result", "reason", "stages"] as const;
type Field = (typeof FIELDS)[number];
type Keys = Partial<Record<Field, string>>;

/** The task as its row can hold it; what is too long is in R2 once it resolves. */
export async function fitTask(texts: R2Bucket, task: TaskRow): Promise<TaskRow> {
  const clean = cleaned(task);
  if (rowBytes(clean) <= MAX_ROW_TEXT_BYTES) return clean;
  const keys = keysOf(task);
  const fitted: Partial<Record<Field, string>> = {};
  for (const field of FIELDS) {
    const value = clean[field];
    if (value === null || utf8Bytes(value) <= ROW_EXCERPT_BYTES) continue;
    const key = `tasks/${task.taskId}/${field}/${task.version}`;
    await texts.put(key, value);
    keys[field] = key;
    // A beginning of JSON is none.
    fitted[field] = field === "stages" ? "[]" : cutToBytes(value, ROW_EXCERPT_BYTES);
  }
  return { ...clean, ...fitted, longTexts: JSON.stringify(keys) };
}

function cleaned(task: TaskRow): TaskRow {
  const orNull = (value: string | null) => (value === null ? null : storableText(value));
  return {
    ...task,
    title: storableText(task.title),
    description: storableText(task.description),
    acceptance: orNull(task.acceptance),
    result: orNull(task.result),
    reason: orNull(task.reason),
    stages: storableText(task.stages),
  };
}

/** What R2 keeps of a field that gets another value is not the field's text any more. */
export function withoutLong(task: TaskRow, fields: readonly Field[]): TaskRow {
  if (task.longTexts === null) return task;
  const kept = Object.entries(keysOf(task)).filter(([key]) => !fields.some((field) => field === key));
  return { ...task, longTexts: kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept)) };
}

/** The task with its whole texts. */
export async function wholeTask(texts: R2Bucket, task: TaskRow): Promise<TaskRow> {
  const keys = keysOf(task);
  const whole = { ...task };
  for (const field of FIELDS) {
    const key = keys[field];
    const stored = key === undefined ? null : await texts.get(key);
    if (stored !== null) Object.assign(whole, { [field]: await stored.text() });
  }
  return whole;
}

function keysOf(task: TaskRow): Keys {
  return task.longTexts === null ? {} : ownJson<Keys>(task.longTexts);
}
