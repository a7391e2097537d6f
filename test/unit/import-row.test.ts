/** Cells of an older database may be anything: whatever they are, a row is taken whole or refused with a reason. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FIELDS, IMPORT_TABLES } from "../../core/record/import-columns.ts";
import { type ImportedRow, rowImporter } from "../../core/record/import-row.ts";
import { createScrubber } from "../../core/scrub/index.ts";

const SECRET = "correct-horse-battery-7781";
const scrubber = createScrubber(new Map([["SHOP_KEY", SECRET]]));

const likely = fc.constantFrom(
  "2025-03-01 10:00:00",
  "2025-03-01T24:00:00Z",
  "2025-02-29",
  "31.12.2024 23:59:60",
  "99999999999999999",
  "00:61:99.5",
  "9999999.23:59:59",
  "1e308",
  "-0",
  `mine is ${SECRET}`,
  SECRET,
  "completed",
  "clerk",
  "run-1",
  "|",
  "\u0000",
  "\ud83d",
);
const numbers = fc.oneof(fc.double(), fc.maxSafeInteger(), fc.integer({ min: 1, max: 2_000_000_000 }));
const cell = fc.oneof(
  { weight: 4, arbitrary: likely },
  { weight: 1, arbitrary: numbers },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 1, arbitrary: fc.constant(null) },
);

function storedRows(row: Extract<ImportedRow, { ok: true }>) {
  return [...row.rows.messages, ...row.rows.audit, ...row.rows.receipts];
}

describe.each(IMPORT_TABLES)("a row of %s", (table) => {
  const columns = Object.values(FIELDS[table]).map((names) => names[0] ?? "");
  const cells = fc.array(cell, { minLength: columns.length, maxLength: columns.length });
  const take = (row: readonly (string | number | null)[]) =>
    rowImporter(table, columns, scrubber)({ uid: "import:1", cells: row });

  it("becomes exactly one row with real times and whole numbers, or is refused with a reason", () => {
    fc.assert(
      fc.property(cells, (row) => {
        const taken = take(row);
        if (!taken.ok) {
          expect(taken.code).toMatch(/^(no|bad)_[a-z]+$/);
          return;
        }
        const [stored, ...more] = storedRows(taken);
        expect(more).toEqual([]);
        for (const [key, value] of Object.entries(stored ?? {})) {
          if (key.endsWith("At")) expect(value).toBe(new Date(String(value)).toISOString());
          if (typeof value === "number") expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("L5: holds no secret, nor does what is told of it", () => {
    fc.assert(
      fc.property(cells, (row) => {
        expect(JSON.stringify(take(row))).not.toContain(SECRET);
      }),
      { numRuns: 500 },
    );
  });

  it("without anything is refused", () => {
    expect(take(columns.map(() => null))).toMatchObject({ ok: false });
    expect(rowImporter(table, columns, scrubber)({ uid: "import:1", cells: null })).toMatchObject({
      code: "too_large",
    });
  });
});
