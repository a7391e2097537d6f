import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createPage, FETCHED_CHARS, PAGE_CHARS } from "./page.ts";

const textSchema = z.object({
  rows: z.array(z.record(z.string(), z.unknown())),
  nextOffset: z.number().nullable(),
  notes: z.array(z.string()).optional(),
});

const SECRET = "known-secret-value";
const mask = (text: string) => text.replaceAll(SECRET, "***");

/** The page of these rows, as the model gets it. */
function pageOf(
  rows: readonly object[],
  { limit = 100, offset = 0, asked = null }: { limit?: number; offset?: number; asked?: number | null } = {},
) {
  const page = createPage({ limit, offset, asked, mask });
  for (const row of rows) if (!page.add({ ...row })) break;
  const text = page.text();
  return { text, ...textSchema.parse(JSON.parse(text)) };
}

describe("a page", () => {
  it("of few rows has them all and no notes", () => {
    expect(pageOf([{ a: 1 }, { a: 2 }])).toMatchObject({ rows: [{ a: 1 }, { a: 2 }], nextOffset: null });
    expect(pageOf([{ a: 1 }]).notes).toBeUndefined();
  });

  it("ends at its limit and names the next offset", () => {
    const page = pageOf([{ a: 1 }, { a: 2 }, { a: 3 }], { limit: 2, offset: 10, asked: 500 });
    expect(page).toMatchObject({ rows: [{ a: 1 }, { a: 2 }], nextOffset: 12 });
    expect(page.notes?.join()).toMatch(/500.*2.*offset 12/);
  });

  it("always goes on, stays within its size, and changes no row but a first one that is too large", () => {
    const row = fc.dictionary(
      fc.string({ maxLength: 10 }).filter((name) => name !== "__proto__"),
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.integer(),
        fc.nat(3_000).map((size) => '\u{1f600}"'.repeat(size)),
      ),
      { maxKeys: 6 },
    );
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) => {
        const page = pageOf(rows);
        expect(page.rows.length).toBeGreaterThan(0);
        expect(page.text.length).toBeLessThan(PAGE_CHARS + 2_000);
        expect(page.nextOffset).toBe(page.rows.length === rows.length ? null : page.rows.length);
        const kept = page.rows.slice(1);
        expect(kept).toEqual(JSON.parse(JSON.stringify(rows.slice(1, page.rows.length))));
      }),
      { numRuns: 100 },
    );
  });

  it("cuts no secret in half (L5), be it at its own cut or at the one of the database", () => {
    for (let before = PAGE_CHARS - 60; before < PAGE_CHARS; before += 1) {
      expect(pageOf([{ text: "x".repeat(before) + SECRET.repeat(300) }]).text).not.toContain("known-");
    }
    const fetched = `${SECRET.repeat(2_000)}`.slice(0, FETCHED_CHARS);
    expect(pageOf([{ text: fetched }]).text).not.toContain("known-");
  });

  it("says which columns were cut", () => {
    const page = pageOf([{ short: "s", long: "l".repeat(PAGE_CHARS), list: ["x".repeat(PAGE_CHARS)] }]);
    expect(page.rows[0]?.short).toBe("s");
    expect(String(page.rows[0]?.long)).toMatch(/^l+\.\.\.\[cut\]$/);
    expect(String(page.rows[0]?.list)).toMatch(/^\["x+\.\.\.\[cut\]$/);
    expect(page.notes?.join()).toContain("long, list");
  });
});
