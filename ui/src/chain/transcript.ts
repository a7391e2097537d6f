/** A chain as a conversation: what was said, in order, with what a colleague did for it as a group that folds. */
import type { Message } from "../api/types.ts";
import type { TreeRow } from "./tree.ts";

export type Line =
  | { readonly kind: "message"; readonly message: Message; readonly level: number }
  /** A run's own line, behind what it was told. */
  | {
      readonly kind: "run";
      readonly row: TreeRow;
      readonly level: number;
      /** Lines between the group's first and last: 0 when there is nothing to fold. */
      readonly inner: number;
      /** Whether these are left out. */
      readonly folded: boolean;
    };

export interface Said {
  readonly rows: readonly TreeRow[];
  /** Oldest first. */
  readonly messages: readonly Message[];
  readonly tasks: readonly { readonly taskId: string; readonly runId: string | null }[];
}

/** @param isFolded whether a run's group shows its first and last line only */
export function transcriptLines(said: Said, isFolded: (row: TreeRow) => boolean): Line[] {
  const { parts, loose } = sortMessages(said);
  const children = Map.groupBy(
    said.rows.filter((row) => row.parent !== null),
    (row) => said.rows[row.parent ?? 0]?.run.runId ?? "",
  );
  const linesOf = (messages: readonly Message[], groups: readonly TreeRow[], level: number): Line[] =>
    inOrder(messages, groups, parts).flatMap((item) =>
      "run" in item ? groupOf(item, level) : [{ kind: "message" as const, message: item, level }],
    );
  const counts = countLines(said.rows, parts);
  const groupOf = (row: TreeRow, level: number): Line[] => {
    const { opening, closing, own } = parts.get(row.run.runId) ?? NO_PARTS;
    const inside = linesOf(own, children.get(row.run.runId) ?? [], level + 1);
    if (closing !== null) inside.push({ kind: "message", message: closing, level: level + 1 });
    const inner = Math.max(0, (counts.get(row.run.runId) ?? 0) - 1);
    const folded = inner > 0 && isFolded(row);
    return [
      ...(opening === null ? [] : [{ kind: "message" as const, message: opening, level }]),
      { kind: "run", row, level, inner, folded },
      ...(folded ? inside.slice(-1) : inside),
    ];
  };
  const roots = said.rows.filter((row) => row.parent === null);
  return linesOf(loose, roots, 1);
}

/** Of a run: what woke it, what answered for it, and what else it said. */
interface Parts {
  readonly opening: Message | null;
  readonly closing: Message | null;
  readonly own: Message[];
}

const NO_PARTS: Parts = { opening: null, closing: null, own: [] };

type PartsOf = ReadonlyMap<string, Parts>;

/** How many lines stand below each run's own line when nothing is folded. */
function countLines(rows: readonly TreeRow[], parts: PartsOf): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  // From the leaves up: a parent stands before its children.
  for (const { run, parent } of rows.toReversed()) {
    const { opening, closing, own } = parts.get(run.runId) ?? NO_PARTS;
    const below = (counts.get(run.runId) ?? 0) + own.length + (closing === null ? 0 : 1);
    counts.set(run.runId, below);
    const above = parent === null ? undefined : rows[parent]?.run.runId;
    if (above !== undefined) counts.set(above, (counts.get(above) ?? 0) + below + (opening === null ? 1 : 2));
  }
  return counts;
}

/** Messages and groups by time; a group stands where what woke it was said. */
function inOrder(
  messages: readonly Message[],
  groups: readonly TreeRow[],
  parts: PartsOf,
): (Message | TreeRow)[] {
  const timed: { readonly at: string; readonly item: Message | TreeRow }[] = [
    ...messages.map((message) => ({ at: message.occurredAt, item: message })),
    ...groups.map((row) => ({
      at: parts.get(row.run.runId)?.opening?.occurredAt ?? row.run.begunAt,
      item: row,
    })),
  ];
  return timed.sort((a, b) => a.at.localeCompare(b.at)).map(({ item }) => item);
}

/** Gives each message to one run as its opening, its closing or its own word; the rest is loose. */
function sortMessages({ rows, messages, tasks }: Said): {
  readonly parts: PartsOf;
  readonly loose: readonly Message[];
} {
  const taken = new Set<Message>();
  const take = (message: Message | undefined): Message | null => {
    if (message !== undefined) taken.add(message);
    return message ?? null;
  };
  const taskOf = new Map(tasks.map(({ taskId, runId }) => [runId, taskId]));
  const spoken = Map.groupBy(messages, ({ runId, fromAgentId }) => `${runId} ${fromAgentId}`);
  const heard = Map.groupBy(messages, ({ runId, toAgentId }) => `${runId} ${toAgentId}`);
  const parts = new Map<string, Parts>();
  for (const { run } of rows) {
    const pair = `${run.parentRunId} ${run.agentId}`;
    const told = (heard.get(pair) ?? []).filter((each) => !taken.has(each) && wakes(each, run.trigger));
    const task = taskOf.get(run.runId);
    const opening = take(told.find(({ taskId }) => taskId !== null && taskId === task) ?? told[0]);
    const answers = (spoken.get(pair) ?? []).filter((each) => !taken.has(each) && isAnswer(each));
    const closing = opening !== null && run.trigger === "ask" ? take(answers[0]) : null;
    parts.set(run.runId, { opening, closing, own: [] });
  }
  const loose: Message[] = [];
  for (const message of messages)
    if (!taken.has(message)) (parts.get(message.runId)?.own ?? loose).push(message);
  return { parts, loose };
}

/** Whether a message may be what began a run of that trigger. */
function wakes({ channel, direction, status }: Message, trigger: string): boolean {
  if (status === "denied") return false;
  return trigger === "ask" ? channel === "ask" && direction === "request" : channel !== "ask";
}

function isAnswer({ channel, direction, status }: Message): boolean {
  return channel === "ask" && direction === "response" && status !== "denied";
}
