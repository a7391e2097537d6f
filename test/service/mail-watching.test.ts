import { describe, expect, it } from "vitest";
import { dovecot, letter, mailDesk, mailReady } from "./mail-setup.ts";
import { startTcpProxy } from "./servers/tcp-proxy.ts";

const uids = ({ wakeMessage }: { wakeMessage: string }) =>
  [...wakeMessage.matchAll(/"uid":(\d+)/g)].map(([, uid]) => Number(uid));
const nothing = { outcome: "no_action" };

describe.runIf(mailReady)("the job mail_check", () => {
  it("counts what is there as seen, then wakes for each new message once", async () => {
    const desk = mailDesk();
    desk.box.deliver(letter());
    desk.box.deliver(letter());
    expect(await desk.check()).toMatchObject({ ...nothing, summary: expect.stringContaining("2 messages") });
    expect(await desk.check()).toMatchObject(nothing);
    desk.box.deliver(letter({ Subject: "=?utf-8?Q?Fr=C3=BChst=C3=BCck?=", From: "Ann <ann@example.test>" }));
    const woken = await desk.check();
    expect(woken).toMatchObject({
      outcome: "wake",
      wakeMessage: expect.stringContaining(
        '{"uid":3,"from":"Ann \\u003cann@example.test\\u003e","subject":"Fr\u00fchst\u00fcck"}',
      ),
    });
    expect(await desk.check()).toMatchObject(nothing);
  });

  it("wakes for the first message of an empty mailbox", async () => {
    const desk = mailDesk();
    expect(await desk.check()).toMatchObject({ ...nothing, summary: expect.stringContaining("0 messages") });
    desk.box.deliver(letter());
    expect(uids(await desk.check())).toEqual([1]);
  });

  it("wakes for unread and read messages alike, and reads none itself", async () => {
    const desk = mailDesk();
    await desk.check();
    desk.box.deliver(letter());
    await desk.ok({ action: "mark_read", uid: 1 });
    desk.box.deliver(letter());
    expect(uids(await desk.check())).toEqual([1, 2]);
    expect(desk.box.files().filter((file) => file.endsWith("S"))).toHaveLength(1);
  });

  it("is not led astray by deletions", async () => {
    const desk = mailDesk();
    for (let count = 0; count < 3; count += 1) desk.box.deliver(letter());
    await desk.check();
    desk.box.expunge(3);
    expect(await desk.check()).toMatchObject(nothing);
    desk.box.deliver(letter());
    await desk.ok({ action: "read_inbox" });
    desk.box.expunge(4);
    expect(await desk.check()).toMatchObject(nothing);
    desk.box.deliver(letter());
    expect(uids(await desk.check())).toEqual([5]);
    expect(await desk.check()).toMatchObject(nothing);
  });

  it("does not wake for old messages when their UIDs are given out anew, but for what came since", async () => {
    const desk = mailDesk();
    desk.box.deliver(letter());
    await desk.check();
    desk.box.deliver(letter());
    expect(uids(await desk.check())).toEqual([2]);
    desk.box.renumber();
    expect(await desk.check()).toMatchObject(nothing);
    desk.box.renumber();
    desk.box.deliver(letter({ Subject: "since" }));
    const woken = await desk.check();
    expect(uids(woken)).toHaveLength(1);
    expect(woken.wakeMessage).toContain("since");
    expect(await desk.check()).toMatchObject(nothing);
  });

  it("leaves automatic mail alone and says how much there was", async () => {
    const desk = mailDesk();
    await desk.check();
    desk.box.deliver(letter({ "Auto-Submitted": "auto-generated" }));
    desk.box.deliver(letter({ From: "bot@example.test" }));
    expect(await desk.check()).toMatchObject({ ...nothing, summary: expect.stringContaining("2 automatic") });
    desk.box.deliver(letter({ Precedence: "bulk" }));
    desk.box.deliver(letter());
    expect(await desk.check()).toMatchObject({ outcome: "wake", summary: "1 new, 1 automatic." });
  });

  it("fails when it cannot look, and loses nothing by it", async () => {
    const desk = mailDesk();
    expect(await desk.checkFails({ imapPort: 1 })).toContain("refused: ");
    await desk.check();
    desk.box.deliver(letter());
    expect(await desk.checkFails({ password: "wrong-pa55word" })).toContain("auth: ");
    for (const breakAt of ["SEARCH", "FETCH"]) {
      const { port, stop } = await startTcpProxy(dovecot().port, { breakAt });
      const config = { security: "none", imapPort: port };
      // The first look at another port is a look at another mailbox.
      expect(await desk.checkFails(config)).toContain("gone: ");
      await stop();
    }
    expect(uids(await desk.check())).toEqual([1]);
  });

  it("needs a configured mailbox", async () => {
    const desk = mailDesk();
    expect(await desk.checkFails({ imapHost: undefined, smtpHost: "localhost" })).toContain(
      "not_configured: ",
    );
  });
});
