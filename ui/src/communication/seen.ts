/** Until when each pair has been read, on this device. */
import { signal } from "@preact/signals";

interface Seen {
  /** What happened before the first visit counts as read; empty until pairs were there. */
  readonly start: string;
  readonly pairs: Readonly<Record<string, string>>;
}

const storageKey = "parley-seen";
const MAX_PAIRS = 1_000;

const seen = signal<Seen>(parseSeen(localStorage.getItem(storageKey)));

/** On the very first visit nothing is unread. @param newest time of the newest message, ISO 8601 */
export function beginSeeing(newest: string): void {
  if (seen.peek().start === "") keep({ ...seen.peek(), start: newest });
}

/** Notes that a pair was read up to a time. */
export function markSeen(pairKey: string, until: string): void {
  const { start, pairs } = seen.peek();
  if (until <= (pairs[pairKey] ?? start)) return;
  const { [pairKey]: _, ...others } = pairs;
  const kept = Object.entries(others).slice(1 - MAX_PAIRS);
  keep({ start, pairs: Object.fromEntries([...kept, [pairKey, until]]) });
}

export function isUnread({ pairKey, lastAt }: { pairKey: string; lastAt: string }): boolean {
  const { start, pairs } = seen.value;
  return start !== "" && lastAt > (pairs[pairKey] ?? start);
}

function keep(value: Seen): void {
  seen.value = value;
  localStorage.setItem(storageKey, JSON.stringify(value));
}

function parseSeen(text: string | null): Seen {
  const nothing = { start: "", pairs: {} };
  try {
    const value: unknown = JSON.parse(text ?? "null");
    if (typeof value !== "object" || value === null) return nothing;
    const start: unknown = Reflect.get(value, "start");
    const pairs: unknown = Reflect.get(value, "pairs");
    return {
      start: typeof start === "string" ? start : "",
      pairs: typeof pairs === "object" && pairs !== null ? textsOf(pairs) : {},
    };
  } catch {
    return nothing;
  }
}

function textsOf(value: object): Record<string, string> {
  const entries: [string, unknown][] = Object.entries(value);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
