import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCursor, encodeCursor } from "../../core/record/cursor.ts";
import { firstIdAfter, firstIdAt } from "../../core/record/insert-statement.ts";
import { parseInstant, parseUntil } from "../../core/record/instant.ts";
import { foldText, matchAll, parseSearch } from "../../core/record/search-terms.ts";
import { cutToBytes, storableText, textKey, utf8Bytes } from "../../core/record/stored-text.ts";

const encoder = new TextEncoder();
const anyText = fc.string({ unit: "binary", maxLength: 60 });
const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units));

describe("a text for a row", () => {
  it("is measured as UTF-8 is written", () => {
    fc.assert(fc.property(anyUnits, (text) => utf8Bytes(text) === encoder.encode(text).length));
  });

  it("is cut to the longest beginning that fits and splits no character", () => {
    fc.assert(
      fc.property(anyText.map(storableText), fc.nat(80), (text, max) => {
        const cut = cutToBytes(text, max);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
        expect(utf8Bytes(cut)).toBeLessThanOrEqual(max);
        const [next = ""] = text.slice(cut.length);
        if (next !== "") expect(utf8Bytes(cut + next)).toBeGreaterThan(max);
      }),
    );
  });

  it("holds nothing that the database would change", () => {
    fc.assert(
      fc.property(anyUnits, (text) => {
        const stored = storableText(text);
        expect(stored.isWellFormed()).toBe(true);
        expect(stored).not.toContain("\0");
        expect(stored).toHaveLength(text.length);
      }),
    );
  });

  it("lies under a key of its own", () => {
    expect(textKey("run-1:3")).not.toBe(textKey("run-1/3"));
  });
});

describe("a cursor", () => {
  it("comes back as it was and needs no escaping in a URL", () => {
    const moment = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") });
    fc.assert(
      fc.property(moment, fc.maxSafeInteger(), (date, id) => {
        const cursor = { occurredAt: date.toISOString(), id };
        const text = encodeCursor(cursor);
        expect(encodeURIComponent(text)).toBe(text);
        expect(decodeCursor(text)).toEqual(cursor);
      }),
    );
  });

  it("is null for any other text, never an error", () => {
    fc.assert(fc.property(anyUnits, (text) => decodeCursor(`${text}!`) === null));
  });
});

describe("a moment", () => {
  it.each([
    ["2026-11-30", "2026-11-30T00:00:00.000Z"],
    ["2026-11-30T10:00", "2026-11-30T10:00:00.000Z"],
    ["2026-11-30T10:00:00+02:00", "2026-11-30T08:00:00.000Z"],
    ["2026-11-30T10:00:00.123Z", "2026-11-30T10:00:00.123Z"],
    ["30.11.2026", null],
    ["2026-13-01", null],
    ["", null],
  ])("%j is read as %j", (text, expected) => {
    expect(parseInstant(text)).toBe(expected);
  });

  it("as the end of a period includes the whole of a bare date", () => {
    expect(parseUntil("2026-11-30")).toBe("2026-11-30T23:59:59.999Z");
    expect(parseUntil("2026-11-30T10:00:00.000Z")).toBe("2026-11-30T10:00:00.000Z");
    expect(parseUntil("never")).toBeNull();
  });

  it("has a range of ids of its own, exact until 2109", () => {
    const last = firstIdAfter("2109-01-01T00:00:00.000Z");
    expect(Number.isSafeInteger(last)).toBe(true);
    expect(firstIdAt("2026-10-01T08:00:00.001Z")).toBe(firstIdAfter("2026-10-01T08:00:00.000Z"));
  });
});

describe("a search", () => {
  it("gives long words to the index and short ones to the comparison", () => {
    expect(parseSearch("  Rückfrage ab  Rückfrage ")).toEqual({
      indexed: ["Rückfrage"],
      checked: ["ab"],
      cut: false,
    });
  });

  it("counts characters, not UTF-16 units, and sharp s as two", () => {
    expect(parseSearch("🎉🎉 aß u\u0308b")).toEqual({
      indexed: ["ass"],
      checked: ["🎉🎉", "ub"],
      cut: false,
    });
  });

  it("asks the index for few words and compares the rest", () => {
    const words = Array.from({ length: 12 }, (_, n) => `word${n}`);
    const terms = parseSearch(words.join(" "));
    expect(terms?.indexed).toEqual(words.slice(0, 8));
    expect(terms?.checked).toEqual(words.slice(8));
  });

  it("asks the index for the beginning of a long word and compares all of it", () => {
    const word = "x".repeat(100);
    expect(parseSearch(word)).toEqual({ indexed: ["x".repeat(48)], checked: [word], cut: false });
  });

  it("never lets a word be read as syntax", () => {
    fc.assert(
      fc.property(anyUnits, (text) => {
        const expression = matchAll("Content", parseSearch(text)?.indexed ?? []);
        const outside = expression.replace(/"(?:[^"]|"")*"/gu, "@");
        expect(outside).toMatch(/^Content : \((@( AND @)*)?\)$/);
        expect(expression).not.toContain("\0");
      }),
    );
  });

  it("folds case, accents and sharp s alike, whether composed or not", () => {
    expect(foldText("GRÖßE")).toBe("grosse");
    expect(foldText("gro\u0308sse")).toBe("grosse");
    expect(foldText("STRAẞE")).toBe("strasse");
  });
});
