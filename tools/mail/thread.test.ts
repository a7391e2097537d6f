import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { headerProblem } from "../../protocols/smtp/header-text.ts";
import { replySubject, threadOf } from "../../protocols/smtp/thread.ts";
import { memoryState } from "../../test/support/tool-context.ts";
import { MAX_REPLIES_PER_HOUR, MAX_SENDS_PER_HOUR, takeSend } from "./reply-limit.ts";

const marks = (messageId: string | null, references = "", inReplyTo = "") => ({
  messageId,
  references,
  inReplyTo,
});

describe("an answer's thread", () => {
  it("goes on from the original's references", () => {
    expect(threadOf(marks("<c@x.example>", "<a@x.example>\r\n <b@x.example>"))).toEqual({
      inReplyTo: "<c@x.example>",
      references: ["<a@x.example>", "<b@x.example>", "<c@x.example>"],
      root: "<a@x.example>",
    });
  });

  it("starts with what the original answers when it gives no references", () => {
    const thread = threadOf(marks("<b@x.example>", "", "<a@x.example> <z@x.example>"));
    expect(thread?.references).toEqual(["<a@x.example>", "<b@x.example>"]);
    expect(threadOf(marks("<a@x.example>"))?.references).toEqual(["<a@x.example>"]);
  });

  it("keeps the first and the last ids of a long one", () => {
    const ids = Array.from({ length: 100 }, (_, index) => `<${index}@x.example>`);
    const thread = threadOf(marks("<end@x.example>", ids.join(" ")));
    expect(thread?.references).toHaveLength(20);
    expect(thread?.references.at(0)).toBe("<0@x.example>");
    expect(thread?.references.slice(-2)).toEqual(["<99@x.example>", "<end@x.example>"]);
  });

  it("takes nothing over that is no Message-ID", () => {
    const evil = "<a@x.example> <b\u0000@x> <no-at> <=?utf-8?q?x?=@x.example> text";
    expect(threadOf(marks("<c@x.example>", evil))?.references).toEqual(["<a@x.example>", "<c@x.example>"]);
    for (const id of [null, "", "c@x.example", "<c>", "<a b@x>", "<a@x> <b@x>", `<${"a".repeat(300)}@x>`]) {
      expect(threadOf(marks(id))).toBeNull();
    }
  });
});

describe("an answer's subject", () => {
  it("says Re once", () => {
    expect(["Hello", "Re: Hello", "RE:re : Re: Hello"].map(replySubject)).toEqual(Array(3).fill("Re: Hello"));
  });

  it("may always stand in a header", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.constant("a\r\nBcc: b =?utf-8?q?=0D?= \u202e")),
        (text) => {
          expect(headerProblem(replySubject(text))).toBeNull();
        },
      ),
    );
  });
});

describe("answers in one thread", () => {
  it("are counted by the hour", async () => {
    const state = memoryState();
    const take = (now: number, root = "<a@x.example>") => takeSend(state, { root, recipients: [] }, now);
    const taken = [];
    for (let count = 0; count <= MAX_REPLIES_PER_HOUR; count += 1) taken.push(await take(count));
    expect(taken).toEqual([...Array(MAX_REPLIES_PER_HOUR).fill(null), "thread"]);
    expect(await take(10, "<other@x.example>")).toBeNull();
    expect(await take(3_600_000)).toBeNull();
    expect(await take(3_600_000)).toBe("thread");
  });

  it("are forgotten when the thread has been quiet, and name nobody", async () => {
    const state = memoryState();
    await takeSend(state, { root: "<a@x.example>", recipients: ["ann@x.example"] }, 0);
    await takeSend(state, { root: "<b@x.example>", recipients: ["bob@x.example"] }, 3_600_000);
    const keys = await state.list("");
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(key).toMatch(/^sent\/000000003600000\/[0-9a-f]{32}\/[0-9a-f-]{36}$/);
  });

  it("at the same time are all counted", async () => {
    const state = memoryState();
    const take = () => takeSend(state, { root: "<a@x.example>", recipients: [] }, 5);
    const taken = await Promise.all(Array.from({ length: MAX_REPLIES_PER_HOUR }, take));
    expect(taken).toEqual(Array(MAX_REPLIES_PER_HOUR).fill(null));
    expect(await Promise.all([take(), take()])).toEqual(["thread", "thread"]);
  });
});

describe("mail to one recipient", () => {
  it("is counted by the hour, whether it answers something or not", async () => {
    const state = memoryState();
    const take = (recipients: readonly string[], now: number) =>
      takeSend(state, { root: null, recipients }, now);
    const taken = [];
    for (let count = 0; count < MAX_SENDS_PER_HOUR; count += 1)
      taken.push(await take(["Ann@x.example"], count));
    expect(taken).toEqual(Array(MAX_SENDS_PER_HOUR).fill(null));
    expect(await take(["ann@x.example"], 100)).toBe("recipient");
    expect(await take(["bob@x.example"], 100)).toBeNull();
    expect(await take(["ann@x.example"], 3_600_000)).toBeNull();
  });

  it("is counted for nobody when one of several has had enough", async () => {
    const state = memoryState();
    for (let count = 0; count < MAX_SENDS_PER_HOUR; count += 1)
      await takeSend(state, { root: null, recipients: ["ann@x.example"] }, count);
    const both = { root: null, recipients: ["bob@x.example", "ann@x.example"] };
    expect(await takeSend(state, both, 100)).toBe("recipient");
    expect(await state.list("")).toHaveLength(MAX_SENDS_PER_HOUR);
  });
});
