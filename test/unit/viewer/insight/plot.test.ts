import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DURATION_EDGES, MONEY_EDGES, rebin } from "../../../../ui/src/insight/plot/rebin.ts";
import { labelEvery, ticksUpTo } from "../../../../ui/src/insight/plot/scale.ts";
import { timeSteps } from "../../../../ui/src/insight/plot/time-steps.ts";

describe("an axis", () => {
  it("has ticks that people would choose", () => {
    expect(ticksUpTo(87, 4)).toEqual([0, 50, 100]);
    expect(ticksUpTo(0.3, 4)).toEqual([0, 0.1, 0.2, 0.3]);
    expect(ticksUpTo(0.0021, 4)).toEqual([0, 0.001, 0.002, 0.003]);
    expect(ticksUpTo(1_000, 4)).toEqual([0, 500, 1_000]);
  });

  it("counts in whole numbers only", () => {
    expect(ticksUpTo(1, 4, true)).toEqual([0, 1]);
    expect(ticksUpTo(3, 4, true)).toEqual([0, 1, 2, 3]);
  });

  it("has a height where there is nothing to show", () => {
    for (const max of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(ticksUpTo(max, 4)).toEqual([0, 1]);
  });

  it("begins at 0, holds the largest value, and is never crowded", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1e9, noNaN: true }),
        fc.integer({ min: 2, max: 8 }),
        (max, most) => {
          const ticks = ticksUpTo(max, most);
          expect(ticks[0]).toBe(0);
          expect(ticks.at(-1)).toBeGreaterThanOrEqual(max * (1 - 1e-6));
          expect(ticks.length).toBeLessThanOrEqual(most + 1);
          expect(ticks.length).toBeGreaterThanOrEqual(2);
        },
      ),
    );
  });

  it("leaves out labels that would touch, at distances that people know", () => {
    const days = [1, 2, 7, 14, 28];
    expect(labelEvery(7, { width: 700, label: 60 }, days)).toBe(1);
    expect(labelEvery(30, { width: 1_100, label: 60 }, days)).toBe(2);
    expect(labelEvery(30, { width: 320, label: 60 }, days)).toBe(7);
    expect(labelEvery(300, { width: 300, label: 60 }, days)).toBe(84);
  });
});

describe("the bins of a histogram", () => {
  it("hold every value once, wherever the fine bars lie", () => {
    const bar = fc.record({
      index: fc.integer({ min: 0, max: 280 }),
      count: fc.integer({ min: 1, max: 50 }),
    });
    fc.assert(
      fc.property(fc.array(bar), (all) => {
        const bars = all.map(({ index, count }) => ({
          from: index === 0 ? 0 : 1.1 ** index,
          below: 1.1 ** (index + 1),
          count,
        }));
        const bins = rebin(bars, DURATION_EDGES);
        const sum = (each: readonly { readonly count: number }[]) =>
          each.reduce((total, { count }) => total + count, 0);
        expect(sum(bins)).toBe(sum(bars));
        for (const end of [bins[0], bins.at(-1)]) if (end !== undefined) expect(end.count).toBeGreaterThan(0);
      }),
    );
  });

  it("put a value where it belongs, and keep empty bins between filled ones", () => {
    const bins = rebin(
      [
        { from: 4_000, below: 4_400, count: 2 },
        { from: 25_000, below: 27_500, count: 1 },
      ],
      DURATION_EDGES,
    );
    expect(bins).toEqual([
      { from: 2_000, below: 5_000, count: 2 },
      { from: 5_000, below: 10_000, count: 0 },
      { from: 10_000, below: 20_000, count: 0 },
      { from: 20_000, below: 30_000, count: 1 },
    ]);
  });

  it("are none of nothing, and have a last one without an end", () => {
    expect(rebin([], MONEY_EDGES)).toEqual([]);
    expect(rebin([{ from: 9e6, below: 9.9e6, count: 1 }], MONEY_EDGES)).toEqual([
      { from: 5_000, below: Number.POSITIVE_INFINITY, count: 1 },
    ]);
  });
});

describe("the time axis", () => {
  const now = Date.parse("2026-11-30T12:00:00.000Z");

  it("has the steps in which nothing happened, up to now", () => {
    const axis = {
      grain: "day",
      since: "2026-11-26T00:00:00.000Z",
      before: null,
      points: ["2026-11-28"],
    } as const;
    expect(timeSteps(axis, now)).toEqual([
      "2026-11-26",
      "2026-11-27",
      "2026-11-28",
      "2026-11-29",
      "2026-11-30",
    ]);
  });

  it("ends with its period, whose end is no longer part of it", () => {
    const axis = {
      grain: "day",
      since: null,
      before: "2026-11-29T00:00:00.000Z",
      points: ["2026-11-27"],
    } as const;
    expect(timeSteps(axis, now)).toEqual(["2026-11-27", "2026-11-28"]);
  });

  it("goes over the ends of months and years", () => {
    const month = {
      grain: "month",
      since: "2026-11-01T00:00:00.000Z",
      before: "2027-02-01T00:00:00.000Z",
    } as const;
    expect(timeSteps({ ...month, points: [] }, Date.parse("2027-06-01"))).toEqual([
      "2026-11",
      "2026-12",
      "2027-01",
    ]);
    const hour = {
      grain: "hour",
      since: "2026-12-31T22:00:00.000Z",
      before: "2027-01-01T01:00:00.000Z",
    } as const;
    expect(timeSteps({ ...hour, points: [] }, Date.parse("2027-06-01"))).toEqual([
      "2026-12-31T22",
      "2026-12-31T23",
      "2027-01-01T00",
    ]);
  });

  it("begins at the first point where the period begins long before it", () => {
    const axis = {
      grain: "day",
      since: "1990-01-01T00:00:00.000Z",
      before: null,
      points: ["2026-11-29"],
    } as const;
    expect(timeSteps(axis, now)).toEqual(["2026-11-29", "2026-11-30"]);
  });
});
