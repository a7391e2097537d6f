import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const documents = ["README.md", "AGENTS.md", ...markdownIn("docs"), ...markdownIn("docs/decisions")];

function markdownIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
}

describe("the documentation", () => {
  it.each(documents)("%s links only to files that exist", (document) => {
    const links = [...readFileSync(document, "utf8").matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)];
    const dead = links
      .map(([, path = ""]) => join(dirname(document), path))
      .filter((path) => !existsSync(path));
    expect(dead).toEqual([]);
  });

  it("names for each known failure only tests that exist", () => {
    const text = readFileSync("docs/known-failures.md", "utf8");
    const named = [
      ...text.matchAll(/`((?:runtime|unit|process|viewer)\/[\w/-]+)`: ((?:"[^"]+"(?:; |, )?)+)/g),
    ];
    expect(named.length).toBeGreaterThan(80);
    const unknown = named.flatMap(([, file = "", titles = ""]) => {
      const source = readFileSync(`test/${file}.test.ts`, "utf8");
      return [...titles.matchAll(/"([^"]+)"/g)]
        .filter(([, title = ""]) => !source.includes(title))
        .map(([, title]) => `${file}: ${title}`);
    });
    expect(unknown).toEqual([]);
  });

  it("shows each decision as a file of its own number", () => {
    const numbers = readdirSync("docs/decisions").map((name) => Number(name.slice(0, 4)));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });
});
