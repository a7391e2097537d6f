import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { certificates, dovecot, mailDesk, mailReady } from "./mail-setup.ts";
import type { MailAccount } from "./servers/mail-account.ts";
import { SINK_SIZE_LIMIT, type SmtpSink, startSmtpSink } from "./servers/smtp-sink.ts";

const letter = { action: "send", to: "ann@example.test", subject: "Hello", text: "Good day." };

describe.runIf(mailReady)("sending a mail", () => {
  let sink: SmtpSink;
  let inbox: MailAccount;
  const desk = mailReady ? mailDesk() : null;
  const send = (args: object = {}, config: object = {}) =>
    present(desk).ok({ ...letter, ...args }, { ...overTls(), ...config });
  const refused = (args: object = {}, config: object = {}) =>
    present(desk).fails({ ...letter, ...args }, { ...overTls(), ...config });
  const overTls = () => ({
    ...{ smtpHost: "localhost", smtpPort: sink.tlsPort, security: "tls" },
    ...{ username: sink.username, password: sink.password, imapHost: undefined },
  });

  beforeAll(async () => {
    inbox = present(desk).box;
    sink = await startSmtpSink(certificates(), { deliver: ({ raw }) => inbox.deliver(raw) });
  });
  afterAll(async () => sink?.stop());

  it.each([
    ["TLS", () => ({ security: "tls", smtpPort: sink.tlsPort }), true],
    ["STARTTLS", () => ({ security: "starttls", smtpPort: sink.starttlsPort }), true],
    [
      "a plain connection",
      () => ({ security: "none", smtpPort: sink.plainPort, username: undefined, password: undefined }),
      false,
    ],
  ])("works over %s, and closes the connection", async (_name, config, encrypted) => {
    const answer = await send({ cc: "Bob <bob@example.test>" }, config());
    expect(answer).toEqual({
      messageId: expect.stringMatching(/^<.+@example\.test>$/),
      accepted: ["ann@example.test", "bob@example.test"],
    });
    expect(sink.mails.at(-1)).toMatchObject({
      from: "bot@example.test",
      to: ["ann@example.test", "bob@example.test"],
      encrypted,
      user: encrypted ? sink.username : null,
    });
    await sink.idle();
  });

  it("arrives in a mailbox and is read there as it was written", async () => {
    const text = "Gr\u00fc\u00dfe,\n.\n..\nFrom K\u00f6ln \u{1f600}";
    await send({
      subject: "\u00dcber \u201cuns\u201d",
      text,
      html: "<p>Gr\u00fc\u00dfe</p>",
      attachments: [
        { filename: "Liste \u00fc.csv", content: "a;b\n\u00e4;1" },
        {
          filename: "dot.gif",
          content: "R0lGODlhAQABAAAAACw=",
          encoding: "base64",
          contentType: "image/gif",
        },
      ],
    });
    const { tlsPort, password } = dovecot();
    const reading = { imapPort: tlsPort, username: inbox.name, password };
    const { messages } = await present(desk).ok({ action: "read_inbox", limit: 1 }, reading);
    const uid = Number(/"uid":(\d+)/.exec(JSON.stringify(messages))?.[1]);
    expect(await present(desk).ok({ action: "read_message", uid }, reading)).toMatchObject({
      from: ["Bot <bot@example.test>"],
      subject: "\u00dcber \u201cuns\u201d",
      text,
      automatic: expect.stringContaining("Auto-Submitted"),
      attachments: [
        { name: "Liste \u00fc.csv", type: "text/csv", text: "a;b\n\u00e4;1" },
        { name: "dot.gif", type: "image/gif" },
      ],
    });
  });

  it("names Bcc nowhere", async () => {
    await send({ bcc: ["Carl <carl@example.test>", "dora@example.test"] });
    const mail = present(sink.mails.at(-1));
    expect(mail.to).toEqual(["ann@example.test", "carl@example.test", "dora@example.test"]);
    expect(mail.raw).not.toMatch(/bcc|carl|dora/i);
    const { headers } = await PostalMime.parse(mail.raw);
    expect(headers.map(({ key }) => key).sort()).toEqual(
      ["auto-submitted", "content-transfer-encoding", "content-type", "date", "from", "message-id"].concat(
        ...["mime-version", "subject", "to"],
      ),
    );
  });

  it("says who was not accepted, and that nobody was", async () => {
    expect(await send({ to: "refuse@example.test, ann@example.test" })).toMatchObject({
      accepted: ["ann@example.test"],
      rejected: [{ address: "refuse@example.test", reason: expect.stringContaining("550") }],
    });
    const before = sink.mails.length;
    expect(await refused({ to: "refuse@example.test" })).toMatch(/^rejected: .*550.*Nothing was sent\.$/);
    expect(await refused({ to: "full@example.test" })).toMatch(/^later: .*452.*Nothing was sent\.$/);
    expect(await refused({ text: "x".repeat(SINK_SIZE_LIMIT) })).toMatch(/^rejected: .*Nothing was sent\.$/);
    expect(sink.mails).toHaveLength(before);
    await sink.idle();
  });

  it.each([
    ["another domain", { to: "eve@evil.example" }, "recipient_refused"],
    ["a domain below", { to: "eve@sub.example.test" }, "recipient_refused"],
    ["one of several", { to: "ann@example.test, eve@evil.example" }, "recipient_refused"],
    ["one in Cc", { cc: "eve@evil.example" }, "recipient_refused"],
    ["one in Bcc", { bcc: ["bob@example.test", "eve@evil.example"] }, "recipient_refused"],
    ["one in a group", { to: "Team: ann@example.test, eve@evil.example;" }, "recipient_refused"],
    ["one behind an allowed name", { to: '"ann@example.test" <eve@evil.example>' }, "address_refused"],
    ["one behind a comment", { to: "eve@evil.example (ann@example.test)" }, "address_refused"],
    ["a look-alike", { to: "ann@ex\u0430mple.test" }, "recipient_refused"],
    ["a route", { to: "eve%evil.example@example.test" }, "address_refused"],
    ["a line break in To", { to: "ann@example.test\r\nBcc: eve@evil.example" }, "address_refused"],
    ["a line break in Cc", { cc: "ann@example.test\nBcc: eve@evil.example" }, "address_refused"],
    ["an SMTP command", { to: "ann@example.test>\r\nRCPT TO:<eve@evil.example" }, "address_refused"],
    ["a line break in the subject", { subject: "x\r\nBcc: eve@evil.example" }, "header_refused"],
    ["an encoded one", { subject: "=?utf-8?Q?x=0D=0ABcc:_eve@evil.example?=" }, "header_refused"],
    [
      "a line break in a file's name",
      { attachments: [{ filename: "a\r\nb", content: "" }] },
      "header_refused",
    ],
    [
      "a line break in a content type",
      { attachments: [{ filename: "a", content: "", contentType: "text/plain\r\nX: y" }] },
      "header_refused",
    ],
    [
      "what is not base64",
      { attachments: [{ filename: "a", content: "%%%%", encoding: "base64" }] },
      "attachment_refused",
    ],
    ["nobody", { to: "undisclosed-recipients:;" }, "no_recipients"],
  ])("is refused for %s, with nothing sent", async (_name, args, code) => {
    const before = sink.mails.length;
    expect(await refused(args)).toMatch(new RegExp(`^${code}: .*Nothing was sent\\.$`));
    expect(sink.mails).toHaveLength(before);
  });

  it("reaches nobody without a list of allowed recipients", async () => {
    expect(await refused({}, { allowedRecipients: undefined })).toMatch(/^recipient_refused: /);
  });

  it("goes through the platform's binding when that is configured", async () => {
    const before = sink.mails.length;
    const config = { useSendEmail: true };
    expect(await send({}, config)).toMatchObject({ accepted: ["ann@example.test"] });
    expect(await send({ cc: "carl@example.test" }, config)).toMatchObject({
      accepted: ["ann@example.test"],
      rejected: [{ address: "carl@example.test" }],
    });
    // The local platform names no code for it: so nobody could say what has become of the mail.
    expect(await refused({ to: "carl@example.test" }, config)).toMatch(/^protocol: /);
    expect(sink.mails).toHaveLength(before);
  });

  it("needs a configured way", async () => {
    const config = { smtpHost: undefined, imapHost: "localhost" };
    expect(await refused({}, config)).toMatch(/^not_configured: /);
  });
});

function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("it is not there");
  return value;
}
