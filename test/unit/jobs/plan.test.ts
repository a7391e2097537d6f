import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextTick } from "../../../core/jobs/cron.ts";
import { dueTicks } from "../../../core/jobs/plan.ts";

const at = (time: string) => Date.parse(`2026-11-30T${time}Z`);
const utc = (cron: string) => ({ cron, timeZone: "UTC" });

describe("L7 what is due", () => {
  it("is nothing before the time, and one tick at it", () => {
    expect(dueTicks(utc("0 9 * * *"), at("08:00:00"), at("08:59:59"))).toBeNull();
    expect(dueTicks(utc("0 9 * * *"), at("08:00:00"), at("09:00:00"))).toEqual({
      latest: at("09:00:00"),
      missed: null,
    });
    expect(dueTicks(utc("0 9 * * *"), at("09:00:00"), at("09:00:00"))).toBeNull();
  });

  it("is nothing when the clock goes back", () => {
    expect(dueTicks(utc("* * * * *"), at("12:00:00"), at("09:00:00"))).toBeNull();
  });

  it("70: is one tick after three hours of downtime, the others are missed", () => {
    expect(dueTicks(utc("*/10 * * * *"), at("09:00:00"), at("12:05:00"))).toEqual({
      latest: at("12:00:00"),
      missed: { first: at("09:10:00"), last: at("11:50:00"), count: 17, more: false },
    });
  });

  it("is found at once after a year of seconds, and counted as far as that makes sense", () => {
    const due = dueTicks(utc("* * * * * *"), Date.parse("2025-01-01"), Date.parse("2026-01-01"));
    expect(due).toEqual({
      latest: Date.parse("2026-01-01"),
      missed: {
        first: Date.parse("2025-01-01") + 1_000,
        last: Date.parse("2026-01-01") - 1_000,
        count: 1_000,
        more: true,
      },
    });
  });

  it("property: is what counting tick by tick gives", () => {
    const crons = fc.constantFrom(
      "*/7 * * * *",
      "0 */5 * * *",
      "30 4 * * 1",
      "15,45 9-11 1,15 * *",
      "0 0 31 * *",
    );
    fc.assert(
      fc.property(crons, fc.nat(40 * 24 * 60), fc.nat(24 * 60), (cron, start, length) => {
        const from = Date.parse("2026-03-01") + start * 60_000;
        const to = from + length * 60_000;
        const all: number[] = [];
        for (
          let tick = nextTick(utc(cron), from);
          tick !== null && tick <= to;
          tick = nextTick(utc(cron), tick)
        )
          all.push(tick);
        const due = dueTicks(utc(cron), from, to);
        expect(due?.latest).toBe(all.at(-1));
        expect(due?.missed?.count ?? 0).toBe(Math.min(1_000, Math.max(0, all.length - 1)));
        if (due?.missed) expect([due.missed.first, due.missed.last]).toEqual([all[0], all.at(-2)]);
      }),
      { numRuns: 25 },
    );
  });

  it("71: the next tick after downtime is the next one of the plan", () => {
    const daily = utc("0 9 * * *");
    const due = dueTicks(daily, Date.parse("2026-11-25T12:00Z"), Date.parse("2026-11-28T15:00Z"));
    expect(due?.latest).toBe(Date.parse("2026-11-28T09:00Z"));
    expect(nextTick(daily, due?.latest ?? 0)).toBe(Date.parse("2026-11-29T09:00Z"));
  });
});
