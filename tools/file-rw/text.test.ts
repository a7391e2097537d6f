import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeText, EDGE_BYTES, encodeText, type TextPage, textPage } from "./text.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** One page of a text, read from bytes as the tool reads a file. */
function pageOf(
  bytes: Uint8Array,
  offset: number,
  size: number | { limit: number; room: number },
): TextPage | null {
  const { limit, room } = typeof size === "number" ? { limit: size, room: 10_000 } : size;
  return textPage(bytes.subarray(offset, offset + limit + EDGE_BYTES), { inside: offset > 0, limit, room });
}

describe("pages of a text", () => {
  it("join to the whole text, whatever the page's size", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 60 }),
        fc.integer({ min: 1, max: 12 }),
        (raw, limit) => {
          const text = raw.replaceAll("\0", "");
          const bytes = encode(text);
          let read = "";
          for (let offset = 0; offset < bytes.length; ) {
            const page = pageOf(bytes, offset, limit);
            expect(page?.skipped).toBe(0);
            expect(page?.length).toBeGreaterThan(0);
            expect(page?.length).toBeLessThanOrEqual(Math.max(limit, 4));
            read += page?.text ?? "";
            offset += page?.length ?? bytes.length;
          }
          expect(read).toBe(text);
        },
      ),
    );
  });

  it("begin with the next character when the offset is inside one", () => {
    const bytes = encode("a\u{1f600}b");
    expect([1, 2, 3, 4, 5].map((offset) => pageOf(bytes, offset, 9))).toEqual([
      { text: "\u{1f600}b", skipped: 0, length: 5 },
      { text: "b", skipped: 3, length: 1 },
      { text: "b", skipped: 2, length: 1 },
      { text: "b", skipped: 1, length: 1 },
      { text: "b", skipped: 0, length: 1 },
    ]);
  });

  it("are empty when the offset is inside the last character", () => {
    expect(pageOf(encode("\u20ac"), 1, 9)).toEqual({ text: "", skipped: 2, length: 0 });
  });

  it("keep a byte order mark, so that offsets count every byte", () => {
    expect(pageOf(encode("\ufeffa"), 0, 9)).toEqual({ text: "\ufeffa", skipped: 0, length: 4 });
  });

  it("end early when escapes would make them too long as JSON", () => {
    const bytes = encode('"\n\u0001'.repeat(1_000));
    const page = pageOf(bytes, 0, { limit: 3_000, room: 102 });
    expect(page).toMatchObject({ skipped: 0, length: 30 });
    expect(JSON.stringify(page?.text).length).toBe(102);
  });

  it("are refused for what is no UTF-8 text", () => {
    const binaries = [
      [0x80, 0x61],
      [0xff, 0xfe, 0x61, 0],
      [0x61, 0, 0x62],
      [0xc0, 0xae],
      [0xed, 0xa0, 0x80],
      [0xe2, 0x82],
    ];
    for (const bytes of binaries) expect(pageOf(Uint8Array.from(bytes), 0, 100)).toBeNull();
    fc.assert(fc.property(fc.uint8Array(), fc.nat(20), (bytes, offset) => void pageOf(bytes, offset, 8)));
  });
});

describe("text as bytes", () => {
  it("reads back the same or is refused", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const bytes = encodeText(text);
        if (bytes !== null) expect(decodeText(bytes)).toBe(text);
      }),
    );
    expect([encodeText("a\0"), encodeText("\ud800"), encodeText("")]).toEqual([null, null, new Uint8Array()]);
  });
});
