import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layTimeline } from "../../../ui/src/chain/timeline.ts";
import { at, run, START } from "./chain-runs.ts";

const HOUR = 3_600_000;

describe("the timeline of a chain", () => {
  it("lays each run from its acceptance over its start to its end", () => {
    const runs = [
      run("root", null, { endedAt: at(10_000) }),
      run("a", "root", { begunAt: at(2_000), queuedMs: 1_000, endedAt: at(5_000) }),
    ];
    const { bars, gaps, ticks } = layTimeline(runs, START);
    expect(bars.get("root")).toEqual({ start: 0, started: 0, end: 1 });
    expect(bars.get("a")).toEqual({
      start: expect.closeTo(0.2),
      started: expect.closeTo(0.3),
      end: expect.closeTo(0.5),
    });
    expect(gaps).toEqual([]);
    expect(ticks.map(({ ms }) => ms)).toEqual([0, 2_000, 4_000, 6_000, 8_000, 10_000]);
  });

  it("folds a long pause, so that the work around it can be seen, and says how long it was", () => {
    const runs = [
      run("root", null, { endedAt: at(10_000) }),
      run("later", "root", { begunAt: at(30 * HOUR), endedAt: at(30 * HOUR + 10_000) }),
    ];
    const { bars, gaps, ticks } = layTimeline(runs, START);
    expect(gaps).toEqual([{ at: expect.closeTo(0.5), ms: 30 * HOUR - 10_000 }]);
    expect((bars.get("root")?.end ?? 0) > 0.45).toBe(true);
    expect((bars.get("later")?.start ?? 1) < 0.55).toBe(true);
    expect(ticks).toEqual([]);
  });

  it("lets a run under way go up to now", () => {
    const open = run("root", null, { status: null, endedAt: null });
    const { bars } = layTimeline([open, run("a", "root")], START + 4_000);
    expect(bars.get("root")?.end).toBe(1);
    expect(bars.get("a")?.end).toBeCloseTo(0.25);
  });

  it("has a place for a run that took no time", () => {
    expect(layTimeline([run("root", null, { endedAt: at(0) })], START).bars.get("root")).toEqual({
      start: 0,
      started: 0,
      end: 0,
    });
    expect(layTimeline([], START).bars.size).toBe(0);
  });

  it("property: bars lie within the width, and later is never further left", () => {
    const times = fc.array(
      fc.tuple(fc.nat(100 * HOUR), fc.oneof(fc.nat(10_000), fc.nat(10 * HOUR)), fc.nat(20_000)),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(times, (specs) => {
        const runs = specs.map(([from, length, queuedMs], n) =>
          run(`r${n}`, null, { begunAt: at(from), endedAt: at(from + length), queuedMs }),
        );
        const { bars, gaps } = layTimeline(runs, START);
        const edges = runs.flatMap((each) => {
          const bar = bars.get(each.runId);
          if (bar === undefined) throw new Error("no bar");
          expect(0 <= bar.start && bar.start <= bar.started && bar.started <= bar.end && bar.end <= 1).toBe(
            true,
          );
          return [
            { time: Date.parse(each.begunAt), at: bar.start },
            { time: Date.parse(each.endedAt ?? ""), at: bar.end },
          ];
        });
        edges.sort((a, b) => a.time - b.time || a.at - b.at);
        for (const [index, edge] of edges.entries())
          expect(edge.at - (edges[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(-1e-9);
        expect(gaps.length).toBeLessThanOrEqual(12);
      }),
    );
  });
});
