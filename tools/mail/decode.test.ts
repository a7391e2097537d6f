import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeHead, decodeText } from "./decode.ts";
import { fitting } from "./shown.ts";
import { type BodyNode, type Leaf, layoutOf } from "./structure.ts";

const leaf = (parts: Partial<Leaf> = {}): Leaf => ({
  ...{ part: "1", type: "text/plain", parameters: {}, encoding: "8bit", size: 0, name: null },
  ...parts,
});
const bytes = (text: string) => new TextEncoder().encode(text);

describe("parts that nobody would write", () => {
  it.each([
    ["style sheets that never end", "<style ".repeat(60_000)],
    ["style sheets in style sheets", "<style>".repeat(60_000)],
    ["tags that never end", "<".repeat(200_000)],
    ["comments that never end", "<!--".repeat(60_000)],
    ["links that never end", '<a href="'.repeat(30_000)],
    ["links within links", `${"<a href=".repeat(240)}>`.repeat(100)],
    ["items that never end", "<li ".repeat(60_000)],
  ])("are read in time: %s", async (_name, html) => {
    expect(typeof (await decodeText(leaf({ type: "text/html" }), bytes(html)))).toBe("string");
  });

  it("are read whatever they say of themselves", async () => {
    const words = fc.oneof(
      fc.string(),
      fc.constantFrom("utf-8", "utf-16", "base64", "x\r\nSubject: y", "flowed"),
    );
    const parameters = fc.record({ charset: words, format: words, delsp: words });
    await fc.assert(
      fc.asyncProperty(
        parameters,
        words,
        fc.uint8Array({ maxLength: 200 }),
        async (said, encoding, content) => {
          for (const type of ["text/plain", "text/html", "text/calendar"]) {
            const text = await decodeText(leaf({ type, parameters: said, encoding }), content);
            expect(typeof text).toBe("string");
          }
        },
      ),
    );
  });

  it.each(['"', "(", "<", "a,", "a:", ";a*0=", "=?utf-8?q?", "\r\n ", "\r\nTo: a@b", "a@b "])(
    "are read in time when a header is full of %j",
    async (piece) => {
      const line = piece.repeat(32_000 / piece.length);
      const header = ["From", "To", "Subject", "References", "Content-Type"].map(
        (name) => `${name}: ${line}\r\n`,
      );
      for (let time = 0; time < 5; time += 1) await decodeHead(bytes(header.join("")));
    },
  );

  it("are read when the header is noise", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (noise) => {
        expect(await decodeHead(noise)).toMatchObject({
          subject: expect.any(String),
          headers: expect.any(Array),
        });
      }),
    );
  });
});

describe("the layout of a message", () => {
  it("is bounded in parts and in depth", () => {
    const part = { part: "1", type: "text/plain" };
    const wide = { type: "multipart/mixed", childNodes: Array.from({ length: 5_000 }, () => part) };
    expect(layoutOf(wide).attachments.length).toBeLessThan(300);
    let deep: BodyNode = part;
    for (let level = 0; level < 1_000; level += 1) deep = { type: "multipart/mixed", childNodes: [deep] };
    expect(layoutOf(deep)).toEqual({ plain: null, html: null, attachments: [] });
  });
});

describe("a text that fits", () => {
  it("is the longest beginning that needs no more room in JSON", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 40 }),
        fc.integer({ min: 2, max: 60 }),
        (text, room) => {
          const shown = fitting(text, room);
          expect(text.startsWith(shown)).toBe(true);
          expect(JSON.stringify(shown).length).toBeLessThanOrEqual(room);
          const [next = ""] = text.slice(shown.length);
          if (next !== "") expect(JSON.stringify(shown + next).length).toBeGreaterThan(room);
        },
      ),
    );
  });
});
