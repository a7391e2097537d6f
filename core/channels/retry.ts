/** When a notice that a channel would not take is sent again. */
import { backOffMs } from "../back-off.ts";

const MINUTE_MS = 60_000;
const WAITS = { firstMs: MINUTE_MS, longestMs: 60 * MINUTE_MS };
/** A day after it happened nobody is told any more; the list of notices still has it. */
export const NOTICE_LIFE_MS = 24 * 60 * MINUTE_MS;

interface Failed {
  /** Attempts so far, this one included. */
  readonly attempts: number;
  /** Seconds that the channel asked to wait. */
  readonly retryAfter: number | undefined;
  /** All in epoch milliseconds. */
  readonly occurredAt: number;
  readonly now: number;
}

/** Epoch milliseconds of the next attempt; null when the notice has had its time. */
export function nextAttempt({ attempts, retryAfter, occurredAt, now }: Failed): number | null {
  const at = now + Math.max(backOffMs(WAITS, attempts), (retryAfter ?? 0) * 1000);
  return at > occurredAt + NOTICE_LIFE_MS ? null : at;
}
