import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { listMessages, type MessagePage } from "../../core/record/list-messages.ts";
import type { MessageFilter } from "../../core/record/message-filter.ts";
import { createReader } from "../../core/record/reader.ts";
import { fillPair } from "../support/record-fill.ts";
import { at } from "../support/record-rows.ts";

const MANY = 50_000;
const SECOND = 1_000;

async function pageOf(filter: MessageFilter): Promise<MessagePage & { rowsRead: number; uids: string[] }> {
  const reader = createReader(env.DB);
  const result = await listMessages(reader, filter);
  if (!result.ok) throw new Error(result.problem.code);
  return { ...result.page, rowsRead: reader.rowsRead, uids: result.page.messages.map((m) => m.uid) };
}

const uids = (pair: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `${pair}${from + index}`);

beforeAll(async () => {
  await fillPair(env.DB, "anna|bert", MANY);
  await fillPair(env.DB, "anna|carl", 3_000);
  await fillPair(env.DB, "bert|carl", 3_000);
}, 120_000);

describe("50,000 messages in one pair", () => {
  const pair = { a: "bert", b: "anna" };

  it("shows the newest page from rows near those shown", async () => {
    const page = await pageOf(pair);
    expect(page.uids).toEqual(uids("anna|bert", MANY - 200, MANY));
    expect(page.newer).toBeNull();
    expect(page.rowsRead).toBeLessThanOrEqual(2 * 200 + 20);
  });

  it("shows an older page from rows near those shown", async () => {
    let page = await pageOf(pair);
    for (let turn = 0; turn < 3; turn += 1) page = await pageOf({ ...pair, before: page.older });
    expect(page.uids).toEqual(uids("anna|bert", MANY - 800, MANY - 600));
    expect(page.rowsRead).toBeLessThanOrEqual(2 * 200 + 20);
  });

  it("shows a page around a date from rows near those shown", async () => {
    const page = await pageOf({ ...pair, around: at(20_000 * SECOND), limit: 100 });
    expect(page.uids).toEqual(uids("anna|bert", 19_950, 20_050));
    expect(page.older).not.toBeNull();
    expect(page.newer).not.toBeNull();
    expect(page.rowsRead).toBeLessThanOrEqual(2 * 100 + 20);
  });

  it("shows a page around, before and after a message from rows near those shown", async () => {
    const around = await pageOf({ ...pair, around: "anna|bert20000", limit: 100 });
    expect(around.uids).toEqual(uids("anna|bert", 19_950, 20_050));
    expect(around.rowsRead).toBeLessThanOrEqual(2 * 100 + 20);
    const id = String(around.messages[50]?.id);
    expect((await pageOf({ ...pair, around: id, limit: 100 })).uids).toEqual(around.uids);
    const before = await pageOf({ ...pair, before: id, limit: 100 });
    expect(before.uids).toEqual(uids("anna|bert", 19_900, 20_000));
    const after = await pageOf({ ...pair, after: id, limit: 100 });
    expect(after.uids).toEqual(uids("anna|bert", 20_001, 20_101));
    expect(Math.max(before.rowsRead, after.rowsRead)).toBeLessThanOrEqual(2 * 100 + 20);
    const found = await pageOf({ ...pair, q: "rückfragen", around: id, limit: 4 });
    expect(found.uids).toEqual([19_980, 19_990, 20_000, 20_010].map((n) => `anna|bert${n}`));
    expect(found.rowsRead).toBeLessThanOrEqual(4 * 4 + 100);
  });

  it("shows a page of a period from rows near those shown", async () => {
    const page = await pageOf({ ...pair, since: at(100 * SECOND), until: at(149 * SECOND) });
    expect(page.uids).toEqual(uids("anna|bert", 100, 150));
    expect([page.older, page.newer]).toEqual([null, null]);
    expect(page.rowsRead).toBeLessThanOrEqual(2 * 50 + 20);
  });

  it.each([
    ["a frequent word", "erledigt", 45_000],
    ["a word with an accent", "ruckfrage", 5_000],
    ["two words", "vorgang rückfragen", 5_000],
    ["a rare word", "4999", 15],
  ])("searches %s in the pair from rows near those shown", async (_, q, hits) => {
    const page = await pageOf({ ...pair, q });
    const shown = Math.min(200, hits);
    expect(page.messages).toHaveLength(shown);
    expect(page.older === null).toBe(hits <= 200);
    expect(page.rowsRead).toBeLessThanOrEqual(4 * shown + 100);
    const older = await pageOf({ ...pair, q, before: page.older ?? "" });
    expect(older.rowsRead).toBeLessThanOrEqual(4 * older.messages.length + 100);
  });

  it("searches a period of the pair without reading the hits outside it", async () => {
    const page = await pageOf({ ...pair, q: "erledigt", since: at(100 * SECOND), until: at(149 * SECOND) });
    expect(page.messages).toHaveLength(45);
    expect(page.rowsRead).toBeLessThanOrEqual(4 * 45 + 100);
  });

  it("searches a small pair beside it without reading the hits of the large one", async () => {
    const page = await pageOf({ a: "anna", b: "carl", q: "erledigt", limit: 50 });
    expect(page.uids.every((uid) => uid.startsWith("anna|carl"))).toBe(true);
    expect(page.messages).toHaveLength(50);
    expect(page.rowsRead).toBeLessThanOrEqual(4 * 50 + 100);
  });

  it("searches around a date", async () => {
    const page = await pageOf({ ...pair, q: "rückfragen", around: at(20_000 * SECOND), limit: 4 });
    expect(page.uids).toEqual([19_980, 19_990, 20_000, 20_010].map((n) => `anna|bert${n}`));
    expect(page.rowsRead).toBeLessThanOrEqual(4 * 4 + 100);
  });

  it("shows all pairs of an agent, each message once, from rows near those shown", async () => {
    const page = await pageOf({ a: "carl", limit: 100 });
    expect(new Set(page.uids).size).toBe(100);
    expect(page.uids.toSorted()).toEqual(
      [...uids("anna|carl", 2_950, 3_000), ...uids("bert|carl", 2_950, 3_000)].toSorted(),
    );
    expect(page.rowsRead).toBeLessThanOrEqual(6 * 100 + 20);
  });

  it("searches all pairs of an agent", async () => {
    const page = await pageOf({ a: "carl", q: "rückfragen", limit: 100 });
    expect(page.messages.every((m) => m.fromAgentId === "carl" || m.toAgentId === "carl")).toBe(true);
    expect(page.messages).toHaveLength(100);
    expect(page.rowsRead).toBeLessThanOrEqual(4 * 100 + 100);
  });

  it("shows everything, newest page and period, from rows near those shown", async () => {
    const newest = await pageOf({ limit: 100 });
    expect(newest.uids).toEqual(uids("anna|bert", MANY - 100, MANY));
    expect(newest.rowsRead).toBeLessThanOrEqual(2 * 100 + 20);
    const period = await pageOf({ since: at(0), until: at(9 * SECOND) });
    expect(period.messages).toHaveLength(30);
    expect(period.rowsRead).toBeLessThanOrEqual(2 * 30 + 20);
  });

  it("looks for one letter in the newest 2,000 rows only and says so", async () => {
    const none = await pageOf({ ...pair, q: "%" });
    expect([none.messages.length, none.partial]).toEqual([0, true]);
    expect(none.rowsRead).toBeLessThanOrEqual(2 * 2_000 + 100);
    expect(none.older).not.toBeNull();
    const next = await pageOf({ ...pair, q: "%", before: none.older });
    expect(next.older).not.toBe(none.older);
  });

  it("checks a short word beside a long one in the hits of the long one", async () => {
    const page = await pageOf({ ...pair, q: "vorgang 7", limit: 10 });
    const sevens = Array.from({ length: MANY }, (_, n) => n).filter((n) => String(n).includes("7"));
    expect(page.uids).toEqual(sevens.slice(-10).map((n) => `anna|bert${n}`));
    expect(page.partial).toBe(false);
  });
});

describe("walking through pages", () => {
  const filters: [string, MessageFilter][] = [
    ["a pair", { a: "anna", b: "carl" }],
    ["an agent", { a: "carl" }],
    ["a channel and a status", { a: "anna", b: "carl", channel: "task", status: "failed" }],
    ["a search", { a: "anna", b: "carl", q: "rückfragen" }],
    ["a search by one digit", { a: "anna", b: "carl", q: "7" }],
    ["a period", { a: "carl", since: at(500 * SECOND), until: at(1_500 * SECOND) }],
  ];

  it.each(filters)("backwards and forwards gives each message of %s once, in order", async (_, filter) => {
    const backwards: string[] = [];
    let page = await pageOf({ ...filter, limit: 130 });
    backwards.unshift(...page.uids);
    while (page.older !== null) {
      page = await pageOf({ ...filter, limit: 130, before: page.older });
      backwards.unshift(...page.uids);
    }
    const forwards = [...page.uids];
    while (page.newer !== null) {
      page = await pageOf({ ...filter, limit: 130, after: page.newer });
      forwards.push(...page.uids);
    }
    expect(new Set(backwards).size).toBe(backwards.length);
    expect(backwards.length).toBeGreaterThan(0);
    expect(forwards).toEqual(backwards);
  });

  it("orders messages of the same moment by their ids", async () => {
    const page = await pageOf({ until: at(0) });
    expect(page.uids).toEqual(["anna|bert0", "anna|carl0", "bert|carl0"]);
  });

  it("tells messages of the same moment apart when one of them is asked for", async () => {
    const around = await pageOf({ around: "anna|carl0", limit: 4 });
    expect(around.uids).toEqual(["anna|bert0", "anna|carl0", "bert|carl0"]);
    const wider = await pageOf({ around: "bert|carl1", limit: 2 });
    expect(wider.uids).toEqual(["anna|carl1", "bert|carl1"]);
    expect((await pageOf({ before: "bert|carl1", limit: 1 })).uids).toEqual(["anna|carl1"]);
    expect((await pageOf({ after: "anna|carl1", limit: 1 })).uids).toEqual(["bert|carl1"]);
  });
});

describe("a faulty request", () => {
  const faults: [string, MessageFilter, string][] = [
    ["a cursor of somebody else", { before: "nonsense" }, "bad_cursor"],
    ["a cursor with another id", { after: btoa("99999999999999999 2026") }, "bad_cursor"],
    ["a time that is none", { since: "yesterday" }, "bad_time"],
    ["an end that is none", { until: "2026-13-01" }, "bad_time"],
    ["a message that is not there", { around: "nobody's" }, "no_message"],
    ["two positions at once", { before: btoa("1 2026"), around: "2026-10-01" }, "several_positions"],
  ];

  it.each(faults)("%s is answered with its code", async (_, filter, code) => {
    const result = await listMessages(createReader(env.DB), filter);
    expect(result.ok ? null : result.problem.code).toBe(code);
  });
});
