import { describe, expect, it } from "vitest";
import { DayAllowance } from "../../../core/hub/day-allowance.ts";

const NOW = 1_000_000;
const at = (change: { now?: number; costUsd?: number } = {}) => ({ now: NOW, costUsd: 1, ...change });
const ended = (runId: string, costMicros: number) => ({
  runId,
  costMicros,
  finishedAt: "2026-03-01T00:00:00.000Z",
});

/** The ledger grants a two-hundredth of 0.2 dollars: 1,000 micro-dollars. */
function renew(allowance: DayAllowance, told: ReturnType<DayAllowance["news"]>): void {
  allowance.renew({ permit: { ok: true, roomMicros: 200_000 }, told, ...at() });
}

function use(allowance: DayAllowance, runId: string, costMicros: number) {
  allowance.spend(runId, costMicros);
  return allowance.leave(at());
}

function granted(): DayAllowance {
  const allowance = new DayAllowance();
  renew(allowance, allowance.news([]));
  return allowance;
}

describe("L10: what an object may spend of the day without asking", () => {
  it.each([
    ["for a moment", 0, at({ now: NOW + 3_999 }), true],
    ["not for longer", 0, at({ now: NOW + 4_000 }), false],
    ["as far as it goes", 1_000, at(), true],
    ["no further", 1_001, at(), false],
    ["not under another ceiling", 0, at({ costUsd: 2 }), false],
  ])("L10: holds %s", (_what, spent, when, holds) => {
    const allowance = granted();
    allowance.spend("a.1", spent);
    expect(allowance.leave(when) !== null).toBe(holds);
  });

  it("L10: counts what an ended run cost in the end, once", () => {
    const allowance = granted();
    expect(use(allowance, "a.1", 400)).not.toBeNull();
    allowance.end(ended("a.1", 600));
    allowance.end(ended("a.1", 600));
    expect(use(allowance, "a.2", 400)).not.toBeNull();
    allowance.end(ended("a.2", 401));
    expect(use(allowance, "a.3", 0)).toBeNull();
  });

  it("L10: tells what runs under way have spent, and ended runs until the ledger knows of them", () => {
    const allowance = granted();
    use(allowance, "a.1", 7);
    allowance.end(ended("a.1", 9));
    use(allowance, "a.2", 5);
    const told = allowance.news([ended("a.0", 3)]);
    expect(told.live).toEqual([{ runId: "a.2", costMicros: 5 }]);
    expect(told.ended).toEqual([ended("a.1", 9), ended("a.0", 3)]);
    expect(allowance.news([]).ended).toEqual(told.ended);
    renew(allowance, told);
    expect(allowance.news([]).ended).toEqual([]);
  });

  it("L10: takes off what was spent while the ledger was asked", () => {
    const allowance = granted();
    const told = allowance.news([]);
    use(allowance, "a.1", 600);
    renew(allowance, told);
    expect(use(allowance, "a.1", 1_000)).not.toBeNull();
    expect(use(allowance, "a.1", 1_001)).toBeNull();
  });
});
