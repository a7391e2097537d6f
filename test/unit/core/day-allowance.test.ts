import { describe, expect, it } from "vitest";
import { DayAllowance } from "../../../core/hub/day-allowance.ts";

const NOW = 1_000_000;
const at = (change: { now?: number; costUsd?: number } = {}) => ({ now: NOW, costUsd: 1, ...change });
const ended = (runId: string, costMicros: number) => ({
  runId,
  costMicros,
  finishedAt: "2026-03-01T00:00:00.000Z",
});

/** The ledger has just granted a two-hundredth of 0.2 dollars: 1,000 micro-dollars. */
function granted(): DayAllowance {
  const allowance = new DayAllowance();
  allowance.renew({ permit: { ok: true, roomMicros: 200_000 }, ...at() });
  return allowance;
}

describe("L10: what an object may spend of the day without asking", () => {
  it.each([
    ["for a moment", 0, at({ now: NOW + 999 }), true],
    ["not for longer", 0, at({ now: NOW + 1_000 }), false],
    ["as far as it goes", 1_000, at(), true],
    ["no further", 1_001, at(), false],
    ["not under another ceiling", 0, at({ costUsd: 2 }), false],
  ])("L10: holds %s", (_what, spent, when, holds) => {
    expect(granted().use("a.1", spent, when) !== null).toBe(holds);
  });

  it("L10: counts what an ended run cost in the end, once", () => {
    const allowance = granted();
    expect(allowance.use("a.1", 400, at())).not.toBeNull();
    allowance.end(ended("a.1", 600));
    expect(allowance.use("a.2", 400, at())).not.toBeNull();
    allowance.end(ended("a.2", 401));
    expect(allowance.use("a.3", 0, at())).toBeNull();
  });

  it("L10: remembers ended runs until the ledger knows of them", () => {
    const allowance = granted();
    allowance.end(ended("a.1", 1));
    allowance.end(ended("a.2", 2));
    allowance.settled([ended("a.1", 1)]);
    expect(allowance.ended).toEqual([ended("a.2", 2)]);
  });
});
