import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { certificates, dovecot, letter, type MailDesk, mailDesk, mailReady } from "./mail-setup.ts";
import { type SmtpSink, startSmtpSink } from "./servers/smtp-sink.ts";
import { type ProxyOptions, startTcpProxy, type TcpProxy } from "./servers/tcp-proxy.ts";
import { toolHost } from "./tool-host.ts";

const reading = { action: "read_inbox" };
const letterTo = (to: string) => ({ action: "send", to, subject: "Hello", text: "Good day." });
/** Nobody listens there. */
const DEAD_PORT = 1;
/** The tool waits ten seconds for a greeting and fifteen for an answer. */
const SLOW_MS = 60_000;

describe.runIf(mailReady)("Mail in trouble", () => {
  let sink: SmtpSink;
  const proxies: TcpProxy[] = [];
  const proxy = async (target: number | null, options: ProxyOptions = {}) => {
    const started = await startTcpProxy(target, options);
    proxies.push(started);
    return started;
  };
  beforeAll(async () => {
    sink = await startSmtpSink(certificates());
  });
  afterEach(async () => {
    for (const each of proxies.splice(0)) await each.stop();
  });
  afterAll(async () => sink?.stop());

  const smtp = (config: object) => ({
    ...{ smtpHost: "localhost", smtpPort: sink.tlsPort, imapHost: undefined },
    ...{ username: sink.username, password: sink.password },
    ...config,
  });
  const plain = (config: object) =>
    smtp({ ...config, security: "none", username: undefined, password: undefined });
  const sendFails = (config: Readonly<Record<string, unknown>>, to = "ann@example.test") =>
    mailDesk().fails(letterTo(to), config);
  const readFails = (config: object) => mailDesk().fails(reading, { ...config });
  const starttls = () => ({ security: "starttls", imapPort: dovecot().port });

  it.each([
    ["a wrong password", () => ({ password: "wrong-pa55word" }), "auth"],
    ["a port where nobody listens", () => ({ imapPort: DEAD_PORT }), "refused"],
    ["a host that does not exist", () => ({ imapHost: "no-such-host.invalid" }), "refused"],
    ["a certificate for another name", () => ({ imapHost: "127.0.0.1" }), "tls"],
    [
      "a certificate for another name after STARTTLS",
      () => ({ ...starttls(), imapHost: "127.0.0.1" }),
      "tls",
    ],
    ["a server that speaks no TLS there", () => ({ imapPort: dovecot().port }), "tls"],
  ])("says of %s what it is when it reads", async (_name, config, code) => {
    const message = await readFails(config());
    expect(message).toMatch(new RegExp(`^${code}: `));
    expect(message).not.toContain("wrong-pa55word");
    expect(message).not.toContain(dovecot().password);
  });

  it.each([
    ["a wrong password", () => smtp({ password: "wrong-pa55word" }), "auth"],
    ["a port where nobody listens", () => smtp({ smtpPort: DEAD_PORT }), "refused"],
    ["one over a plain connection", () => plain({ smtpPort: DEAD_PORT }), "refused"],
    ["a certificate for another name", () => smtp({ smtpHost: "127.0.0.1" }), "tls"],
    [
      "a certificate for another name after STARTTLS",
      () => smtp({ smtpHost: "127.0.0.1", security: "starttls", smtpPort: sink.starttlsPort }),
      "tls",
    ],
    ["a server that speaks no TLS there", () => smtp({ smtpPort: sink.plainPort }), "tls"],
    ["a server without STARTTLS", () => smtp({ security: "starttls", smtpPort: sink.plainPort }), "tls"],
  ])("says of %s what it is when it sends", async (_name, config, code) => {
    const message = await sendFails(config());
    expect(message).toMatch(new RegExp(`^${code}: .*Nothing was sent\\.$`));
    expect(message).not.toContain("wrong-pa55word");
    await sink.idle();
  });

  it("says that the server went away, at whatever command", async () => {
    const desk = mailDesk();
    desk.box.deliver(letter());
    for (const breakAt of ["LOGIN", "AUTHENTICATE", "INBOX", "SEARCH", "FETCH"]) {
      const { port, count } = await proxy(dovecot().port, { breakAt });
      const answer = await toolHost().call(
        "Mail",
        { ...desk.config, security: "none", imapPort: port },
        reading,
      );
      // Only one of the two ways to log in is taken.
      if (count() === 1 && answer.kind === "result" && answer.result.ok) continue;
      expect(answer).toMatchObject({
        kind: "result",
        result: { ok: false, message: expect.stringMatching(/^gone: /) },
      });
    }
  });

  it("says that the server went away before the mail was handed over, and that it may have been after", async () => {
    for (const breakAt of ["EHLO", "MAIL FROM", "RCPT TO"]) {
      const { port } = await proxy(sink.plainPort, { breakAt });
      expect(await sendFails(plain({ smtpPort: port }))).toMatch(/^gone: .*Nothing was sent\.$/);
    }
    expect(await sendFails(plain({ smtpPort: sink.plainPort }), "drop@example.test")).toMatch(
      /^gone: .*may have been sent/,
    );
    await sink.idle();
  });

  it("does not wait for a silent server for ever, and closes the connections", {
    timeout: SLOW_MS,
  }, async () => {
    const mute = await proxy(null);
    const stuck = await proxy(dovecot().port, { silentAt: "SELECT" });
    const examined = await proxy(dovecot().port, { silentAt: "EXAMINE" });
    const [greeting, encrypted, sending, selected, opened, accepted] = await Promise.all([
      readFails({ security: "none", imapPort: mute.port }),
      readFails({ imapPort: mute.port }),
      sendFails(plain({ smtpPort: mute.port })),
      mailDesk().fails({ action: "mark_read", uid: 1 }, { security: "none", imapPort: stuck.port }),
      readFails({ security: "none", imapPort: examined.port }),
      sendFails(smtp({}), "silent@example.test"),
    ]);
    for (const message of [greeting, encrypted, sending, selected, opened, accepted])
      expect(message).toMatch(/^timeout: /);
    expect(sending).toMatch(/Nothing was sent\.$/);
    expect(accepted).toMatch(/may have been sent/);
    for (const each of [mute, stuck, examined, sink]) await each.idle();
  });

  it("ends with the call that is cancelled, and its connections with it", async () => {
    const mute = await proxy(null);
    const silent = await proxy(null);
    const desk: MailDesk = mailDesk();
    const ended = await Promise.all([
      toolHost().call("Mail", { ...desk.config, security: "none", imapPort: mute.port }, reading, {
        abortWhen: mute.connected,
      }),
      toolHost().call(
        "Mail",
        { ...desk.config, ...plain({ smtpPort: silent.port }) },
        letterTo("ann@example.test"),
        {
          abortWhen: silent.connected,
        },
      ),
    ]);
    for (const answer of ended)
      expect(answer).toMatchObject({ kind: "threw", message: expect.stringContaining("Abort") });
    await mute.idle();
    await silent.idle();
  });

  it("leaves no connection open at the server, after successes and after failures", async () => {
    const desk = mailDesk();
    const { port, idle, count } = await proxy(dovecot().port);
    const config = { security: "none", imapPort: port };
    desk.box.deliver(letter());
    for (let round = 0; round < 5; round += 1) {
      await desk.ok(reading, config);
      await desk.ok({ action: "mark_read", uid: 1 }, config);
      await desk.fails({ action: "read_message", uid: 9 }, config);
      await desk.fails(reading, { ...config, password: "wrong-pa55word" });
    }
    await idle();
    expect(count()).toBe(20);
    await expect.poll(() => desk.box.connections()).toBe(0);
  });
});
