import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eraseCell } from "../../../core/erase/erase-record.ts";
import { eraseOwnJson, erasePacked, eraseText } from "../../../core/erase/erase-value.ts";
import { newErasure, resumedErasure } from "../../../core/erase/job.ts";
import { needleOf } from "../../../core/erase/needle.ts";
import { ERASED_TABLES } from "../../../core/erase/record-tables.ts";
import { fittingRow } from "../../../core/erase/row-size.ts";
import { isLeftColumn } from "../../../core/erase/structure.ts";
import { walkObjects } from "../../../core/erase/walk-objects.ts";
import { MAX_ROW_TEXT_BYTES } from "../../../core/limits.ts";
import { TEXT_COLUMNS } from "../../../core/record/columns.ts";

const ADDRESS = "Änne.Müller+post@example.org";
const erased = (text: string, of = ADDRESS) => eraseText(text, needleOf(of));

/** For JSON, each character. */
const escaped = (text: string) =>
  Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");

/** Each character, for HTML. */
const entities = (text: string, radix: number) =>
  [...text]
    .map((char) => `&#${radix === 16 ? "x" : ""}${(char.codePointAt(0) ?? 0).toString(radix)};`)
    .join("");

/** Whole, or only what needs it. */
const percent = (text: string, mark = "%") =>
  [...new TextEncoder().encode(text)].map((byte) => mark + byte.toString(16).padStart(2, "0")).join("");
const quotedPrintable = (text: string) =>
  text.replace(/[^ -<>-~]/gu, (char) => percent(char, "=").toUpperCase());

/** How the world escapes whole texts, on top of what it does to single characters. */
const SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  escaped,
  encodeURIComponent,
  (text) => encodeURIComponent(encodeURIComponent(text)),
  (text) => percent(text),
  (text) => entities(text, 10),
  (text) => entities(text, 16),
  quotedPrintable,
  (text) => percent(text, "="),
  (text) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&apos;")
      .replaceAll("@", "&commat;"),
];

describe("a text that is erased", () => {
  it.each([
    ["as it is", `Write to ${ADDRESS}, please.`],
    ["in other letters", `Write to ${ADDRESS.toUpperCase()}, please.`],
    ["with its marks apart", `Write to ${ADDRESS.normalize("NFD")}, please.`],
    ["in an address of the web", `Write to ${encodeURIComponent(ADDRESS)}, please.`],
    ["in an address in an address", `Write to ${encodeURIComponent(encodeURIComponent(ADDRESS))}, please.`],
    ["as a form sends it", `Write to ${new URLSearchParams([["", ADDRESS]]).toString().slice(1)}, please.`],
    ["as mail does", `Write to ${quotedPrintable(ADDRESS)}, please.`],
    ["with named marks", `Write to ${ADDRESS.replace("@", "&commat;").replace("ü", "&uuml;")}, please.`],
    [
      "escaped for HTML twice",
      `Write to ${ADDRESS.replace("@", "&amp;#64;").replace("ü", "&amp;uuml;")}, please.`,
    ],
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
    for (const blank of ["+", "&#32;", "&#x20;", "&nbsp;", "&amp;nbsp;", "%2520", "=20"])
      expect(erased(`Frau Anna${blank}Beispiel`, "anna beispiel")).toBe("Frau [erased]");
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

  it.each([
    ["Settings", "name", "paused", "paus"],
    ["ToolState", "tool", "Telegram", "gram"],
    ["Approvals", "functionName", "MailSend", "mail"],
    ["Approvals", "Tool", "MailSend", "mail"],
    ["Tasks", "Creator", "@human", "human"],
    ["Tasks", "Assignee", "@new:clerk", "@new"],
    ["TaskEvents", "Actor", "@human", "human"],
  ])("leaves %s.%s, which is %s, alone though %s is an ordinary word", (table, column, name, word) => {
    expect(eraseCell(`${table}.${column}`, name, needleOf(word))).toBe(name);
    expect(eraseCell(`${table}.${column}`, `${name} of anna@example.org`, needleOf("anna@example.org"))).toBe(
      `${name} of [erased]`,
    );
  });

  it("leaves the names of functions alone in our own JSON, and when a job is due", () => {
    const answer = JSON.stringify({ toolCalls: [{ name: "MailSend", arguments: '{"to":"Mailand"}' }] });
    expect(eraseCell("Steps.answer", answer, needleOf("Mail"))).toBe(
      '{"toolCalls":[{"name":"MailSend","arguments":"{\\"to\\":\\"[erased]and\\"}"}]}',
    );
    const plan = '{"cron":"30 14 1 1 *","timeZone":"Europe/Berlin"}';
    for (const word of ["Berlin", "30 14"]) expect(eraseCell("Jobs.plan", plan, needleOf(word))).toBe(plan);
    const print = '{"terms":["termin"],"names":[],"marks":["4711"]}';
    expect(eraseCell("QuestionGroups.Print", print, needleOf("terms"))).toBe(print);
  });

  it("takes a shorter mark where the row would outgrow what the platform takes", () => {
    const full = "anna".repeat(MAX_ROW_TEXT_BYTES / 4);
    const { content } = fittingRow(needleOf("anna"), (eraser) => ({ content: eraser.erase(full) }));
    expect(content?.length).toBeLessThanOrEqual(MAX_ROW_TEXT_BYTES);
    expect(content?.slice(0, 6)).toBe("[x][x]");
    expect(fittingRow(needleOf("anna"), (eraser) => ({ content: eraser.erase("anna") }))).toEqual({
      content: "[erased]",
    });
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
    const encoder = fc.constantFrom(...SPELLINGS);
    fc.assert(
      fc.property(
        word,
        encoder,
        fc.array(fc.constantFrom("ipsum ", "42 ", "\n", "- ")),
        (given, encode, others) => {
          const text = given.trim().normalize("NFC").toWellFormed();
          fc.pre(!others.join("").includes(text));
          const needle = needleOf(text);
          const spelled = encode(text);
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
      new RegExp(pattern.slice(1, -1).replaceAll("\\", "\\\\").replaceAll("_", "."), "isu").test(text);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 4, maxLength: 60 }), (given) => {
        const text = given.normalize("NFC");
        const { likes } = needleOf(text);
        for (const pattern of likes) expect(new TextEncoder().encode(pattern).length).toBeLessThanOrEqual(50);
        for (const spell of SPELLINGS)
          for (const spelled of [spell(text), spell(text.normalize("NFD"))])
            expect(likes.some((pattern) => like(pattern, spelled))).toBe(true);
      }),
    );
  });
});

describe("the record's text columns", () => {
  it("have figures, ids and vectors left alone, whatever digits are erased", () => {
    const erasedColumns = ERASED_TABLES.flatMap(({ name, columns }) =>
      columns.map((column) => `${name}.${column}`),
    );
    for (const kept of [
      "MessageRollups.ByHour",
      "MessageRollups.Waits",
      "MessageRollups.Period",
      "RunRollups.Costs",
      "ChainRollups.Sums",
      "ChainFacts.ByDepth",
      "PingPongs.Messages",
      "QuestionGroups.Members",
      "QuestionGroups.Vector",
      "AnalysisState.CountedUpTo",
      "Mirror.Backfill",
    ])
      expect(erasedColumns).not.toContain(kept);
    expect(erasedColumns).toContain("QuestionGroups.Print");
    expect(erasedColumns).toContain("MessageRollups.FromAgentId");
  });

  it("are erased or named as structure: a new one is erased by itself", () => {
    const left = Object.entries(TEXT_COLUMNS).flatMap(([table, columns]) =>
      columns
        .filter(
          (column) =>
            !ERASED_TABLES.some(({ name, columns: erased }) => name === table && erased.includes(column)) &&
            !isLeftColumn(table, column),
        )
        .map((column) => `${table}.${column}`),
    );
    expect(left.filter((name) => !/^(AdminLog|Archive|MirrorQueue)/.test(name))).toEqual([]);
  });
});

describe("an erasure that was cut short", () => {
  const begun = { ...newErasure(false, 0), pass: 2, part: 3, lastAt: 1_000, found: { agents: 4 } };

  it("goes on where it was, but after an hour from the beginning: what was looked at then proves nothing", () => {
    expect(resumedErasure(begun, 3_601_000)).toBe(begun);
    expect(resumedErasure(begun, 3_601_001)).toEqual({
      ...newErasure(false, 3_601_001),
      found: { agents: 4 },
    });
    expect(resumedErasure({ ...begun, dryRun: true }, 9_000_000).found).toEqual({});
  });
});

describe("objects that are gone over", () => {
  const pages = (names: readonly string[]) => async (place: string | null) => {
    const from = Number(place ?? 0);
    return { names: names.slice(from, from + 30), next: from + 30 < names.length ? String(from + 30) : null };
  };
  const many = Array.from({ length: 70 }, (_, n) => `a@${String(n).padStart(2, "0")}`);

  it("are few in one step, each to its end and once, however large it is", async () => {
    const visited: string[] = [];
    let [place, found, most]: [string | null, number, number] = [null, 0, 0];
    do {
      const before = visited.length;
      const done = await walkObjects(
        [pages(many), async () => ({ names: [], next: null }), pages(["chain"])],
        async (name, from) => {
          visited.push(`${name} ${from?.key ?? ""}`);
          const next = name === "a@03" && from?.key[0] !== 40 ? Number(from?.key[0] ?? 0) + 1 : null;
          return { found: 1, next: next === null ? null : { table: "T", key: [next] } };
        },
        place,
      );
      [place, found, most] = [done.next, found + done.found, Math.max(most, visited.length - before)];
    } while (place !== null);
    const large = Array.from({ length: 41 }, (_, n) => `a@03 ${n === 0 ? "" : n}`);
    expect(most).toBeLessThanOrEqual(25);
    expect(found).toBe(visited.length);
    expect(visited).toEqual([...many, "chain"].flatMap((name) => (name === "a@03" ? large : [`${name} `])));
  });
});
