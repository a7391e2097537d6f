import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatMarkdown } from "../../../protocols/telegram/markdown.ts";

/** The text, and each entity as `type:what it covers`. */
function shown(markdown: string) {
  const { text, entities } = formatMarkdown(markdown);
  return {
    text,
    entities: entities.map(({ type, offset, length }) => `${type}:${text.slice(offset, offset + length)}`),
  };
}

describe("Markdown becomes text with entities", () => {
  it.each([
    ["plain", "just words, 2 * 3 * 4 and a_b_c & <x>", "just words, 2 * 3 * 4 and a_b_c & <x>", []],
    ["bold", "a **b** c", "a b c", ["bold:b"]],
    ["nested", "**b _i_**", "b i", ["bold:b i", "italic:i"]],
    ["struck", "~~s~~", "s", ["strikethrough:s"]],
    ["code", "run `a<b && *c*`", "run a<b && *c*", ["code:a<b && *c*"]],
    ["code within bold, which Telegram does not allow", "**x `y`**", "x y", ["bold:x y"]],
    ["a fence", "x\n```ts\nlet a;\n\n  b\n```\ny", "x\n\nlet a;\n\n  b\n\ny", ["pre:let a;\n\n  b"]],
    ["a fence that is never closed", "```\nopen", "open", ["pre:open"]],
    ["a heading", "# T *i*\n\nx", "T i\n\nx", ["bold:T i", "italic:i"]],
    ["a link", "[l](https://x.example/?a=1&b=2)", "l", ["text_link:l"]],
    ["a link elsewhere", "[l](javascript:x)", "[l](javascript:x)", []],
    [
      "an address",
      "see https://x.example/a_b_c and a@x.example",
      "see https://x.example/a_b_c and a@x.example",
      [],
    ],
    ["a list", "- a\n- b **c**\n  1. d\n  2. e", "- a\n- b c\n  1. d\n  2. e", ["bold:c"]],
    ["a task list", "- [x] done\n- [ ] open", "- [x] done\n- [ ] open", []],
    ["a number that starts no list of its own", "1986. A year", "1986. A year", []],
    ["a quote", "> a\n> b\n\nc", "a\nb\n\nc", ["blockquote:a\nb"]],
    ["a table", "| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |", expect.any(Array)],
    ["escapes", "a\\*b\\*", "a*b*", []],
    ["broken marks", "**a _b** c_ [x](", "a _b c_ [x](", ["bold:a _b"]],
  ])("%s", (_name, markdown, text, entities) => {
    expect(shown(markdown)).toEqual({ text, entities });
  });

  it("keeps address and language beside the text", () => {
    expect(formatMarkdown("[l](https://x.example/)").entities[0]).toMatchObject({
      url: "https://x.example/",
    });
    expect(formatMarkdown("```sql\nx\n```").entities[0]).toMatchObject({ language: "sql" });
  });

  it("counts as Telegram does, in UTF-16 units", () => {
    expect(formatMarkdown("😀 **b**").entities).toEqual([{ type: "bold", offset: 3, length: 1 }]);
  });

  it("never throws, and every entity lies within the text", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "**",
        "*",
        "_",
        "`",
        "```",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "1. ",
        "[",
        "](https://x.example)",
        "~~",
        "|",
        "# ",
        "  ",
      ),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const { text, entities } = formatMarkdown(pieces.join(""));
        for (const { offset, length } of entities) {
          expect(length).toBeGreaterThan(0);
          expect(offset + length).toBeLessThanOrEqual(text.length);
        }
      }),
    );
  });
});
