/** The pairs on record, kept up by what happens live: the list is dear to read, so it is not read per message. */
import type { Row } from "./row.ts";

export interface Pair {
  readonly pairKey: string;
  readonly agentA: string;
  readonly agentB: string;
  readonly messages: number;
  readonly failed: number;
  /** ISO 8601. */
  readonly lastAt: string;
  readonly lastText: string;
}

const LAST_TEXT_CHARS = 200;

/** The list with a message more, the pair that spoke last first. */
export function countMessage(pairs: readonly Pair[], row: Row): readonly Pair[] {
  const known = pairs.find(({ pairKey }) => pairKey === row.pairKey) ?? newPair(row);
  const newest = row.occurredAt >= known.lastAt;
  const counted: Pair = {
    ...known,
    messages: known.messages + 1,
    failed: known.failed + (row.status === "delivered" ? 0 : 1),
    lastAt: newest ? row.occurredAt : known.lastAt,
    lastText: newest ? row.content.slice(0, LAST_TEXT_CHARS) : known.lastText,
  };
  const others = pairs.filter(({ pairKey }) => pairKey !== row.pairKey);
  const place = others.findIndex(({ lastAt }) => lastAt <= counted.lastAt);
  return place < 0 ? [...others, counted] : others.toSpliced(place, 0, counted);
}

function newPair({ pairKey, occurredAt }: Row): Pair {
  const middle = pairKey.indexOf("|");
  return {
    pairKey,
    agentA: pairKey.slice(0, middle),
    agentB: pairKey.slice(middle + 1),
    messages: 0,
    failed: 0,
    lastAt: occurredAt,
    lastText: "",
  };
}
