/** Which ticks are due: data to data, no clock. All times are epoch milliseconds. */
import { nextTick, type Timing } from "./cron.ts";

/** Ticks that were let pass. */
export interface Missed {
  readonly first: number;
  readonly last: number;
  readonly count: number;
  /** There were more than were counted. */
  readonly more: boolean;
}

export interface DueTicks {
  /** The one to run: the latest. */
  readonly latest: number;
  /** The others; null when there are none (L7: many are caught up by one). */
  readonly missed: Missed | null;
}

const MAX_COUNTED = 1_000;

/** The ticks after `from`, up to and including `to`; null when there are none. */
export function dueTicks(timing: Timing, from: number, to: number): DueTicks | null {
  const first = nextTick(timing, from);
  if (first === null || first > to) return null;
  const latest = latestTick(timing, first, to);
  return { latest: latest.at, missed: latest.at === first ? null : missedTicks(timing, first, latest) };
}

interface Latest {
  readonly at: number;
  /** The tick before it, as far as it was seen on the way. */
  readonly before: number | null;
}

const MINUTE_MS = 60_000;
/** After each miss the look goes this much further back. */
const WIDER = 16;

/** The last tick in the period, of which `first` is one. Looks from its end, so that a long period costs no more. */
function latestTick(timing: Timing, first: number, to: number): Latest {
  for (let back = MINUTE_MS; to - back > first; back *= WIDER) {
    const found = lastOf(timing, nextTick(timing, to - back), to);
    if (found !== null) return found;
  }
  return lastOf(timing, first, to) ?? { at: first, before: null };
}

function lastOf(timing: Timing, start: number | null, to: number): Latest | null {
  if (start === null || start > to) return null;
  let last: Latest = { at: start, before: null };
  for (let at = nextTick(timing, start); at !== null && at <= to; at = nextTick(timing, at))
    last = { at, before: last.at };
  return last;
}

function missedTicks(timing: Timing, first: number, latest: Latest): Missed {
  let count = 0;
  let last = first;
  for (
    let at: number | null = first;
    at !== null && at < latest.at && count < MAX_COUNTED;
    at = nextTick(timing, at)
  ) {
    count += 1;
    last = at;
  }
  const more = (nextTick(timing, last) ?? latest.at) < latest.at;
  return { first, last: more ? (latest.before ?? last) : last, count, more };
}
