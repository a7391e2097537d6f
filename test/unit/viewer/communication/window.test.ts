import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareRows, isCalled, keyOf, type Row } from "../../../../ui/src/communication/row.ts";
import {
  addRow,
  edgeToken,
  MAX_ROWS,
  mergePage,
  type Page,
  type Side,
  trimWindow,
  type Window,
} from "../../../../ui/src/communication/window.ts";
import { row } from "./rows.ts";

/** A record as the API pages through it; several rows share a second. */
const record = fc
  .array(fc.nat(400), { minLength: 1, maxLength: 1_500 })
  .map((seconds) => seconds.map((second, index) => row(index + 1, second)).sort(compareRows));

function pageOf(rows: readonly Row[], place: { before?: string; after?: string }, limit: number): Page {
  const at = (key: string) => rows.findIndex((each) => isCalled(each, key));
  const from = place.after !== undefined ? at(place.after) + 1 : undefined;
  const end = place.before !== undefined ? at(place.before) : rows.length;
  const start = from ?? Math.max(0, end - limit);
  const messages = rows.slice(start, from === undefined ? end : start + limit);
  const [first] = messages;
  const last = messages.at(-1);
  return {
    messages,
    older: start > 0 && first !== undefined ? keyOf(first) : null,
    newer: start + messages.length < rows.length && last !== undefined ? keyOf(last) : null,
  };
}

function load(window: Window, rows: readonly Row[], side: Side): Window {
  const from = window[side];
  if (from === null) return window;
  return mergePage(window, pageOf(rows, side === "older" ? { before: from } : { after: from }, 60), side);
}

const newest = (rows: readonly Row[]): Window => ({
  ...pageOf(rows, {}, 200),
  rows: pageOf(rows, {}, 200).messages,
});

function expectRunOf(window: Window, rows: readonly Row[]): void {
  const start = rows.findIndex(({ uid }) => uid === window.rows[0]?.uid);
  expect(window.rows.map(({ uid }) => uid)).toEqual(
    rows.slice(start, start + window.rows.length).map(({ uid }) => uid),
  );
  expect(window.rows.length).toBeLessThanOrEqual(MAX_ROWS);
  expect(window.older === null).toBe(start === 0);
  expect(window.newer === null).toBe(start + window.rows.length === rows.length);
}

const steps = fc.array(fc.constantFrom<Side>("older", "newer"), { maxLength: 40 });

describe("the window on a conversation", () => {
  it("is always a bounded run of the record without a gap, and knows where it goes on", () => {
    fc.assert(
      fc.property(record, steps, (rows, walk) => {
        let window = newest(rows);
        for (const side of walk) {
          window = load(window, rows, side);
          expectRunOf(window, rows);
        }
      }),
    );
  });

  it("reaches every message on the way to the oldest and back to the newest", () => {
    fc.assert(
      fc.property(record, (rows) => {
        let window = newest(rows);
        const met = new Set(window.rows.map(({ uid }) => uid));
        for (const side of ["older", "newer"] as const)
          while (window[side] !== null) {
            window = load(window, rows, side);
            for (const { uid } of window.rows) met.add(uid);
          }
        expect(met.size).toBe(rows.length);
        expect(window.rows.at(-1)?.uid).toBe(rows.at(-1)?.uid);
      }),
      { numRuns: 30 },
    );
  });

  it("keeps what was loaded last and cuts at the other side", () => {
    const rows = Array.from({ length: 500 }, (_, index) => row(index + 1, index));
    const whole: Window = { rows, older: null, newer: null };
    const older = trimWindow(whole, "older");
    expect([older.rows[0]?.id, older.rows.length, older.newer]).toEqual([1, MAX_ROWS, String(MAX_ROWS)]);
    const newer = trimWindow(whole, "newer");
    expect([newer.rows.at(-1)?.id, newer.rows.length]).toEqual([500, MAX_ROWS]);
    expect(newer.older).toBe(String(500 - MAX_ROWS + 1));
  });

  it("asks for another place after each page that brought something, and for the same after an empty one", () => {
    fc.assert(
      fc.property(record, (rows) => {
        const window = newest(rows);
        const grown = load(window, rows, "older");
        if (grown.rows.length > window.rows.length)
          expect(edgeToken(grown, "older")).not.toBe(edgeToken(window, "older"));
        const stuck = mergePage(window, { messages: [], older: window.older, newer: null }, "older");
        expect(edgeToken(stuck, "older")).toBe(edgeToken(window, "older"));
      }),
    );
  });
});

describe("a live row", () => {
  const live = (id: number, second: number) => row(id, second, { id: null });

  it("stands in its place in time, once, whatever order the rows come in", () => {
    fc.assert(
      fc.property(record, fc.array(fc.nat(500), { maxLength: 30 }), (rows, seconds) => {
        let window: Window = { ...newest(rows), older: null };
        seconds.forEach((second, index) => {
          window = addRow(window, live(10_000 + index, second), true);
          window = addRow(window, live(10_000 + index, second), true);
        });
        expect(window.rows).toEqual([...window.rows].sort(compareRows));
        expect(new Set(window.rows.map(({ uid }) => uid)).size).toBe(window.rows.length);
        expect(window.rows.length).toBeLessThanOrEqual(MAX_ROWS);
      }),
    );
  });

  it("gives way to the row with an id when its page comes", () => {
    const window = addRow({ rows: [row(1, 0)], older: null, newer: null }, live(2, 1), true);
    const merged = mergePage(window, { messages: [row(2, 1)], older: null, newer: null }, "newer");
    expect(merged.rows.map(({ id }) => id)).toEqual([1, 2]);
    expect(addRow(merged, live(2, 1), true).rows.map(({ id }) => id)).toEqual([1, 2]);
  });

  it("waits behind the end when the newest rows are not there, and before the beginning when it is older", () => {
    const middle: Window = { rows: [row(5, 5)], older: "5", newer: "5" };
    expect(addRow(middle, live(9, 9), true)).toBe(middle);
    const end: Window = { rows: [row(5, 5)], older: "5", newer: null };
    expect(addRow(end, live(1, 1), true)).toBe(end);
  });

  it("takes no row away from somebody who reads further up", () => {
    const rows = Array.from({ length: MAX_ROWS }, (_, index) => row(index + 1, index));
    const full: Window = { rows, older: null, newer: null };
    const reading = addRow(full, live(999, 999), false);
    expect(reading.rows).toBe(rows);
    expect(reading.newer).toBe(String(MAX_ROWS));
    const following = addRow(full, live(999, 999), true);
    expect([following.rows.length, following.older, following.rows.at(-1)?.uid]).toEqual([
      MAX_ROWS,
      "2",
      "u999",
    ]);
  });
});
