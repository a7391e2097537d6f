/** Fields of a task that do not fit its row: whole in R2, their beginning in the row. */

import { ownJson } from "../journal/database.ts";
import { MAX_ROW_TEXT_BYTES, ROW_EXCERPT_BYTES } from "../limits.ts";
import { rowBytes } from "../record/split-record.ts";
import { cutToBytes, storableText, utf8Bytes } from "../record/stored-text.ts";
import type { TaskRow } from "./task.ts";

const FIELDS = ["description", "acceptance", "result", "reason"] as const;
type Field = (typeof FIELDS)[number];
type Keys = Partial<Record<Field, string>>;

/** The task as its row can hold it; what is too long is in R2 once it resolves. */
export async function fitTask(texts: R2Bucket, task: TaskRow): Promise<TaskRow> {
  const clean = { ...task, title: storableText(task.title), stages: storableText(task.stages) };
  if (rowBytes(clean) <= MAX_ROW_TEXT_BYTES) return cleaned(clean);
  const keys: Keys = task.longTexts === null ? {} : ownJson<Keys>(task.longTexts);
  const fitted: Partial<Record<Field, string>> = {};
  for (const field of FIELDS) {
    const value = task[field];
    if (value === null || utf8Bytes(value) <= ROW_EXCERPT_BYTES) continue;
    const key = `tasks/${task.taskId}/${field}/${task.version}`;
    await texts.put(key, storableText(value));
    keys[field] = key;
    fitted[field] = cutToBytes(storableText(value), ROW_EXCERPT_BYTES);
  }
  return cleaned({ ...clean, ...fitted, longTexts: JSON.stringify(keys) });
}

function cleaned(task: TaskRow): TaskRow {
  const orNull = (value: string | null) => (value === null ? null : storableText(value));
  return {
    ...task,
    description: storableText(task.description),
    acceptance: orNull(task.acceptance),
    result: orNull(task.result),
    reason: orNull(task.reason),
  };
}

/** The task with its whole texts. */
export async function wholeTask(texts: R2Bucket, task: TaskRow): Promise<TaskRow> {
  if (task.longTexts === null) return task;
  const keys = ownJson<Keys>(task.longTexts);
  const whole = { ...task };
  for (const field of FIELDS) {
    const key = keys[field];
    const stored = key === undefined ? null : await texts.get(key);
    if (stored !== null) Object.assign(whole, { [field]: await stored.text() });
  }
  return whole;
}
