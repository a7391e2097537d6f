import { describe, expect, it } from "vitest";
import { mailHeader, memoryMailbox } from "../../test/support/memory-mailbox.ts";
import { memoryState, toolContext } from "../../test/support/tool-context.ts";
import { createMail } from "./index.ts";

const SECRET = "k3y-0123456789-abcdef";
const mask = (text: string) => text.replaceAll(SECRET, "[masked]");
const toolConfig = {
  ...{ imapHost: "imap.example.test", username: "bot@example.test", password: "masked-pa55word" },
  from: "bot@example.test",
};

/** The tool over a mailbox that gets one message after the first look of its job. */
async function toolWith(header: string, body: string) {
  const mailbox = memoryMailbox();
  const tool = createMail({ mask, openMailbox: mailbox.open });
  const context = toolContext({ toolConfig, state: memoryState() });
  await tool.jobs[0]?.run(context);
  mailbox.add({ header, body });
  const call = async (args: object) => {
    const prepared = tool.functions[0]?.prepare(args);
    if (prepared?.ok !== true) throw new Error("the arguments are refused");
    const result = await prepared.execute(context);
    return result.ok ? result.content : result.message;
  };
  return { call, tick: async () => JSON.stringify(await tool.jobs[0]?.run(context)) };
}

describe("a secret in a mail", () => {
  it("L5: is shown nowhere, not even the piece of it that is left when a text is cut", async () => {
    // One of the lengths puts the secret across the place where the line is cut.
    for (let before = 60; before < 160; before += 7) {
      const words = `${"x".repeat(before)}${SECRET}${"y".repeat(300)}`;
      const { call, tick } = await toolWith(
        mailHeader({ Subject: words, From: `"${words}" <ann@example.test>` }),
        words,
      );
      const shown = [
        await call({ action: "read_inbox" }),
        await call({ action: "read_message", uid: 1 }),
        await tick(),
      ];
      for (const text of shown) expect(text).not.toContain(SECRET.slice(0, 4));
    }
  });

  it("L5: is not cut in two by the pages of a text", async () => {
    const { call } = await toolWith(mailHeader(), `${`${"z".repeat(97)}${SECRET}`.repeat(1_000)}`);
    let cursor: string | null = null;
    do {
      const page: string = await call({
        action: "read_message",
        uid: 1,
        ...(cursor === null ? {} : { cursor }),
      });
      expect(page).not.toContain(SECRET.slice(0, 4));
      expect(page).not.toContain(SECRET.slice(-6));
      cursor = /"nextCursor":"(\d+)"/.exec(page)?.[1] ?? null;
    } while (cursor !== null);
  });
});
