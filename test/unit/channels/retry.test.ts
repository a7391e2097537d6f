import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NOTICE_LIFE_MS, nextAttempt } from "../../../core/channels/retry.ts";

const MINUTE = 60_000;
const failed = { attempts: 1, retryAfter: undefined, occurredAt: 0, now: 0 };

describe("the next attempt to deliver a notice", () => {
  it("comes later each time, an hour later at most", () => {
    const waits = [1, 2, 3, 6, 7, 8, 50].map((attempts) => nextAttempt({ ...failed, attempts }));
    expect(waits).toEqual([1, 2, 4, 32, 60, 60, 60].map((minutes) => minutes * MINUTE));
  });

  it("waits as long as the channel wishes", () => {
    expect(nextAttempt({ ...failed, retryAfter: 600 })).toBe(10 * MINUTE);
    expect(nextAttempt({ ...failed, retryAfter: 5 })).toBe(MINUTE);
  });

  it("is never made when its time is over", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: undefined }),
        fc.integer({ min: 0, max: 2 * NOTICE_LIFE_MS }),
        (attempts, retryAfter, now) => {
          const next = nextAttempt({ attempts, retryAfter, occurredAt: 0, now });
          if (next === null) return;
          expect(next).toBeGreaterThan(now);
          expect(next).toBeLessThanOrEqual(NOTICE_LIFE_MS);
        },
      ),
    );
  });
});
