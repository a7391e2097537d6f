import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkNewRun, checkSpent, NOTHING_SPENT, sinceRelease } from "../../../core/chain/budget.ts";

const LIMITS = { runs: 3, depth: 2, tokens: 1_000, costUsd: 0.5 };
const spent = (more: Partial<typeof NOTHING_SPENT>) => ({ ...NOTHING_SPENT, ...more });
const codeOf = (admission: ReturnType<typeof checkSpent>) => (admission.ok ? null : admission.code);

describe("L10: what a chain may use up", () => {
  it.each([
    ["nothing", {}, 1, null],
    ["its last run", { runs: 2 }, 2, null],
    ["a run too many", { runs: 3 }, 1, "runs"],
    ["a depth too many", {}, 3, "depth"],
  ] as const)("L10: one more run, with %s", (_what, more, depth, code) => {
    expect(codeOf(checkNewRun(LIMITS, spent(more), depth))).toBe(code);
  });

  it.each([
    ["nothing spent", {}, 2, null],
    ["all its runs at work", { runs: 3 }, 2, null],
    ["more runs than allowed", { runs: 4 }, 1, "runs"],
    ["a run too deep", {}, 3, "depth"],
    ["one token left", { tokens: 999 }, 1, null],
    ["no token left", { tokens: 1_000 }, 1, "tokens"],
    ["a micro-dollar left", { costMicros: 499_999 }, 1, null],
    ["no money left", { costMicros: 500_000 }, 1, "cost"],
  ] as const)("L10: one more model call, with %s", (_what, more, depth, code) => {
    expect(codeOf(checkSpent(LIMITS, spent(more), depth))).toBe(code);
  });

  it("L10: property: who has spent more is never allowed what who has spent less is refused", () => {
    const amount = fc.nat({ max: 2_000_000 });
    const anySpent = fc.record({ runs: fc.nat({ max: 6 }), tokens: amount, costMicros: amount });
    fc.assert(
      fc.property(anySpent, anySpent, fc.integer({ min: 1, max: 4 }), (less, extra, depth) => {
        const more = {
          runs: less.runs + extra.runs,
          tokens: less.tokens + extra.tokens,
          costMicros: less.costMicros + extra.costMicros,
        };
        for (const check of [checkNewRun, checkSpent])
          expect(check(LIMITS, more, depth).ok && !check(LIMITS, less, depth).ok).toBe(false);
      }),
    );
  });

  it("L10: a release grants the limits anew", () => {
    const atRelease = { runs: 3, tokens: 1_500, costMicros: 700_000 };
    expect(checkSpent(LIMITS, sinceRelease(atRelease, atRelease), 1).ok).toBe(true);
    const later = { ...atRelease, tokens: atRelease.tokens + LIMITS.tokens };
    expect(codeOf(checkSpent(LIMITS, sinceRelease(later, atRelease), 1))).toBe("tokens");
  });
});
