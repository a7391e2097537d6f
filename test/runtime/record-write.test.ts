import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { MAX_ROW_TEXT_BYTES, ROW_EXCERPT_BYTES } from "../../core/limits.ts";
import { getMessage } from "../../core/record/get-message.ts";
import { listMessages } from "../../core/record/list-messages.ts";
import { createReader } from "../../core/record/reader.ts";
import { type MessageRow, NO_ROWS } from "../../core/record/rows.ts";
import { utf8Bytes } from "../../core/record/stored-text.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import {
  approvalRow,
  at,
  auditRow,
  messageRow,
  messagesOnly,
  noticeRow,
  receiptRow,
  tickRow,
} from "../support/record-rows.ts";

const write = (...messages: MessageRow[]) => writeRecord(env.DB, env.TEXTS, messagesOnly(messages));
const count = async (table: string) =>
  (await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<{ n: number }>())?.n;
const idOf = async (uid: string) =>
  (await env.DB.prepare(`SELECT Id FROM AgentMessages WHERE Uid = ?`).bind(uid).first<{ Id: number }>())
    ?.Id ?? 0;
const hits = async (table: string, expression: string) =>
  (await env.DB.prepare(`SELECT rowid FROM ${table} WHERE ${table} MATCH ?`).bind(expression).all()).results
    .length;
const readBack = (uid: string) => getMessage(createReader(env.DB), env.TEXTS, uid);

describe("writing the record", () => {
  it("L3: writes every kind of row once, however often it is delivered", async () => {
    const rows = {
      messages: [messageRow("once")],
      audit: [auditRow("once")],
      receipts: [receiptRow("once")],
      notices: [noticeRow("once")],
      ticks: [tickRow("once")],
      approvals: [approvalRow("once")],
    };
    await writeRecord(env.DB, env.TEXTS, rows);
    await writeRecord(env.DB, env.TEXTS, rows);
    const tables = ["AgentMessages", "AuditLog", "RunReceipts", "Notices", "JobTicks", "Approvals"];
    expect(await Promise.all(tables.map(count))).toEqual([1, 1, 1, 1, 1, 1]);
    expect(await hits("AgentMessagesFts", '"text of once"')).toBe(1);
  });

  it("L2: keeps the first receipt of a run", async () => {
    await writeRecord(env.DB, env.TEXTS, { ...NO_ROWS, receipts: [receiptRow("twice")] });
    await writeRecord(env.DB, env.TEXTS, {
      ...NO_ROWS,
      receipts: [receiptRow("twice", { status: "failed" })],
    });
    const row = await env.DB.prepare("SELECT Status FROM RunReceipts WHERE RunId = 'twice'").first();
    expect(row).toEqual({ Status: "completed" });
  });

  it("writes all rows of a batch or none", async () => {
    const broken = { ...auditRow("broken"), tool: null };
    const rows = { ...messagesOnly([messageRow("with-broken")]), audit: [broken] };
    // @ts-expect-error a row that the table refuses
    await expect(() => writeRecord(env.DB, env.TEXTS, rows)).rejects.toThrow();
    expect(await readBack("with-broken")).toBeNull();
    expect(await hits("AgentMessagesFts", '"with-broken"')).toBe(0);
  });

  it("touches nothing without rows", async () => {
    expect(await writeRecord(env.DB, env.TEXTS, NO_ROWS)).toEqual({ rowsRead: 0, rowsWritten: 0 });
  });

  it("gives ids in the order of time, also to messages that arrive late", async () => {
    await write(messageRow("late-3", { occurredAt: at(3_000) }));
    await write(
      messageRow("late-1", { occurredAt: at(1_000) }),
      messageRow("late-1b", { occurredAt: at(1_000) }),
    );
    await write(messageRow("late-2", { occurredAt: at(2_000) }));
    const ids = await Promise.all(["late-1", "late-1b", "late-2", "late-3"].map(idOf));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(new Set(ids).size).toBe(4);
  });

  it("finds an id for every message of a crowded millisecond", async () => {
    const crowd = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) =>
        messageRow(`crowd-${from + index}`, { occurredAt: at(60_000) }),
      );
    await write(messageRow("after-crowd", { occurredAt: at(60_001) }));
    await write(...crowd(0, 1_500));
    await write(...crowd(1_500, 2_100));
    const stored = await env.DB.prepare(
      "SELECT count(*) AS n FROM AgentMessages WHERE Uid LIKE 'crowd-%'",
    ).first();
    expect(stored).toEqual({ n: 2_100 });
  });

  it("cuts audit arguments at 4,000 characters, inside no character", async () => {
    await writeRecord(env.DB, env.TEXTS, {
      ...NO_ROWS,
      audit: [auditRow("long", { arguments: `a${"😀".repeat(3_000)}` })],
    });
    const row = await env.DB.prepare("SELECT Arguments FROM AuditLog WHERE Uid = 'long'").first<{
      Arguments: string;
    }>();
    expect(row?.Arguments).toBe(`a${"😀".repeat(1_999)}`);
  });
});

describe("texts of any size", () => {
  const sizes: [string, string][] = [
    ["three-mb", "x".repeat(3_000_000)],
    ["four-byte", "😀".repeat(700_000)],
    ["just-fits", "y".repeat(MAX_ROW_TEXT_BYTES)],
    ["just-too-long", "ü".repeat(MAX_ROW_TEXT_BYTES / 2 + 1)],
  ];

  it.each(sizes)("L3: %s reads back whole", async (uid, content) => {
    await write(messageRow(uid, { content }));
    const message = await readBack(uid);
    expect(message?.content === content).toBe(true);
    expect(message?.truncated).toBe(false);
    const [row] = (
      await env.DB.prepare("SELECT Content, ContentRef FROM AgentMessages WHERE Uid = ?")
        .bind(uid)
        .all<{ Content: string; ContentRef: string | null }>()
    ).results;
    const tooLong = utf8Bytes(content) > MAX_ROW_TEXT_BYTES;
    expect(row?.ContentRef !== null).toBe(tooLong);
    expect(utf8Bytes(row?.Content ?? "")).toBeLessThanOrEqual(
      tooLong ? ROW_EXCERPT_BYTES : MAX_ROW_TEXT_BYTES,
    );
  });

  it("shows the beginning in lists and says so", async () => {
    await write(messageRow("list-long", { fromAgentId: "lister", content: "z".repeat(20_001) }));
    await write(
      messageRow("list-fits", { fromAgentId: "lister", content: "z".repeat(20_000), occurredAt: at(1) }),
    );
    const result = await listMessages(createReader(env.DB), { a: "lister" });
    const shown = result.ok ? result.page.messages.map((m) => [m.uid, m.content.length, m.truncated]) : [];
    expect(shown).toEqual([
      ["list-long", 20_000, true],
      ["list-fits", 20_000, false],
    ]);
  });

  it("finds words in the first 100,000 characters of a text that lies in R2", async () => {
    await write(
      messageRow("needle", { content: `${"hay ".repeat(20_000)}Nadelkissen${"hay ".repeat(600_000)}` }),
    );
    expect(await hits("AgentMessagesFts", '"nadelkissen"')).toBe(1);
  });

  it("stores NUL and lone surrogates as U+FFFD, so that nothing after them is lost", async () => {
    await write(messageRow("odd", { fromAgentId: "odd", content: "vor\0nach \ud800 ende" }));
    expect((await readBack("odd"))?.content).toBe("vor\uFFFDnach \uFFFD ende");
    const found = await listMessages(createReader(env.DB), { a: "odd", q: "ende" });
    expect(found.ok && found.page.messages.map((m) => m.content)).toEqual(["vor\uFFFDnach \uFFFD ende"]);
  });

  it("still shows the beginning when the text in R2 is gone", async () => {
    await write(messageRow("gone", { content: "g".repeat(MAX_ROW_TEXT_BYTES + 1) }));
    await env.TEXTS.delete("messages/gone");
    const message = await readBack("gone");
    expect([message?.truncated, message?.content.length]).toEqual([true, ROW_EXCERPT_BYTES]);
  });
});

describe("the search index", () => {
  it("follows updates and deletions", async () => {
    await write(messageRow("moving", { content: "zuerst Apfelkuchen" }));
    await env.DB.prepare("UPDATE AgentMessages SET Content = 'dann Birnenmus' WHERE Uid = 'moving'").run();
    expect([
      await hits("AgentMessagesFts", '"apfelkuchen"'),
      await hits("AgentMessagesFts", '"birnenmus"'),
    ]).toEqual([0, 1]);
    await env.DB.prepare("DELETE FROM AgentMessages WHERE Uid = 'moving'").run();
    expect(await hits("AgentMessagesFts", '"birnenmus"')).toBe(0);
  });

  it("holds exactly the ids of the table", async () => {
    const row = await env.DB.prepare(
      `SELECT (SELECT count(*) FROM AgentMessages m WHERE NOT EXISTS (SELECT 1 FROM AgentMessagesFts_docsize d WHERE d.id = m.Id)) AS missing,
        (SELECT count(*) FROM AgentMessagesFts_docsize) - (SELECT count(*) FROM AgentMessages) AS extra`,
    ).first();
    expect(row).toEqual({ missing: 0, extra: 0 });
  });
});
