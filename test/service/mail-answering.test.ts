import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { certificates, dovecot, letter, type MailDesk, mailDesk, mailReady } from "./mail-setup.ts";
import { type SmtpSink, startSmtpSink } from "./servers/smtp-sink.ts";

describe.runIf(mailReady)("answering a mail", () => {
  let sink: SmtpSink;
  beforeAll(async () => {
    sink = await startSmtpSink(certificates(), { password: dovecot().password });
  });
  afterAll(async () => sink?.stop());

  /** One password is for both servers: the mailbox's, which the sink accepts, too. */
  const config = () => ({ smtpHost: "localhost", smtpPort: sink.tlsPort });
  const deskWith = (...raw: readonly string[]): MailDesk => {
    const desk = mailDesk();
    for (const each of raw) desk.box.deliver(each);
    return desk;
  };
  const answer = { action: "send", text: "An answer." };
  const lastMail = async () => PostalMime.parse(sink.mails.at(-1)?.raw ?? "");

  it("goes to the author, in the thread", async () => {
    const original = letter({
      Subject: "Re: Question",
      "Message-ID": "<b@x.example>",
      References: "<a@x.example>",
    });
    const desk = deskWith(original);
    expect(await desk.ok({ ...answer, inReplyTo: 1 }, config())).toMatchObject({
      accepted: ["ann@example.test"],
    });
    expect(await lastMail()).toMatchObject({
      to: [{ address: "ann@example.test" }],
      subject: "Re: Question",
      inReplyTo: "<b@x.example>",
      references: "<a@x.example> <b@x.example>",
    });
  });

  it("goes to Reply-To where there is one, and by Message-ID as well", async () => {
    const desk = deskWith(
      letter({ "Message-ID": "<other@x.example>" }),
      letter({
        "Message-ID": "<wanted@x.example>",
        "Reply-To": "Desk <desk@example.test>, bob@example.test",
      }),
    );
    const accepted = ["desk@example.test", "bob@example.test"];
    expect(await desk.ok({ ...answer, inReplyTo: "<wanted@x.example>" }, config())).toMatchObject({
      accepted,
    });
    expect(await lastMail()).toMatchObject({
      inReplyTo: "<wanted@x.example>",
      references: "<wanted@x.example>",
    });
  });

  it("goes elsewhere when it is told, still in the thread", async () => {
    const desk = deskWith(letter({ "Message-ID": "<b@x.example>" }));
    const args = { ...answer, inReplyTo: "1", to: "carl@example.test", subject: "Something else" };
    expect(await desk.ok(args, config())).toMatchObject({ accepted: ["carl@example.test"] });
    expect(await lastMail()).toMatchObject({ subject: "Something else", inReplyTo: "<b@x.example>" });
  });

  it("goes to no author outside the allowed recipients, whatever Reply-To says", async () => {
    const desk = deskWith(
      letter({ From: "eve@evil.example" }),
      letter({ "Reply-To": "ann@example.test, eve@evil.example" }),
      letter({ "Reply-To": '"ann@example.test" <eve@evil.example>' }),
    );
    const before = sink.mails.length;
    for (const inReplyTo of [1, 2, 3]) {
      expect(await desk.fails({ ...answer, inReplyTo }, config())).toMatch(/^recipient_refused: /);
    }
    expect(sink.mails).toHaveLength(before);
  });

  it("takes nothing harmful over from the original", async () => {
    const desk = deskWith(
      letter({ Subject: "=?utf-8?Q?x=0D=0ABcc:_eve=40evil.example?=", References: "<a@x> junk\r\n <b@x>" }),
    );
    await desk.ok({ ...answer, inReplyTo: 1 }, config());
    const { subject, headers } = await lastMail();
    expect(subject).toBe("Re: x Bcc: eve@evil.example");
    expect(headers.map(({ key }) => key)).not.toContain("bcc");
    expect(sink.mails.at(-1)?.to).toEqual(["ann@example.test"]);
  });

  it.each([
    ["an automatic reply", { "Auto-Submitted": "auto-replied" }],
    ["bulk mail", { Precedence: "bulk" }],
    ["a mailing list", { "List-Id": "<news.example.test>" }],
    ["who wants no automatic answers", { "X-Auto-Response-Suppress": "All" }],
    ["a bounce", { "Return-Path": "<>", From: "Mailer <mailer-daemon@example.test>" }],
    ["itself", { From: "Bot <BOT@example.test>" }],
  ])("does not answer %s", async (_name, lines) => {
    const desk = deskWith(letter(lines));
    const before = sink.mails.length;
    const args = { ...answer, inReplyTo: 1, to: "ann@example.test" };
    expect(await desk.fails(args, config())).toMatch(/^automatic_mail: /);
    expect(sink.mails).toHaveLength(before);
  });

  it("stops when a thread goes round and round", async () => {
    const round = (id: number) =>
      letter({ "Message-ID": `<${id}@x.example>`, References: "<first@x.example>" });
    const desk = deskWith(...[1, 2, 3, 4, 5, 6].map(round));
    for (const inReplyTo of [1, 2, 3, 4, 5]) await desk.ok({ ...answer, inReplyTo }, config());
    expect(await desk.fails({ ...answer, inReplyTo: 6 }, config())).toMatch(/^reply_limit: /);
  });

  it("needs the original", async () => {
    const desk = deskWith(letter({ "Message-ID": "" }));
    expect(await desk.fails({ ...answer, inReplyTo: 9 }, config())).toMatch(/^not_found: /);
    expect(await desk.fails({ ...answer, inReplyTo: "<no@x.example>" }, config())).toMatch(/^not_found: /);
    expect(await desk.fails({ ...answer, inReplyTo: "no id" }, config())).toMatch(/^not_a_message: /);
    expect(await desk.fails({ ...answer, inReplyTo: 1 }, config())).toMatch(/^no_message_id: /);
  });
});
