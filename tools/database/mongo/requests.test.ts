import { calculateObjectSize, EJSON } from "bson";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { queryOf } from "../input.ts";
import { Refusal } from "../refusal.ts";
import { documentsOf, readingOf, updatesOf } from "./requests.ts";
import { bsonOf, shownBson } from "./value.ts";

/** What the function gives, or null when it refuses. Anything else that is thrown is a mistake. */
function unlessRefused<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** All keys at every level of what is sent to the server. */
function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (typeof value !== "object" || value === null || "_bsontype" in value || value instanceof Date) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...keysOf(item)]);
}

const key = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ maxLength: 8 }).map((text) => `$${text}`),
  fc.constantFrom("a", "$ne", "$where", "$oid", "$date", "$numberLong", "a.b", "__proto__", "a\0"),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  ),
}));

describe("what a model writes as a value", () => {
  it("never becomes an operator, whatever it is", () => {
    fc.assert(
      fc.property(value, (input) => {
        const document = unlessRefused(() => ({ v: bsonOf(input) }));
        if (document === null) return;
        for (const one of keysOf(document)) expect(one).not.toMatch(/^\$|[.\0]/);
        expect(calculateObjectSize(document)).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });

  it("comes back as it was written", () => {
    fc.assert(
      fc.property(value, (input) => {
        const bson = unlessRefused(() => ({ v: bsonOf(input) }));
        // A number that is none, and -0, have no JSON.
        if (bson === null || JSON.stringify(input) === undefined) return;
        const plain: unknown = JSON.parse(JSON.stringify(input));
        const shown: unknown = JSON.parse(JSON.stringify(shownBson(bson.v)));
        if (JSON.stringify(plain).includes("null") || JSON.stringify(plain).includes("$")) return;
        expect(shown).toEqual(plain);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    { $oid: "6193504e1be4ab27791c8133" },
    { $date: "2026-01-02T03:04:05.678Z" },
    { $numberLong: "-9223372036854775808" },
    { $numberDecimal: "12345678901234567890.1234567890" },
    { $uuid: "6f9d6c5e-1f2b-4a51-9d3e-0a1b2c3d4e5f" },
    { $binary: "AP8=" },
    5_000_000_000,
    -0.5,
  ])("of a type of its own, too: %j", (typed) => {
    expect(shownBson(bsonOf(typed))).toEqual(typed);
  });

  it.each([
    { $numberLong: "9223372036854775808" },
    { $oid: "6193504e1be4ab27791c813" },
    { $date: "yesterday" },
    { $numberDecimal: "NaN; 1" },
    { $binary: "***" },
    { $oid: "6193504e1be4ab27791c8133", x: 1 },
  ])("is refused when it is no such value: %j", (typed) => {
    expect(() => bsonOf(typed)).toThrow(Refusal);
  });
});

describe("a query", () => {
  const ask = (changes: object) =>
    readingOf({ ...queryOf({ action: "query", table: "t" }, 10), ...changes }).request;

  it("puts each value behind an operator of ours", () => {
    const where = [
      { column: "a.b", op: "eq", value: { x: 1 } },
      { column: "a.b", op: "gt", value: 2 },
      { column: "c", op: "contains", value: ".*" },
    ];
    expect(ask({ where })).toMatchObject({
      filter: { $and: [{ "a.b": { $eq: { x: 1 } } }, { "a.b": { $gt: 2 } }, { c: { $regex: "\\.\\*" } }] },
      limit: 11,
    });
  });

  it("sends no name of an aggregate to the server", () => {
    const aggregates = [{ function: "sum", column: "n", as: "total" }];
    const request = ask({ groupBy: ["k"], aggregates, orderBy: [{ column: "total", direction: "desc" }] });
    expect(request).toEqual({
      kind: "aggregate",
      pipeline: [
        { $match: {} },
        { $group: { _id: { g0: "$k" }, a0: { $sum: "$n" } } },
        { $sort: { a0: -1 } },
        { $limit: 11 },
      ],
    });
    expect(EJSON.stringify(request)).not.toContain("total");
  });
});

describe("rows", () => {
  it("become documents, and upserts found by their keys", () => {
    expect(documentsOf([{ a: 1, b: { c: [true] } }])).toEqual([{ a: 1, b: { c: [true] } }]);
    expect(updatesOf({ keys: ["a"], rows: [{ a: 1, b: 2 }] })).toEqual([
      { filter: { a: { $eq: 1 } }, update: { $setOnInsert: { a: 1 }, $set: { b: 2 } } },
    ]);
  });

  it.each([{ a: null }, { a: [1] }, { a: { b: 1 } }, { b: 1 }])(
    "have a plain value for each key: %j",
    (row) => {
      expect(() => updatesOf({ keys: ["a"], rows: [row] })).toThrow(Refusal);
    },
  );
});
