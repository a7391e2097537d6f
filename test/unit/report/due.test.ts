import { describe, expect, it } from "vitest";
import { type ReportStep, reportPeriods, reportStep } from "../../../core/report/due.ts";
import type { ReportMark } from "../../../core/report/mark.ts";

const MONDAYS = { cron: "0 7 * * 1", timeZone: "Europe/Berlin" };
const MINUTE = 60_000;
const at = (time: string) => Date.parse(`${time}:00Z`);
const hours = ({ start, end }: { start: number; end: number }) =>
  [start, end].map((time) => new Date(time).toISOString().slice(0, 16));

/** The mark after the first minute with a report. */
function armed(now: number, timing = MONDAYS): ReportMark {
  const step = reportStep(timing, null, now);
  if (step.kind !== "keep" || step.mark === null) throw new Error(`Not kept: ${step.kind}`);
  return step.mark;
}

function ticksOf(times: readonly number[], mark: ReportMark): number[] {
  let current = mark;
  return times.flatMap((now) => {
    const step: ReportStep = reportStep(MONDAYS, current, now);
    if (step.kind !== "write") return [];
    current = { timing: step.timing, doneUpTo: step.tick, last: { tick: step.tick, writtenAt: now } };
    return [step.tick];
  });
}

const minutes = (from: number, count: number, every = MINUTE) =>
  Array.from({ length: count }, (_, index) => from + index * every);

describe("a report is due", () => {
  it("L7 once for each tick of its cron, in the instance's time zone, over the change to summer time", () => {
    const from = at("2026-03-22T00:00");
    expect(ticksOf(minutes(from, 14 * 24 * 4, 15 * MINUTE), armed(from))).toEqual([
      at("2026-03-23T06:00"),
      at("2026-03-30T05:00"),
    ]);
  });

  it("L7 once after a long time without a minute, for the latest tick", () => {
    const from = at("2026-01-01T00:00");
    const back = at("2026-06-17T12:00");
    expect(ticksOf(minutes(back, 60), armed(from))).toEqual([at("2026-06-15T05:00")]);
  });

  it("L7 not again when the clock goes back", () => {
    const from = at("2026-06-14T00:00");
    const monday = at("2026-06-15T05:00");
    expect(ticksOf([monday, monday - 60 * MINUTE, monday, monday + MINUTE], armed(from))).toEqual([monday]);
  });

  it("not for ticks before it was configured, or before its cron or zone was changed", () => {
    const now = at("2026-06-17T12:00");
    expect(reportStep(MONDAYS, armed(now), now + MINUTE)).toEqual({ kind: "rest" });
    const before = armed(at("2026-06-01T00:00"));
    for (const timing of [
      { ...MONDAYS, cron: "0 7 * * 2" },
      { ...MONDAYS, timeZone: "UTC" },
    ]) {
      const step = reportStep(timing, before, now);
      expect(step).toMatchObject({ kind: "keep", mark: { doneUpTo: now } });
      expect(reportStep(timing, armed(now, timing), now + MINUTE)).toEqual({ kind: "rest" });
    }
  });

  it("not any more when the instance has none, and the mark goes once", () => {
    const now = at("2026-06-17T12:00");
    expect(reportStep(null, armed(now), now)).toEqual({ kind: "keep", mark: null });
    expect(reportStep(null, null, now)).toEqual({ kind: "rest" });
  });
});

describe("the period of a report", () => {
  it("is so many days up to the tick, and as many before them", () => {
    const { now, before } = reportPeriods(at("2026-06-15T05:00"), 7, "Europe/Berlin");
    expect([hours(before), hours(now)]).toEqual([
      ["2026-06-01T05:00", "2026-06-08T05:00"],
      ["2026-06-08T05:00", "2026-06-15T05:00"],
    ]);
  });

  it("counts days as clocks there do, so that consecutive reports leave out nothing and count nothing twice", () => {
    const week = reportPeriods(at("2026-03-30T05:00"), 7, "Europe/Berlin");
    const weekBefore = reportPeriods(at("2026-03-23T06:00"), 7, "Europe/Berlin");
    expect(hours(week.now)).toEqual(["2026-03-23T06:00", "2026-03-30T05:00"]);
    expect(week.before).toEqual(weekBefore.now);
  });

  it("is in whole hours where clocks are half an hour off", () => {
    const { now, before } = reportPeriods(at("2026-06-15T01:30"), 1, "Asia/Kolkata");
    expect([hours(before), hours(now)]).toEqual([
      ["2026-06-13T01:00", "2026-06-14T01:00"],
      ["2026-06-14T01:00", "2026-06-15T01:00"],
    ]);
  });
});
