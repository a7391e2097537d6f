import { describe, expect, it } from "vitest";
import { dovecot, letter, mailDesk, mailReady } from "./mail-setup.ts";

const subjects = (answer: Record<string, unknown>) =>
  JSON.stringify(answer.messages).match(/(?<="subject":")[^"]*/g);

describe.runIf(mailReady)("reading a mailbox", () => {
  it.each([
    ["TLS", () => ({ security: "tls", imapPort: dovecot().tlsPort })],
    ["STARTTLS", () => ({ security: "starttls", imapPort: dovecot().port })],
    ["a plain connection", () => ({ security: "none", imapPort: dovecot().port })],
  ])("works over %s", async (_name, config) => {
    const desk = mailDesk();
    desk.box.deliver(letter({ Subject: "One" }, "The text.\r\n"));
    const list = await desk.ok({ action: "read_inbox" }, config());
    expect(list).toMatchObject({
      total: 1,
      messages: [{ uid: 1, unread: true, from: "Ann <ann@example.test>", subject: "One" }],
      nextCursor: null,
    });
    expect(await desk.ok({ action: "read_message", uid: 1 }, config())).toMatchObject({
      uid: 1,
      unread: true,
      from: ["Ann <ann@example.test>"],
      to: ["bot@example.test"],
      subject: "One",
      date: "2026-11-02T09:00:00.000Z",
      text: "The text.",
      textFrom: "plain",
      attachments: [],
    });
    expect(await desk.ok({ action: "mark_read", uid: 1 }, config())).toEqual({ uid: 1, read: true });
    expect(await desk.ok({ action: "read_inbox", unreadOnly: true }, config())).toMatchObject({
      messages: [],
    });
  });

  it("marks nothing as read by itself, and one message when it is told, twice or once", async () => {
    const desk = mailDesk();
    desk.box.deliver(letter());
    desk.box.deliver(letter());
    await desk.ok({ action: "read_inbox" });
    await desk.ok({ action: "read_message", uid: 1 });
    await desk.ok({ action: "read_message", uid: 2 });
    const read = () => desk.box.files().filter((file) => /,[A-Z]*S[A-Z]*$/.test(file));
    expect(read()).toHaveLength(0);
    for (let time = 0; time < 2; time += 1) await desk.ok({ action: "mark_read", uid: 2 });
    expect(read()).toHaveLength(1);
    expect(await desk.ok({ action: "read_inbox", unreadOnly: true })).toMatchObject({
      messages: [{ uid: 1 }],
    });
  });

  it("pages through the inbox from the newest to the oldest, and sees each message once", async () => {
    const desk = mailDesk();
    for (let number = 1; number <= 7; number += 1) {
      desk.box.deliver(letter({ Subject: `n${number}` }));
      await desk.ok({ action: "read_inbox", limit: 1 });
    }
    const seen: string[] = [];
    let cursor: unknown = null;
    do {
      const page = await desk.ok({ action: "read_inbox", limit: 3, ...(cursor === null ? {} : { cursor }) });
      seen.push(...(subjects(page) ?? []));
      // What arrives meanwhile belongs to no later page.
      if (cursor === null) desk.box.deliver(letter({ Subject: "new" }));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(["n7", "n6", "n5", "n4", "n3", "n2", "n1"]);
  });

  it("says that a cursor is of no use when the mailbox was set up anew, or never was one", async () => {
    const desk = mailDesk();
    for (let number = 1; number <= 3; number += 1) desk.box.deliver(letter());
    const { nextCursor } = await desk.ok({ action: "read_inbox", limit: 1 });
    desk.box.renumber();
    expect(await desk.fails({ action: "read_inbox", cursor: nextCursor })).toMatch(/^cursor_stale: /);
    for (const cursor of ["x", "1:*", "1:1 UNSEEN", "1:1\r\nA1 LOGOUT"]) {
      expect(await desk.fails({ action: "read_inbox", cursor })).toMatch(/^cursor_refused: /);
    }
  });

  it("says that a message is not there", async () => {
    const desk = mailDesk();
    expect(await desk.ok({ action: "read_inbox" })).toMatchObject({
      total: 0,
      messages: [],
      nextCursor: null,
    });
    expect(await desk.fails({ action: "read_message", uid: 1 })).toMatch(/^not_found: /);
    desk.box.deliver(letter());
    expect(await desk.fails({ action: "read_message", uid: 2 })).toMatch(/^not_found: /);
    expect(await desk.fails({ action: "mark_read", uid: 2 })).toMatch(/^not_found: /);
  });

  it("pages through a long text", async () => {
    const desk = mailDesk();
    const text = Array.from({ length: 2_000 }, (_, index) => `Line ${index} "quoted"`).join("\r\n");
    desk.box.deliver(letter({ "Content-Type": "text/plain; charset=utf-8" }, `${text}\r\n`));
    let read = "";
    let cursor: unknown = null;
    do {
      const page = await desk.ok({ action: "read_message", uid: 1, ...(cursor === null ? {} : { cursor }) });
      expect(JSON.stringify(page).length).toBeLessThan(20_000);
      read += String(page.text);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(read).toBe(text.replaceAll("\r\n", "\n"));
    expect(await desk.fails({ action: "read_message", uid: 1, cursor: "999999" })).toMatch(
      /^cursor_refused: /,
    );
  });

  it("fetches of a huge mail no more than it shows", async () => {
    const desk = mailDesk();
    const huge = `${"A".repeat(76)}\r\n`.repeat(400_000);
    const boundary = { "Content-Type": "multipart/mixed; boundary=b" };
    const body =
      `--b\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n--b\r\nContent-Type: application/zip; name=all.zip\r\n` +
      `Content-Transfer-Encoding: base64\r\n\r\n${huge}--b--\r\n`;
    desk.box.deliver(letter(boundary, body));
    desk.box.deliver(letter({}, "word ".repeat(200_000)));
    desk.box.deliver(letter({ Subject: "s".repeat(1_000_000) }, "Hello.\r\n"));
    expect(await desk.ok({ action: "read_inbox" })).toMatchObject({ total: 3 });
    const withFile = await desk.ok({ action: "read_message", uid: 1 });
    expect(withFile).toMatchObject({
      text: "See the file.",
      attachments: [
        { name: "all.zip", type: "application/zip", bytes: expect.any(Number), note: expect.any(String) },
      ],
    });
    const long = await desk.ok({ action: "read_message", uid: 2, cursor: "180000" });
    expect(long).toMatchObject({ cut: expect.stringContaining("200000"), nextCursor: null });
    expect(await desk.ok({ action: "read_message", uid: 3 })).toMatchObject({ text: "Hello." });
  });

  it("needs a configured mailbox", async () => {
    const desk = mailDesk();
    const config = { imapHost: undefined, smtpHost: "localhost" };
    expect(await desk.fails({ action: "read_inbox" }, config)).toMatch(/^not_configured: /);
  });
});
