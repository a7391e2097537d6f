/** The hits of a search within the conversation, newest first, and the way from one to the next. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Answer } from "../api/client.ts";
import type { MessagePage, Position } from "./read-messages.ts";
import { isCalled, type Row } from "./row.ts";
import type { Side } from "./window.ts";

const PAGE = 100;
/** So many are counted; beyond, one can only walk. */
const MAX_COUNTED = 500;

export interface Hits {
  readonly rows: readonly Row[];
  /** There are more than `rows`. */
  readonly more: boolean;
  readonly loading: boolean;
  readonly failed: boolean;
}

export interface Find {
  readonly hits: ReadonlySignal<Hits>;
  /** Counts the hits. Resolves with the newest, or null. */
  start(): Promise<Row | null>;
  /** The hit beside the message that is called so, or null. Knows hits beyond those counted too. */
  next(from: string | null, side: Side): Promise<Row | null>;
  stop(): void;
}

/** @param read pages of hits: the conversation's filters with the words that are looked for */
export function createFind(
  read: (position: Position, signal: AbortSignal) => Promise<Answer<MessagePage>>,
): Find {
  const hits = signal<Hits>({ rows: [], more: false, loading: false, failed: false });
  const stopped = new AbortController();

  const countOn = async (before: string | null): Promise<void> => {
    hits.value = { ...hits.peek(), loading: true };
    const answer = await read({ limit: PAGE, ...(before === null ? {} : { before }) }, stopped.signal);
    if (stopped.signal.aborted) return;
    if (!answer.ok) {
      hits.value = { ...hits.peek(), loading: false, failed: true };
      return;
    }
    const { messages, older } = answer.data;
    const rows = [...hits.peek().rows, ...messages.toReversed()];
    const goOn = older !== null && rows.length < MAX_COUNTED;
    hits.value = { rows, more: older !== null, loading: goOn, failed: false };
    if (goOn) void countOn(older);
  };

  return {
    hits,
    start: async () => {
      await countOn(null);
      return hits.peek().rows[0] ?? null;
    },
    next: async (from, side) => {
      const { rows } = hits.peek();
      const at = from === null ? -1 : rows.findIndex((row) => isCalled(row, from));
      const beside = rows[side === "older" ? at + 1 : at - 1];
      if (from === null || (at >= 0 && beside !== undefined)) return beside ?? null;
      if (at === 0 && side === "newer") return null;
      const answer = await read({ limit: 1, [side === "older" ? "before" : "after"]: from }, stopped.signal);
      return answer.ok ? (answer.data.messages[0] ?? null) : null;
    },
    stop: () => stopped.abort(),
  };
}

/** Which hit of how many is shown, counted from the newest: 0 when the message is none of those counted. */
export function numberOf(hits: Hits, key: string | null): number {
  return key === null ? 0 : hits.rows.findIndex((row) => isCalled(row, key)) + 1;
}
