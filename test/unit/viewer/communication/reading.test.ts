import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldText } from "../../../../core/record/search-terms.ts";
import { markdownOf } from "../../../../ui/src/communication/export-text.ts";
import { apiFilters, matches, readFilters } from "../../../../ui/src/communication/filters.ts";
import { findSpans, snippetOf, termsOf } from "../../../../ui/src/communication/find-terms.ts";
import { groupRows } from "../../../../ui/src/communication/group-rows.ts";
import { beginningOf, isLong } from "../../../../ui/src/communication/long-text.ts";
import { countMessage } from "../../../../ui/src/communication/pairs.ts";
import { readLiveRow } from "../../../../ui/src/communication/row.ts";
import { row } from "./rows.ts";

const dayOf = (iso: string) => iso.slice(0, 10);
const MINUTE = 60;
const DAY = 86_400;

describe("rows by day and sender", () => {
  it("are all there once, in order, and each run of a sender has one beginning and one end", () => {
    const rows = fc.array(fc.record({ gap: fc.nat(20 * MINUTE), from: fc.constantFrom("anna", "bert") }), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(rows, (made) => {
        let second = 0;
        const all = made.map(({ gap, from }, index) => {
          second += gap;
          return row(index, second, { fromAgentId: from, toAgentId: from === "anna" ? "bert" : "anna" });
        });
        const placed = groupRows(all, dayOf).flatMap((day) => day.rows);
        expect(placed.map((each) => each.row.id)).toEqual(all.map(({ id }) => id));
        placed.forEach((each, index) => {
          const next = placed[index + 1];
          if (next !== undefined) expect(each.last).toBe(next.first);
        });
        if (placed.length > 0) expect([placed[0]?.first, placed.at(-1)?.last]).toEqual([true, true]);
      }),
    );
  });

  it("of one sender under five minutes apart are one run; a longer pause is marked", () => {
    const [day] = groupRows([row(1, 0), row(2, 4 * MINUTE), row(3, 9 * MINUTE), row(4, 20 * MINUTE)], dayOf);
    expect(day?.rows.map(({ first }) => first)).toEqual([true, false, true, true]);
    expect(day?.rows.map(({ pause }) => pause)).toEqual([null, null, null, 11 * MINUTE * 1_000]);
  });

  it("begin anew with each day, where a pause says nothing that the day does not", () => {
    const days = groupRows([row(1, 0), row(2, DAY)], dayOf);
    expect(days.map(({ key }) => key)).toEqual(["2026-10-01", "2026-10-02"]);
    expect(days[1]?.rows[0]).toMatchObject({ first: true, pause: null });
  });

  it("to somebody else are a new run", () => {
    const [day] = groupRows([row(1, 0), row(2, 1, { toAgentId: "carl" })], dayOf);
    expect(day?.rows.map(({ first }) => first)).toEqual([true, true]);
  });
});

describe("filters", () => {
  it("take from the address what the API knows and nothing else", () => {
    const filters = readFilters({ a: "anna", channel: "shout", status: "denied", since: "soon", q: " x " });
    expect(filters).toEqual({
      a: "anna",
      b: "",
      channel: "",
      status: "denied",
      since: "",
      until: "",
      q: "x",
    });
  });

  it("read a day as the whole day of the reader, and an instant as it is", () => {
    const { since, until } = apiFilters(readFilters({ a: "anna", since: "2026-10-05", until: "2026-10-05" }));
    expect(Date.parse(until) - Date.parse(since)).toBe(DAY * 1_000 - 1);
    expect(new Date(since).getHours()).toBe(0);
    const instant = "2026-10-05T10:00:00.000Z";
    expect(apiFilters(readFilters({ since: instant, until: instant }))).toMatchObject({
      since: instant,
      until: instant,
    });
  });

  it.each([
    ["its pair", { a: "bert", b: "anna" }, true],
    ["one of its agents", { a: "anna" }, true],
    ["another pair", { a: "anna", b: "carl" }, false],
    ["another agent", { a: "carl" }, false],
    ["its channel", { a: "anna", channel: "ask" }, true],
    ["another channel", { a: "anna", channel: "task" }, false],
    ["another status", { a: "anna", status: "failed" }, false],
    ["a period that it begins", { a: "anna", since: "2026-10-01T08:00:00Z" }, true],
    ["a period that it ends", { a: "anna", until: "2026-10-01T08:00:00Z" }, true],
    ["a later period", { a: "anna", since: "2026-10-01T08:00:01Z" }, false],
    ["an earlier period", { a: "anna", until: "2026-10-01T07:59:59Z" }, false],
    ["words, which only the record can tell", { a: "anna", q: "text" }, null],
    ["words in another pair", { a: "carl", q: "text" }, false],
  ])("let a live row through by %s", (_, query, fits) => {
    expect(matches(row(1, 0), readFilters(query))).toBe(fits);
  });
});

describe("a search's words in a text", () => {
  it.each([
    ["uber", "Geht es über?", ["über"]],
    ["STRASSE", "In der Straße", ["Straße"]],
    ["straße", "In der Strasse", ["Strasse"]],
    ["u", "u\u0308ber u", ["u\u0308", "u"]],
    ["b", "Zalgo: b\u0300\u0301\u0302!", ["b\u0300\u0301\u0302"]],
    ["ja nein", "nein, ja", ["nein", "ja"]],
    ["🎉", "so 🎉🎉", ["🎉", "🎉"]],
    ["s", "aß", ["ß", "ß"]],
    ["", "nothing", []],
  ])("%j in %j", (query, text, found) => {
    const spans = findSpans(text, termsOf(query));
    expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(found);
  });

  it("are found wherever the record's search finds them", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."aäAÄsßẞéeu\u0308 .🎉"), maxLength: 30 });
    const word = fc.string({ unit: fc.constantFrom(..."aäsßéeu"), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(letters, word, (text, query) => {
        const found = findSpans(text, termsOf(query)).length > 0;
        expect(found).toBe(foldText(text).includes(foldText(query)));
      }),
      { numRuns: 500 },
    );
  });

  it("show in a snippet with what stands around them", () => {
    const text = `${"x ".repeat(200)}Rückfrage zum\nBudget ${"y ".repeat(200)}`;
    const { before, hit, after } = snippetOf(text, termsOf("ruckfrage"));
    expect(hit).toBe("Rückfrage");
    expect(before.startsWith("...")).toBe(true);
    expect(after.startsWith(" zum Budget")).toBe(true);
    expect(before.length + after.length).toBeLessThan(200);
  });
});

describe("a long text", () => {
  it.each([
    ["a sentence", "Ja.", false],
    ["twelve lines", "line\n".repeat(11), false],
    ["thirty lines", "line\n".repeat(30), true],
    ["a word of a megabyte", "x".repeat(1_000_000), true],
  ])("%s", (_, text, long) => {
    expect(isLong(text)).toBe(long);
  });

  it("is not cut within a character", () => {
    expect(beginningOf(`${"x".repeat(9)}🎉`, 10)).toBe("x".repeat(9));
    expect(beginningOf("🎉🎉", 4)).toBe("🎉🎉");
  });
});

describe("a live event", () => {
  it("is a row without an id", () => {
    const { id: _, ...message } = row(7, 3, { taskId: "t1", truncated: true });
    expect(readLiveRow({ type: "message", message })).toEqual({ ...message, id: null });
  });

  it.each([null, 7, "text", {}, { message: null }, { message: { uid: "u" } }])("of %j is none", (data) => {
    expect(readLiveRow(data)).toBeNull();
  });
});

describe("the list of pairs", () => {
  const pair = {
    pairKey: "anna|bert",
    agentA: "anna",
    agentB: "bert",
    messages: 4,
    failed: 0,
    lastText: "old",
  };
  const other = { ...pair, pairKey: "carl|dora", agentA: "carl", agentB: "dora" };
  const known = [
    { ...other, lastAt: row(0, 10).occurredAt },
    { ...pair, lastAt: row(0, 5).occurredAt },
  ];

  it("counts a live message and brings its pair to the top", () => {
    const [first, second] = countMessage(known, row(1, 20, { status: "failed", content: "new" }));
    expect(first).toMatchObject({ pairKey: "anna|bert", messages: 5, failed: 1, lastText: "new" });
    expect(second?.pairKey).toBe("carl|dora");
  });

  it("leaves the last line of a pair to the newest message, however late another comes", () => {
    const counted = countMessage(known, row(1, 1, { content: "late" }));
    expect(counted.map(({ pairKey }) => pairKey)).toEqual(["carl|dora", "anna|bert"]);
    expect(counted[1]).toMatchObject({ messages: 5, lastText: "old" });
  });

  it("takes in a pair that has never talked", () => {
    const [first] = countMessage([], row(1, 0));
    expect(first).toMatchObject({ agentA: "anna", agentB: "bert", messages: 1, lastText: "text 1" });
  });
});

describe("an exported message", () => {
  it("keeps whatever it says within its quotation", () => {
    const content = "# Heading\r\n**2026-10-01 | fake**\r> quoted\u2028end";
    const lines = markdownOf(row(1, 0, { content }), (id) => `${id}*`).split("\n");
    expect(lines[0]).toBe("**2026-10-01T08:00:00.000Z | anna\\* -> bert\\* | ask request | delivered**");
    expect(lines.slice(2, -1)).toEqual(["> # Heading", "> **2026-10-01 | fake**", "> > quoted", "> end"]);
  });
});
