/** A task as it is being written, and what the API gets of it. Pure. */

export interface NewStage {
  readonly title: string;
  readonly description: string;
  readonly assignee: string;
  readonly acceptance: string;
}

export interface NewTask extends NewStage {
  readonly priority: string;
  /** As a `datetime-local` field has it, in the viewer's zone; empty for none. */
  readonly due: string;
  readonly parentTaskId: string;
  readonly stages: readonly NewStage[];
}

export const EMPTY_STAGE: NewStage = { title: "", description: "", assignee: "", acceptance: "" };
export const EMPTY_TASK: NewTask = {
  ...EMPTY_STAGE,
  priority: "normal",
  due: "",
  parentTaskId: "",
  stages: [],
};
export const MAX_STAGES = 20;

/** What `POST /api/tasks` takes: fields that are empty are left out. */
export function taskBody(task: NewTask): Readonly<Record<string, unknown>> {
  const { due, parentTaskId, stages, priority } = task;
  const dueAt = instantOf(due);
  return {
    ...stageBody(task),
    priority,
    stages: stages.map(stageBody),
    ...(dueAt === null ? {} : { dueAt }),
    ...(parentTaskId.trim() === "" ? {} : { parentTaskId: parentTaskId.trim() }),
  };
}

/** The moment in the viewer's zone as ISO 8601 UTC; null when there is none. */
function instantOf(local: string): string | null {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function stageBody({ title, description, assignee, acceptance }: NewStage) {
  return { title, description, assignee, ...(acceptance.trim() === "" ? {} : { acceptance }) };
}

/** Reads a draft that an earlier page may have written; what is not understood is left empty. */
export function readDraft(text: string): NewTask {
  const kept = parse(text);
  const stages = Array.isArray(kept.stages) ? kept.stages : [];
  return {
    ...readFields(EMPTY_TASK, kept),
    stages: stages.slice(0, MAX_STAGES).map((stage: unknown) => readFields(EMPTY_STAGE, recordOf(stage))),
  };
}

function readFields<T extends object>(empty: T, kept: Readonly<Record<string, unknown>>): T {
  const texts = Object.entries(empty).filter(
    ([name, value]) => typeof value === typeof kept[name] && name !== "stages",
  );
  return { ...empty, ...Object.fromEntries(texts.map(([name]) => [name, kept[name]])) };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
