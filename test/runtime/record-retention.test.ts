import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { MAX_ROW_TEXT_BYTES } from "../../core/limits.ts";
import { deleteOldMessages } from "../../core/record/delete-old-messages.ts";
import { listMessages } from "../../core/record/list-messages.ts";
import { createReader } from "../../core/record/reader.ts";
import { writeRecord } from "../../core/record/write-record.ts";
import { at, messageRow, messagesOnly } from "../support/record-rows.ts";

const clean = (olderThan: string, batchRows: number) =>
  deleteOldMessages(env.DB, env.TEXTS, { olderThan, batchRows });

async function left(q?: string): Promise<string[]> {
  const result = await listMessages(createReader(env.DB), { q });
  return result.ok ? result.page.messages.map((message) => message.uid) : [];
}

async function texts(): Promise<string[]> {
  return (await env.TEXTS.list()).objects.map((object) => object.key);
}

it("deletes old messages in batches, oldest first, with their texts and their place in the index", async () => {
  const long = "Archiv".padEnd(MAX_ROW_TEXT_BYTES + 1, ".");
  const rows = Array.from({ length: 10 }, (_, n) =>
    messageRow(`m${n}`, { occurredAt: at(n), content: n === 1 || n === 8 ? long : `Vorgang ${n}` }),
  );
  await writeRecord(env.DB, env.TEXTS, messagesOnly(rows));
  expect(await texts()).toEqual(["messages/m1", "messages/m8"]);

  expect(await clean(at(5), 3)).toMatchObject({ deleted: 3, more: true });
  expect(await left()).toEqual(["m3", "m4", "m5", "m6", "m7", "m8", "m9"]);
  expect(await left("vorgang")).toEqual(["m3", "m4", "m5", "m6", "m7", "m9"]);
  expect(await texts()).toEqual(["messages/m8"]);

  expect(await clean(at(5), 3)).toMatchObject({ deleted: 2, more: false });
  expect(await clean(at(5), 3)).toMatchObject({ deleted: 0, more: false });
  expect(await left()).toEqual(["m5", "m6", "m7", "m8", "m9"]);
  expect(await left("archiv")).toEqual(["m8"]);
});

it("takes up a batch that was cut short after its texts had gone", async () => {
  await env.TEXTS.delete("messages/m8");
  expect(await clean(at(9), 100)).toMatchObject({ deleted: 4, more: false });
  expect(await left()).toEqual(["m9"]);
});

it("reads near what it deletes, whatever the table's size", async () => {
  const rows = Array.from({ length: 500 }, (_, n) => messageRow(`later${n}`, { occurredAt: at(1_000 + n) }));
  await writeRecord(env.DB, env.TEXTS, messagesOnly(rows));
  const { deleted, rowsRead } = await clean(at(10), 100);
  expect(deleted).toBe(1);
  expect(rowsRead).toBeLessThanOrEqual(20);
});
