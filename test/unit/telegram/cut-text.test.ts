import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText, MESSAGE_UNITS } from "../../../protocols/telegram/cut-text.ts";
import { type FormattedText, formatMarkdown } from "../../../protocols/telegram/markdown.ts";

const plain = (text: string): FormattedText => ({ text, entities: [] });
const texts = (formatted: FormattedText, limit?: number) => cutText(formatted, limit).map(({ text }) => text);

describe("a text is cut into messages", () => {
  it("not at all when it fits, counted after the entities were parsed", () => {
    const marked = `**${"x".repeat(MESSAGE_UNITS)}**`;
    expect(marked.length).toBeGreaterThan(MESSAGE_UNITS);
    expect(texts(formatMarkdown(marked))).toHaveLength(1);
    expect(texts(plain("x".repeat(MESSAGE_UNITS + 1)))).toHaveLength(2);
  });

  it.each([
    ["a paragraph rather than a line", "aaaa. bb\n\ncc dd\nee ff", 18, ["aaaa. bb", "cc dd\nee ff"]],
    ["a line rather than a sentence", "aaa bbb\nccc. ddd eee", 14, ["aaa bbb", "ccc. ddd eee"]],
    ["a sentence rather than a word", "One two. Three four five", 15, ["One two.", "Three four five"]],
    ["a word rather than anywhere", "aaaaaa bbbbbb cccccc", 15, ["aaaaaa bbbbbb", "cccccc"]],
    ["a word early in the text rather than its middle", "aa bbbbbbbbbbbb", 12, ["aa", "bbbbbbbbbbbb"]],
    ["anywhere, if it must be", "abcdefghij", 4, ["abcd", "efgh", "ij"]],
  ])("at %s", (_name, text, limit, parts) => {
    expect(texts(plain(text), limit)).toEqual(parts);
  });

  it("never inside a character that people see as one", () => {
    const family = "👨‍👩‍👧‍👦";
    for (const part of texts(plain(family.repeat(5)), family.length + 3)) expect(part).toBe(family);
    for (const part of texts(plain("é".normalize("NFD").repeat(9)), 5)) expect(part.length % 2).toBe(0);
    for (const part of texts(plain("🇩🇪".repeat(9)), 7)) expect(part).toBe("🇩🇪");
  });

  it("not even a code point when one character is longer than a message", () => {
    const zalgo = `a${"\u{1d165}".repeat(20)}`;
    for (const part of texts(plain(zalgo), 8)) expect(part.isWellFormed()).toBe(true);
    expect(texts(plain(zalgo), 8).join("")).toBe(zalgo);
  });

  it("with a code block closed and opened again, at one of its lines", () => {
    const formatted = formatMarkdown(`x\n\n\`\`\`ts\n${"let a = 1;\n".repeat(30)}\`\`\``);
    const parts = cutText(formatted, 120);
    expect(parts.length).toBeGreaterThan(2);
    for (const { text, entities } of parts) {
      expect(entities).toEqual([expect.objectContaining({ type: "pre", language: "ts" })]);
      expect(text).toMatch(/;$/);
    }
  });

  it("before a link or bold words rather than through them", () => {
    const formatted = formatMarkdown(`${"word ".repeat(12)}**bold words that stay together** end`);
    const [first, second] = cutText(formatted, 80);
    expect(first?.entities).toEqual([]);
    expect(second).toMatchObject({ entities: [{ type: "bold", offset: 0, length: 29 }] });
  });

  it("and nothing of a blank text", () => {
    expect(cutText(plain(" \n\n "))).toEqual([]);
    expect(cutText(plain(""))).toEqual([]);
  });
});

describe("whatever the text", () => {
  const word = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
    fc.constantFrom(
      "\n",
      "\n\n",
      ". ",
      " ",
      "😀",
      "👨‍👩‍👧‍👦",
      "**b c**",
      "`x y`",
      "\n```\na\nb\n```\n",
      "[l m](https://x.example)",
    ),
  );
  const input = fc.record({
    words: fc.array(word, { maxLength: 60 }),
    limit: fc.integer({ min: 12, max: 90 }),
  });

  it("every part fits, is well formed and not blank, and nothing but blanks is lost", () => {
    fc.assert(
      fc.property(input, ({ words, limit }) => {
        const whole = formatMarkdown(words.join(""));
        const parts = cutText(whole, limit);
        for (const { text } of parts) {
          expect(text.length).toBeLessThanOrEqual(limit);
          expect(text.trim()).not.toBe("");
          expect(text.isWellFormed()).toBe(true);
        }
        expect(
          parts
            .map(({ text }) => text)
            .join("")
            .replace(/\s/g, ""),
        ).toBe(whole.text.replace(/\s/g, ""));
      }),
    );
  });

  it("every character keeps its entities", () => {
    fc.assert(
      fc.property(input, ({ words, limit }) => {
        const whole = formatMarkdown(words.join(""));
        expect(cutText(whole, limit).flatMap(marksOf)).toEqual(marksOf(whole));
      }),
    );
  });
});

/** Each visible UTF-16 unit with the kinds of the entities over it. */
function marksOf({ text, entities }: FormattedText): string[] {
  return text.split("").flatMap((unit, at) => {
    const kinds = entities
      .filter(({ offset, length }) => at >= offset && at < offset + length)
      .map(({ type }) => type);
    return /\s/.test(unit) ? [] : [`${unit} ${kinds.join(",")}`];
  });
}
