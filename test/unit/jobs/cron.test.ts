import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { needsSeconds, nextTick } from "../../../core/jobs/cron.ts";
import { walkMinutes } from "./minute-walker.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The ticks after `from`, up to and including `to`. */
function ticks(cron: string, timeZone: string, { from, to }: { from: number; to: number }): number[] {
  const found: number[] = [];
  for (let at = nextTick({ cron, timeZone }, from); at !== null && at <= to; ) {
    found.push(at);
    at = nextTick({ cron, timeZone }, at);
  }
  return found;
}

function iso(cron: string, timeZone: string, [from, to]: readonly [string, string]): string[] {
  const found = ticks(cron, timeZone, { from: Date.parse(from), to: Date.parse(to) });
  return found.map((at) => new Date(at).toISOString().slice(0, 16));
}

describe("L7 daylight saving", () => {
  const newYork = "America/New_York";

  it("83: a local time that does not exist fires once, right after the gap", () => {
    const night = ["2027-03-13T12:00Z", "2027-03-15T12:00Z"] as const;
    expect(iso("30 2 * * *", newYork, night)).toEqual(["2027-03-14T07:00", "2027-03-15T06:30"]);
    expect(iso("15,45 2 * * *", newYork, night)).toEqual([
      "2027-03-14T07:00",
      "2027-03-15T06:15",
      "2027-03-15T06:45",
    ]);
    expect(iso("0 2,3 * * *", newYork, night)).toEqual([
      "2027-03-14T07:00",
      "2027-03-15T06:00",
      "2027-03-15T07:00",
    ]);
  });

  it("83: a local time that happens twice fires once, the first time", () => {
    const night = ["2026-10-31T12:00Z", "2026-11-02T12:00Z"] as const;
    expect(iso("30 1 * * *", newYork, night)).toEqual(["2026-11-01T05:30", "2026-11-02T06:30"]);
    expect(iso("*/30 1-2 * * *", newYork, ["2026-11-01T04:00Z", "2026-11-01T12:00Z"])).toEqual([
      "2026-11-01T05:00",
      "2026-11-01T05:30",
      "2026-11-01T07:00",
      "2026-11-01T07:30",
    ]);
  });

  it("86: half an hour is enough, in Lord Howe", () => {
    const spring = ["2026-10-03T00:00Z", "2026-10-05T00:00Z"] as const;
    expect(iso("15 2 * * *", "Australia/Lord_Howe", spring)).toEqual([
      "2026-10-03T15:30",
      "2026-10-04T15:15",
    ]);
    const autumn = ["2027-04-03T00:00Z", "2027-04-05T00:00Z"] as const;
    expect(iso("45 1 * * *", "Australia/Lord_Howe", autumn)).toEqual([
      "2027-04-03T14:45",
      "2027-04-04T15:15",
    ]);
  });

  it("84: nine o'clock is nine o'clock there, in winter and in summer", () => {
    expect(iso("0 9 * * *", "Europe/Vienna", ["2027-01-10T00:00Z", "2027-01-11T00:00Z"])).toEqual([
      "2027-01-10T08:00",
    ]);
    expect(iso("0 9 * * *", "Europe/Vienna", ["2027-07-10T00:00Z", "2027-07-11T00:00Z"])).toEqual([
      "2027-07-10T07:00",
    ]);
  });
});

describe("the calendar", () => {
  it("89: counts weekdays as ordinary cron does: 1 is Monday, 0 and 7 are Sunday", () => {
    const week = ["2026-11-29T12:00Z", "2026-12-06T12:00Z"] as const;
    expect(iso("0 9 * * 1", "UTC", week)).toEqual(["2026-11-30T09:00"]);
    expect(iso("0 9 * * 0", "UTC", week)).toEqual(["2026-12-06T09:00"]);
    expect(iso("0 9 * * 7", "UTC", week)).toEqual(["2026-12-06T09:00"]);
  });

  it("knows the 29th of February and the 31st", () => {
    expect(iso("0 0 29 2 *", "UTC", ["2026-01-01T00:00Z", "2033-01-01T00:00Z"])).toEqual([
      "2028-02-29T00:00",
      "2032-02-29T00:00",
    ]);
    expect(iso("0 0 31 * *", "UTC", ["2027-01-01T00:00Z", "2027-08-01T00:00Z"])).toEqual([
      "2027-01-31T00:00",
      "2027-03-31T00:00",
      "2027-05-31T00:00",
      "2027-07-31T00:00",
    ]);
  });

  it("takes seconds in front, and tells what the minute's trigger cannot serve", () => {
    const minute = { from: Date.parse("2026-11-30T12:00:00Z"), to: Date.parse("2026-11-30T12:01:00Z") };
    expect(ticks("*/20 * * * * *", "UTC", minute).map((at) => (at - minute.from) / 1000)).toEqual([
      20, 40, 60,
    ]);
    expect(["*/20 * * * * *", "30 0 9 * * *", "* * * * * *"].map(needsSeconds)).toEqual([true, true, true]);
    expect(["* * * * *", "0 * * * * *", " 00 5 * * * *"].map(needsSeconds)).toEqual([false, false, false]);
  });
});

const ZONES = ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"] as const;

const value = (least: number, most: number) => fc.integer({ min: least, max: most }).map(String);
const list = (least: number, most: number, length: number) =>
  fc.array(value(least, most), { minLength: 1, maxLength: length }).map((values) => values.join(","));
const range = (least: number, most: number) =>
  fc
    .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
    .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
const star = fc.constant("*");
const date = fc.tuple(
  fc.oneof(star, star, list(1, 31, 3), range(25, 31)),
  fc.oneof(star, star, list(1, 12, 4), range(2, 11)),
  fc.oneof(star, star, list(0, 7, 3), range(1, 5)),
);
/** A few times a day. */
const rare = fc
  .tuple(list(0, 59, 2), fc.oneof(list(0, 3, 2), list(0, 23, 2)), date)
  .map(([minute, hour, rest]) => [minute, hour, ...rest].join(" "));
/** Up to every minute. */
const frequent = fc
  .tuple(
    fc.oneof(star, list(0, 59, 4), range(0, 59), fc.constantFrom("*/5", "*/7", "3-50/11")),
    fc.oneof(star, range(0, 4), fc.constantFrom("*/2", "1-23/3")),
    fc.constantFrom("* * *", "29-31 * *", "* * 0,6", "1 * 0"),
  )
  .map((fields) => fields.join(" "));

/** Days on which clocks are changed in one of the zones. */
const CHANGES = ["2027-03-14", "2026-11-01", "2027-03-28", "2026-10-25", "2026-10-04", "2027-04-04"];

describe.each(ZONES)("compared with a walk over every minute, in %s", (timeZone) => {
  it("L7 property: fires at the same times in five years", () => {
    const period = { from: Date.parse("2026-01-01T00:00Z"), to: Date.parse("2031-01-01T00:00Z") };
    fc.assert(
      fc.property(rare, (cron) => {
        expect(ticks(cron, timeZone, period)).toEqual(walkMinutes(cron, { timeZone, ...period }));
      }),
      { numRuns: 4 },
    );
  }, 120_000);

  it("L7 property: fires at the same times around every change of clocks, however often", () => {
    fc.assert(
      fc.property(frequent, fc.constantFrom(...CHANGES), (cron, day) => {
        const period = { from: Date.parse(day) - DAY_MS, to: Date.parse(day) + DAY_MS };
        expect(ticks(cron, timeZone, period)).toEqual(walkMinutes(cron, { timeZone, ...period }));
      }),
      { numRuns: 12 },
    );
  }, 120_000);

  it("L7 property: the next tick is the same from wherever one looks", () => {
    fc.assert(
      fc.property(frequent, fc.constantFrom(...CHANGES), fc.nat(2 * DAY_MS), (cron, day, offset) => {
        const from = Date.parse(day) - DAY_MS + offset;
        const next = nextTick({ cron, timeZone }, from);
        if (next === null) throw new Error("It fires again");
        expect(next).toBeGreaterThan(from);
        const between = from + Math.floor((next - from) / 2);
        expect(nextTick({ cron, timeZone }, between)).toBe(next);
      }),
    );
  });
});
