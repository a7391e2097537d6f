import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eraseOwnJson, erasePacked, eraseText } from "../../../core/erase/erase-value.ts";
import { needleOf } from "../../../core/erase/needle.ts";
import { ERASED_TABLES } from "../../../core/erase/record-tables.ts";
import { isStructural } from "../../../core/erase/structure.ts";
import { TEXT_COLUMNS } from "../../../core/record/columns.ts";
import { ENCODERS } from "../../support/leaks.ts";

const ADDRESS = "Änne.Müller+post@example.org";
const erased = (text: string, of = ADDRESS) => eraseText(text, needleOf(of));

/** For JSON, each character. */
const escaped = (text: string) =>
  Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");

describe("a text that is erased", () => {
  it.each([
    ["as it is", `Write to ${ADDRESS}, please.`],
    ["in other letters", `Write to ${ADDRESS.toUpperCase()}, please.`],
    ["with its marks apart", `Write to ${ADDRESS.normalize("NFD")}, please.`],
    ["in an address of the web", `Write to ${encodeURIComponent(ADDRESS)}, please.`],
    ["escaped for HTML", `Write to ${ADDRESS.replace("@", "&#64;").replace("Ä", "&#xC4;")}, please.`],
  ])("is found %s", (_name, text) => {
    expect(erased(text)).toBe("Write to [erased], please.");
  });

  it("is found in JSON in JSON in JSON, which stays JSON", () => {
    const quoted = 'Anna "die Kurze" C:\\Müller';
    const once = escaped(quoted);
    for (const inner of [quoted, once]) {
      let text = inner === once ? `{"name":"${once}"}` : JSON.stringify({ name: quoted, age: 7 });
      for (let depth = 0; depth < 3; depth += 1) {
        const result = erased(text, quoted);
        expect(result).toContain("[erased]");
        expect(result).not.toContain("Kurze");
        expect(() => JSON.parse(result)).not.toThrow();
        text = JSON.stringify({ inner: text });
      }
    }
  });

  it("is found across a line break, and as a number", () => {
    expect(erased("Herr Hans\n   Meier schreibt", "hans meier")).toBe("Herr [erased] schreibt");
    expect(JSON.parse(erased('{"phone": 4915112345678, "n": 1}', "4915112345678"))).toEqual({
      phone: "[erased]",
      n: 1,
    });
    expect(erased('{"anna@example.org": 1}', "anna@example.org")).toBe('{"[erased]": 1}');
  });

  it("leaves keys and structure of our own JSON alone, whatever they are called", () => {
    const row = { kind: "audit", row: { status: "completed", content: "completed", runId: "a.completed" } };
    expect(JSON.parse(eraseOwnJson(JSON.stringify(row), needleOf("completed")))).toEqual({
      kind: "audit",
      row: { status: "completed", content: "[erased]", runId: "a.completed" },
    });
    expect(JSON.parse(eraseOwnJson('{"content":"content"}', needleOf("content")))).toEqual({
      content: "[erased]",
    });
    expect(erasePacked("=anna@example.org", false, needleOf("anna@example.org"))).toBe("=[erased]");
  });

  it("property: goes, however often and however it is encoded, and takes nothing else along", () => {
    const word = fc.string({ unit: "grapheme", minLength: 4, maxLength: 30 }).filter((text) => {
      const trimmed = text.trim().normalize("NFC");
      return (
        trimmed.length >= 4 &&
        !/[^\S ]/u.test(trimmed) &&
        /[a-z0-9]/i.test(trimmed) &&
        !"[erased]".includes(trimmed.toLowerCase())
      );
    });
    const encoder = fc.constantFrom((text: string) => text, ENCODERS.json, escaped, ENCODERS.url);
    fc.assert(
      fc.property(
        word,
        encoder,
        fc.array(fc.constantFrom("ipsum ", "42 ", "\n", "- ")),
        (given, encode, others) => {
          const text = given.trim().normalize("NFC").toWellFormed();
          fc.pre(!others.join("").includes(text));
          const needle = needleOf(text);
          const spelled = encode?.(text) ?? text;
          const whole = `${others.join("")}${spelled}|${others.join("")}`;
          const result = needle.erase(whole);
          expect(needle.count(result)).toBe(0);
          expect(result).toBe(`${others.join("")}[erased]|${others.join("")}`);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("property: is found by what SQL looks for first", () => {
    const like = (pattern: string, text: string) =>
      text.toLowerCase().includes(pattern.replaceAll("%", "").toLowerCase());
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 4, maxLength: 60 }), (given) => {
        const text = given.normalize("NFC");
        const { likes } = needleOf(text);
        for (const pattern of likes) expect(new TextEncoder().encode(pattern).length).toBeLessThanOrEqual(50);
        for (const spelled of [text, JSON.stringify(text), text.normalize("NFD"), escaped(text)])
          expect(likes.some((pattern) => like(pattern, spelled))).toBe(true);
      }),
    );
  });
});

describe("the record's text columns", () => {
  it("are erased or named as structure: a new one is erased by itself", () => {
    const left = Object.entries(TEXT_COLUMNS).flatMap(([table, columns]) =>
      columns
        .filter(
          (column) =>
            !ERASED_TABLES.some(({ name, columns: erased }) => name === table && erased.includes(column)) &&
            !isStructural(column),
        )
        .map((column) => `${table}.${column}`),
    );
    expect(left.filter((name) => !/^(AdminLog|Archive|MirrorQueue)/.test(name))).toEqual([]);
  });
});
