/** A message as the transcript holds it: from the API, or live and then without an id yet. */
export interface Row {
  readonly id: number | null;
  readonly uid: string;
  readonly pairKey: string;
  readonly fromAgentId: string;
  readonly toAgentId: string;
  readonly channel: string;
  readonly direction: string;
  /** The beginning only where `truncated`. */
  readonly content: string;
  readonly rootRunId: string;
  readonly taskId: string | null;
  readonly status: string;
  /** ISO 8601 UTC with milliseconds, so that comparing text compares time. */
  readonly occurredAt: string;
  readonly truncated: boolean;
}

/** What the API knows the row by, also as a place to page from. */
export const keyOf = (row: Row): string => String(row.id ?? row.uid);

/** Whether a link's `m` means this row: links made from live rows carry the uid. */
export const isCalled = (row: Row, key: string): boolean => row.uid === key || String(row.id) === key;

/** The order of the record; a row without an id came last in its instant. */
export function compareRows(left: Row, right: Row): number {
  if (left.occurredAt !== right.occurredAt) return left.occurredAt < right.occurredAt ? -1 : 1;
  const byId = (left.id ?? Number.MAX_SAFE_INTEGER) - (right.id ?? Number.MAX_SAFE_INTEGER);
  return byId !== 0 ? byId : left.uid < right.uid ? -1 : left.uid > right.uid ? 1 : 0;
}

const TEXTS = [
  "uid",
  "pairKey",
  "fromAgentId",
  "toAgentId",
  "channel",
  "direction",
  "content",
  "rootRunId",
  "status",
  "occurredAt",
] as const;

/** The row in the data of a live `message` event; null when it holds none. */
export function readLiveRow(data: unknown): Row | null {
  const message = field(data, "message");
  const texts = Object.fromEntries(TEXTS.map((name) => [name, field(message, name)]));
  if (!hasTexts(texts)) return null;
  const taskId = field(message, "taskId");
  return {
    ...texts,
    id: null,
    taskId: typeof taskId === "string" ? taskId : null,
    truncated: field(message, "truncated") === true,
  };
}

type TextFields = Readonly<Record<(typeof TEXTS)[number], string>>;

function hasTexts(value: Readonly<Record<string, unknown>>): value is TextFields {
  return TEXTS.every((name) => typeof value[name] === "string");
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
