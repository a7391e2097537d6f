import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { modelFailure } from "../../core/model/failure.ts";
import { nextAttempt, type RetryInput } from "../../core/model/retry.ts";
import type { ModelErrorCode } from "../../core/model/types.ts";

const failed = (code: ModelErrorCode, retryAfterMs: number | null = null) =>
  modelFailure(code, "x", { retryAfterMs });
const decide = (input: Partial<RetryInput>) =>
  nextAttempt({
    failure: failed("overloaded"),
    attempt: 1,
    now: 0,
    deadline: 900_000,
    random: 0.5,
    ...input,
  });

describe("a failed model call", () => {
  it.each(["rate_limited", "overloaded", "network", "bad_response", "timeout"] as const)(
    "is made again: %s",
    (code) => {
      expect(decide({ failure: failed(code) })).toMatchObject({ retry: true });
    },
  );

  it.each(["quota", "aborted", "context_overflow", "auth", "not_found", "bad_request"] as const)(
    "is not made again: %s",
    (code) => {
      expect(decide({ failure: failed(code, 1_000) })).toEqual({ retry: false, reason: "not_retryable" });
    },
  );

  it("waits twice as long each time, and is made six times in all", () => {
    const waits = [1, 2, 3, 4, 5].map((attempt) => decide({ attempt }));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000].map((afterMs) => ({ retry: true, afterMs })));
    expect(decide({ attempt: 6 })).toEqual({ retry: false, reason: "too_many" });
  });

  it("waits as long as the provider asks, to the millisecond, if the deadline allows", () => {
    const failure = failed("rate_limited", 120_000);
    expect(decide({ failure })).toEqual({ retry: true, afterMs: 120_000 });
    expect(decide({ failure, deadline: 120_001 })).toEqual({ retry: true, afterMs: 120_000 });
    expect(decide({ failure, deadline: 120_000 })).toEqual({ retry: false, reason: "deadline" });
  });

  it("is not made again at the deadline", () => {
    expect(decide({ now: 1_000, deadline: 1_500 })).toEqual({ retry: false, reason: "deadline" });
  });

  it("backs off also from a provider that asks for no wait", () => {
    expect(decide({ failure: failed("rate_limited", 0) })).toEqual({ retry: true, afterMs: 500 });
  });

  it("never waits past the deadline, nor longer than 30 seconds of its own accord", () => {
    const inputs = fc.record({
      attempt: fc.integer({ min: 1, max: 8 }),
      now: fc.nat(),
      deadline: fc.nat(),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(inputs, (input) => {
        const decision = decide(input);
        if (!decision.retry) return;
        expect(input.now + decision.afterMs).toBeLessThan(input.deadline);
        expect(decision.afterMs).toBeGreaterThanOrEqual(375);
        expect(decision.afterMs).toBeLessThanOrEqual(30_000);
      }),
    );
  });
});
