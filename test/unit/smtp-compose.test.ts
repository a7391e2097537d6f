import fc from "fast-check";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { composeMail, MAX_RECIPIENTS, type OutgoingMail } from "../../protocols/smtp/compose.ts";

const ann = { name: "Ann", address: "ann@example.com" };
const eve = { name: "", address: "eve@example.com" };

const outgoing = (parts: Partial<OutgoingMail> = {}): OutgoingMail => ({
  from: { name: "Bot", address: "bot@example.com" },
  to: [ann],
  subject: "Hello",
  text: "Good day.",
  date: new Date("2026-11-02T09:00:00Z"),
  ...parts,
});

async function composed(parts: Partial<OutgoingMail> = {}) {
  const result = await composeMail(outgoing(parts));
  if (!result.ok) throw new Error(result.reason);
  const raw = new TextDecoder().decode(result.mail.raw);
  return {
    ...result.mail,
    raw,
    header: raw.slice(0, raw.indexOf("\r\n\r\n")),
    email: await PostalMime.parse(raw),
  };
}

async function refusal(parts: Partial<OutgoingMail>) {
  const result = await composeMail(outgoing(parts));
  return result.ok ? null : result.code;
}

describe("a message", () => {
  it("reads back as it was written, whatever the letters", async () => {
    const text = "Gr\u00fc\u00dfe aus K\u00f6ln \u{1f600}\n.\nFrom here";
    const { email } = await composed({
      to: [{ name: 'J\u00f6rg, der "Chef"', address: "ann@example.com" }],
      subject: `\u00dcber ${"\u00e4".repeat(200)}`,
      text,
      html: "<p>Gr\u00fc\u00dfe</p>",
      attachments: [{ filename: "\u00dcbersicht 1.csv", content: new TextEncoder().encode("a;b\n1;2\n") }],
    });
    expect(email).toMatchObject({
      from: { name: "Bot", address: "bot@example.com" },
      to: [{ name: 'J\u00f6rg, der "Chef"', address: "ann@example.com" }],
      subject: `\u00dcber ${"\u00e4".repeat(200)}`,
      text: `${text}\n`,
      attachments: [{ filename: "\u00dcbersicht 1.csv", mimeType: "text/csv" }],
    });
  });

  it("that is an answer says so, names where answers to it go, and may have further headers", async () => {
    const { email, header } = await composed({
      autoSubmitted: "auto-replied",
      replyTo: { name: "", address: "bot+mark@example.com" },
      headers: [{ name: "X-Parley-Chain", value: `${"a".repeat(60)} ${"b".repeat(60)}` }],
    });
    expect(header).toMatch(/^Auto-Submitted: auto-replied\r$/m);
    expect(email.replyTo).toMatchObject([{ address: "bot+mark@example.com" }]);
    expect(email.headers).toContainEqual(
      expect.objectContaining({ key: "x-parley-chain", value: `${"a".repeat(60)} ${"b".repeat(60)}` }),
    );
  });

  it.each([
    ["Bcc", "eve@example.com"],
    ["X-A\r\nBcc", "eve@example.com"],
    ["X-A", "b\r\nBcc: eve@example.com"],
    ["X-A", "b".repeat(5_000)],
  ])("has no further header %j: %j", async (name, value) => {
    expect(await refusal({ headers: [{ name, value }] })).toBe("header_refused");
  });

  it("says that a machine wrote it, has its own Message-ID, and ends lines by CRLF", async () => {
    const { email, messageId, raw } = await composed({ text: "one\ntwo\r\nthree\rfour" });
    expect(email.headers).toContainEqual(
      expect.objectContaining({ key: "auto-submitted", value: "auto-generated" }),
    );
    expect(email.messageId).toBe(messageId);
    expect(messageId).toMatch(/^<[0-9a-f-]{36}@example\.com>$/);
    expect(raw.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  });

  it("goes to Bcc without naming it", async () => {
    const { recipients, raw } = await composed({ cc: [ann], bcc: [eve] });
    expect(recipients).toEqual(["ann@example.com", "eve@example.com"]);
    expect(raw).not.toMatch(/bcc|eve@/i);
  });

  it("has the id that it is given, as the other copies of one mail have", async () => {
    const messageId = "<one@example.com>";
    expect(await composed({ messageId })).toMatchObject({ messageId, email: { messageId } });
    expect(await refusal({ messageId: "<one@example.com>\r\nBcc: eve@example.com" })).toBe("header_refused");
  });

  it("stands in its thread", async () => {
    const { email } = await composed({
      inReplyTo: "<b@x.example>",
      references: ["<a@x.example>", "<b@x.example>"],
    });
    expect(email).toMatchObject({ inReplyTo: "<b@x.example>", references: "<a@x.example> <b@x.example>" });
  });
});

describe("a header cannot be broken out of", () => {
  const evil = [
    "x\r\nBcc: eve@evil.example",
    "x\nBcc: e",
    "x\rBcc: e",
    "x\0y",
    "x\u2028y",
    "x\u0085y",
    "=?utf-8?Q?x=0D=0ABcc:_e?=",
  ];

  it.each(evil)("by %j", async (text) => {
    expect(await refusal({ subject: text })).toBe("header_refused");
    expect(await refusal({ to: [{ ...ann, name: text }] })).toBe("header_refused");
    expect(await refusal({ cc: [{ ...ann, name: text }] })).toBe("header_refused");
    expect(await refusal({ from: { ...ann, name: text } })).toBe("header_refused");
    const content = new Uint8Array([1]);
    expect(await refusal({ attachments: [{ filename: text, content }] })).toBe("header_refused");
    expect(await refusal({ attachments: [{ filename: "a", content, contentType: `text/${text}` }] })).toBe(
      "header_refused",
    );
    expect(await refusal({ inReplyTo: `<${text}@x.example>` })).toBe("header_refused");
    expect(await refusal({ references: [`<a@x.example> ${text}`] })).toBe("header_refused");
  });

  it.each([
    "eve",
    "[erased]",
    "[erased]@example.com",
    "a@b@example.com",
    "ann@example.com\r\nBcc: eve@evil.example",
    "ann@EXAMPLE.com",
  ])("by the address %j", async (address) => {
    const wrong = { name: "", address };
    for (const parts of [
      { from: wrong },
      { to: [wrong] },
      { cc: [wrong] },
      { bcc: [wrong] },
      { replyTo: wrong },
    ])
      expect(await refusal(parts)).toBe("header_refused");
  });

  it("by a content type that has parts or parameters of its own", async () => {
    for (const contentType of [
      "multipart/mixed",
      "message/rfc822",
      "text/plain; name=x",
      "text",
      "a/b/c",
      "",
    ]) {
      const attachments = [{ filename: "a", content: new Uint8Array(), contentType }];
      expect({ contentType, code: await refusal({ attachments }) }).toEqual({
        contentType,
        code: "header_refused",
      });
    }
  });

  it("by a file's name that is a path", async () => {
    for (const filename of ["../a", "a\\b", " ", "a".repeat(201)]) {
      expect(await refusal({ attachments: [{ filename, content: new Uint8Array() }] })).toBe(
        "header_refused",
      );
    }
  });

  it("by any text at all: the header's names stay the same", async () => {
    const names = (header: string) =>
      header
        .replace(/\r\n[ \t]/g, " ")
        .split("\r\n")
        .map((row) => row.split(":")[0]);
    const usual = names((await composed()).header);
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\r\n", "Bcc: ", "=?", "?=", '"', "<", "\u202e"),
    );
    const text = fc.array(piece, { maxLength: 6 }).map((list) => list.join(""));
    await fc.assert(
      fc.asyncProperty(text, text, async (subject, name) => {
        const result = await composeMail(outgoing({ subject, to: [{ ...ann, name }] }));
        if (!result.ok) return;
        const raw = new TextDecoder().decode(result.mail.raw);
        const header = raw.slice(0, raw.indexOf("\r\n\r\n"));
        expect(
          names(header).filter((each) => each !== "Subject" && each !== "Content-Transfer-Encoding"),
        ).toEqual(usual.filter((each) => each !== "Subject" && each !== "Content-Transfer-Encoding"));
        expect(result.mail.recipients).toEqual(["ann@example.com"]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a message is refused", () => {
  it("without recipients and with too many", async () => {
    expect(await refusal({ to: [] })).toBe("no_recipients");
    const to = Array.from({ length: MAX_RECIPIENTS + 1 }, (_, index) => ({
      name: "",
      address: `a${index}@x.example`,
    }));
    expect(await refusal({ to })).toBe("too_many_recipients");
  });

  it("when it is too large", async () => {
    const content = new Uint8Array(15_000_000);
    expect(await refusal({ attachments: [{ filename: "a.bin", content }] })).toBe("too_large");
  });
});
