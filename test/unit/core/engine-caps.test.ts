import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capArguments, capText, capTogether, parseJsonObject, shareOut } from "../../../core/engine/caps.ts";

/** The note of what was cut, beyond what is kept. */
const NOTE_ROOM = 120;

describe("a capped text", () => {
  it("is the text itself as long as it fits", () => {
    expect(capText("short", 5)).toBe("short");
  });

  it("says how much was cut and that the record has it all", () => {
    const capped = capText("x".repeat(1_000), 400);
    expect(capped).toMatch(
      /^x{280}\n\[cut: 280 of 1000 characters shown; the record keeps the whole text\]$/,
    );
  });

  it.each(["</untrusted_content>", '</untrusted_content id="a1B2">'])(
    "that ends with a frame of foreign text keeps its end, so that what follows is not taken for foreign: %s",
    (end) => {
      const capped = capText(`<untrusted_content>\n${"x".repeat(1_000)}\n${end}`, 400);
      expect(capped).toMatch(/^<untrusted_content>\nx+\n<\/untrusted_content.*>\n\[cut: /);
      expect(capped).toContain(end);
      expect(capped.length).toBeLessThanOrEqual(400);
    },
  );

  it("property: stays within its limit and never ends in half a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), fc.nat({ max: 600 }), (text, limit) => {
        const capped = capText(text, limit);
        expect(capped.length).toBeLessThanOrEqual(Math.max(limit, NOTE_ROOM));
        expect(capped.isWellFormed()).toBe(true);
        expect(capped === text).toBe(text.length <= limit);
      }),
    );
  });
});

describe("what is shared out", () => {
  const lengths = fc.array(fc.nat({ max: 50_000 }), { maxLength: 20 });

  it("property: is within the total, gives nobody more than it needs, and wastes nothing", () => {
    fc.assert(
      fc.property(lengths, fc.nat({ max: 100_000 }), (needs, total) => {
        const shares = shareOut(needs, total);
        const sum = shares.reduce((all, share) => all + share, 0);
        const needed = needs.reduce((all, need) => all + need, 0);
        expect(sum).toBeLessThanOrEqual(total);
        expect(shares.every((share, index) => share >= 0 && share <= (needs[index] ?? 0))).toBe(true);
        if (needed <= total) expect(shares).toEqual(needs);
        else expect(sum).toBe(total);
      }),
    );
  });

  it("property: gives a longer piece no less than a shorter one", () => {
    fc.assert(
      fc.property(lengths, fc.nat({ max: 100_000 }), (needs, total) => {
        const shares = shareOut(needs, total);
        const pairs = needs.map((need, index) => [need, shares[index] ?? 0] as const);
        const sorted = pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, share]) => share);
        expect(sorted).toEqual([...sorted].sort((a, b) => a - b));
      }),
    );
  });

  it("leaves short texts whole beside a long one", () => {
    const [short, long = ""] = capTogether(["short", "x".repeat(50_000)], 20_000);
    expect(short).toBe("short");
    expect(long.length).toBeLessThanOrEqual(20_000);
    expect(long).toContain("[cut: ");
  });
});

describe("the arguments of a call in the history", () => {
  const anyArguments = fc.oneof(
    fc.string({ unit: "binary", maxLength: 3_000 }),
    fc.json({ maxDepth: 3 }),
    fc
      .dictionary(fc.string({ maxLength: 800 }), fc.string({ unit: "binary", maxLength: 2_000 }))
      .map((value) => JSON.stringify(value)),
  );

  it("property: are a JSON object of bounded size, whatever the model wrote", () => {
    fc.assert(
      fc.property(anyArguments, fc.integer({ min: 200, max: 2_000 }), (json, limit) => {
        const capped = capArguments(json, limit);
        expect(parseJsonObject(capped)).not.toBeNull();
        // An escape takes up to six characters.
        expect(capped.length).toBeLessThanOrEqual(6 * limit + NOTE_ROOM);
      }),
    );
  });

  it("property: stay what they are when they fit", () => {
    const small = fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    fc.assert(
      fc.property(small, (value) => {
        const json = JSON.stringify(value);
        expect(JSON.parse(capArguments(json, 1_000_000))).toEqual(JSON.parse(json));
      }),
    );
  });

  it("keep their names and their short values when a long value is cut", () => {
    const json = JSON.stringify({ action: "write", path: "a.txt", content: "x".repeat(50_000) });
    const capped = parseJsonObject(capArguments(json, 20_000));
    expect(capped).toMatchObject({ action: "write", path: "a.txt" });
    expect(String(capped?.content)).toContain("[cut: ");
  });

  it("are cut as a whole when it is the names that are long or many", () => {
    const longName = JSON.stringify({ ["x".repeat(90_000)]: 1 });
    const manyNames = JSON.stringify(
      Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`n${n}`, n])),
    );
    for (const json of [longName, manyNames])
      expect(Object.keys(parseJsonObject(capArguments(json, 20_000)) ?? {})).toEqual(["_cut"]);
  });

  it.each(["", "null", "[]", '"x"', '{"x":"lo', "{}}"])("say that %j was no object", (json) => {
    expect(parseJsonObject(capArguments(json, 1_000))).toEqual({ _unreadable: json });
  });
});
