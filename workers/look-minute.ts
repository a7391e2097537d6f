/** Work that may wait a little looks for something to do every fifth minute: looking reads rows, also when nothing is there. */

const EVERY_MINUTES = 5;
const MINUTE_MS = 60_000;

/** `at` in epoch milliseconds, as the cron trigger gives it. */
export function isLookMinute(at: number): boolean {
  return Math.floor(at / MINUTE_MS) % EVERY_MINUTES === 0;
}
