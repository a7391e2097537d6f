/** The channel that sends mail, to a real SMTP server. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Attempt, Delivery } from "../../core/channels/channel.ts";
import { openChannelSchema } from "../../core/config/channels.ts";
import { openEmailSchema } from "../../core/config/email.ts";
import { channelTransports } from "../../workers/channel-transports.ts";
import { mailTransport } from "../../workers/email/reply.ts";
import { type SmtpSink, startSmtpSink } from "./servers/smtp-sink.ts";

const certificates = inject("certificates");

describe.skipIf(certificates === null)("mail to people", () => {
  let sink: SmtpSink;
  beforeAll(async () => {
    if (certificates !== null) sink = await startSmtpSink(certificates);
  });
  afterAll(() => sink.stop());

  function mail(
    to: readonly string[],
    message: Attempt<"email">["message"],
    way?: object,
  ): Promise<Delivery> {
    const channel = openChannelSchema.parse({
      type: "email",
      to,
      from: "parley@example.test",
      ...(way ?? { smtpHost: "127.0.0.1", smtpPort: sink.plainPort, security: "none" }),
    });
    if (channel.type !== "email") throw new Error("not an e-mail channel");
    const fetch = () => Promise.reject(new Error("no HTTP is needed"));
    const { signal } = new AbortController();
    return channelTransports({}).email({ channel, message, deliveryId: "n:1", fetch, signal });
  }

  it("arrives, marked as sent by a machine", async () => {
    const before = sink.mails.length;
    const message = { title: "demo: chain frozen", text: "Chain c is frozen.\nRelease it." };
    expect(await mail(["ann@example.test", "bob@example.test"], message)).toEqual({ ok: true });
    expect(sink.mails.slice(before)).toMatchObject([
      { from: "parley@example.test", to: ["ann@example.test", "bob@example.test"] },
    ]);
    const raw = sink.mails.at(-1)?.raw ?? "";
    expect(raw).toMatch(/^Subject: demo: chain frozen\r$/m);
    expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(raw).toContain("Chain c is frozen.\r\nRelease it.");
    await sink.idle();
  });

  it("holds no header that a title has smuggled in", async () => {
    const title = "x\r\nBcc: eve@example.test\r\n\r\nbody";
    expect(await mail(["ann@example.test"], { title, text: "y" })).toEqual({ ok: true });
    const sent = sink.mails.at(-1);
    expect(sent?.to).toEqual(["ann@example.test"]);
    expect(sent?.raw).toMatch(/^Subject: x Bcc: eve@example.test body\r$/m);
  });

  it.each([
    ["a refused recipient", ["refuse@example.test"], undefined, "refused"],
    [
      "a server that is not there",
      ["ann@example.test"],
      { smtpHost: "127.0.0.1", smtpPort: 1, security: "none" },
      "busy",
    ],
    ["no binding", ["ann@example.test"], { useSendEmail: true }, "not_configured"],
  ])("with %s it is told why", async (_name, to, way, code) => {
    expect(await mail(to, { text: "x" }, way)).toMatchObject({
      ok: false,
      code,
    });
  });

  it("whose fate is not known is told as unknown", async () => {
    expect(await mail(["drop@example.test"], { text: "x".repeat(100_000) })).toMatchObject({
      ok: false,
      code: "unknown",
    });
    await sink.idle();
  });

  const answer = (to: string) => {
    const smtp = { host: "127.0.0.1", port: sink.plainPort, security: "none" };
    const email = openEmailSchema.parse({ signingKey: "a-key-of-this-test", smtp });
    const from = { name: "Desk", address: "desk@example.test" };
    const thread = { inReplyTo: "<a@example.test>", references: ["<a@example.test>"], headers: [] };
    const mail = { from, answersTo: null, to, subject: "Re: Beans", text: "Seven.", ...thread };
    return mailTransport({})(email, mail, new AbortController().signal);
  };

  it("as an answer stands in its thread", async () => {
    expect(await answer("ann@example.test")).toMatchObject({
      ok: true,
      messageId: expect.stringMatching(/^<.+>$/),
    });
    const raw = sink.mails.at(-1)?.raw ?? "";
    expect(raw).toMatch(/^Auto-Submitted: auto-replied\r$/m);
    expect(raw).toMatch(/^In-Reply-To: <a@example\.test>\r$/m);
    await sink.idle();
  });

  it.each([
    ["refuse@example.test", "refused"],
    ["full@example.test", "busy"],
  ])("as an answer to %s is %s", async (to, code) => {
    expect(await answer(to)).toMatchObject({ ok: false, code });
    await sink.idle();
  });
});
