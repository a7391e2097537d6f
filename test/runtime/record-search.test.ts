import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { listMessages } from "../../core/record/list-messages.ts";
import type { MessageFilter } from "../../core/record/message-filter.ts";
import { createReader } from "../../core/record/reader.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import { at, messageRow, messagesOnly } from "../support/record-rows.ts";

const TEXTS: Record<string, string> = {
  german: "Zu den Rückfragen über die Straße: Grüße aus Köln",
  decomposed: "Zu den Ru\u0308ckfragen u\u0308ber die Brücke",
  english: 'He said "NOT now", asked for AB-123 and foo\'bar * col:x',
  capitals: "DIE STRAẞE IST GESPERRT",
  russian: "Который час?",
  emoji: "Geschafft 🎉🎉🎉 und weiter",
  long: `${"wort ".repeat(3_000)}Schlusswort`,
  short: "ja",
};

beforeAll(async () => {
  const rows = Object.entries(TEXTS).map(([uid, content], index) =>
    messageRow(uid, { content, occurredAt: at(index) }),
  );
  const others = [
    messageRow("other-pair", { fromAgentId: "writer", toAgentId: "reviewer", content: "Rückfragen an alle" }),
    messageRow("same-letters", { fromAgentId: "Analyst", content: "Rückfragen eines anderen" }),
    messageRow("longer-name", {
      fromAgentId: "myanalyst",
      toAgentId: "writer2",
      content: "Rückfragen ohne Ende",
    }),
  ];
  await writeRecord(env.DB, env.TEXTS, messagesOnly([...rows, ...others]));
});

async function search(q: string, filter: MessageFilter = { a: "analyst", b: "writer" }) {
  const result = await listMessages(createReader(env.DB), { ...filter, q });
  if (!result.ok) throw new Error(result.problem.code);
  return { uids: result.page.messages.map((m) => m.uid), partial: result.page.partial };
}

describe("search", () => {
  const found: [string, string[]][] = [
    ["frage", ["german", "decomposed"]],
    ["uber", ["german", "decomposed"]],
    ["über", ["german", "decomposed"]],
    ["u\u0308ber", ["german", "decomposed"]],
    ["strasse", ["german", "capitals"]],
    ["Straße", ["german", "capitals"]],
    ["STRAẞE", ["german", "capitals"]],
    ["grusse koln", ["german"]],
    ["который", ["russian"]],
    ["🎉🎉🎉", ["emoji"]],
    ["🎉", ["emoji"]],
    ["ab-123", ["english"]],
    ["foo'bar", ["english"]],
    ['"not', ["english"]],
    ["col:x", ["english"]],
    ["NOT", ["english"]],
    ["frage NOT", []],
    ["schlusswort", ["long"]],
    ["ja", ["short"]],
    ["zu frage", ["german", "decomposed"]],
    ["ü fragen brucke", ["decomposed"]],
  ];

  it.each(found)("finds %j", async (q, uids) => {
    expect((await search(q)).uids).toEqual(uids);
  });

  it.each(["", " ", "\0", "\u0301", "\t\n"])("takes %j for no search at all", async (q) => {
    const all = await search(q);
    expect(all).toEqual({ uids: Object.keys(TEXTS), partial: false });
  });

  it.each([
    '"',
    "'",
    "*",
    "-",
    "(",
    "^",
    "{}",
    "AND",
    "OR x",
    "NEAR(a b)",
    "Pair : x",
    '"""',
    "\ud800",
    "x\0y",
    "%_",
    "\\",
  ])("answers %j without an error", async (q) => {
    const { uids } = await search(q);
    expect(uids.every((uid) => uid in TEXTS)).toBe(true);
  });

  it("answers 10,000 characters, as one word and as many, and says that it did not look at all of them", async () => {
    expect(await search("q".repeat(10_000))).toEqual({ uids: [], partial: true });
    expect(await search("wort ".repeat(2_000))).toEqual({ uids: ["long"], partial: true });
    const words = Array.from({ length: 2_000 }, (_, n) => `w${n}x`).join(" ");
    expect(await search(words)).toEqual({ uids: [], partial: true });
  });

  it("looks at the whole of a word that is longer than the index is asked for", async () => {
    expect((await search("wort ".repeat(3_000).trim())).uids).toEqual(["long"]);
    expect((await search(`${"Schlusswort"}${"x".repeat(60)}`)).uids).toEqual([]);
  });

  it("says partial for words that only the newest rows are compared with", async () => {
    expect((await search("ja")).partial).toBe(true);
    expect((await search("frage")).partial).toBe(false);
  });

  it("keeps to the pair, whatever its letters have in common with another", async () => {
    expect((await search("rückfragen")).uids).toEqual(["german", "decomposed"]);
    expect((await search("rückfragen", { a: "Analyst", b: "writer" })).uids).toEqual(["same-letters"]);
    expect((await search("rückfragen", { a: "reviewer" })).uids).toEqual(["other-pair"]);
    expect((await search("rückfragen", { a: 'x" OR "', b: "\0" })).uids).toEqual([]);
  });

  it("searches everything without an agent", async () => {
    expect((await search("rückfragen", {})).uids).toHaveLength(5);
  });
});
