/** What the tests of Mail share: servers, a mailbox of their own, and the tool in a real workerd. */
import { inject } from "vitest";
import type { Certificates } from "./servers/certificates.ts";
import type { DovecotAccess } from "./servers/dovecot.ts";
import { type MailAccount, mailAccount } from "./servers/mail-account.ts";
import { toolHost } from "./tool-host.ts";

/** Whether the servers that these tests need are there. */
export const mailReady = inject("dovecot") !== null && inject("toolWorker") !== null;

type Values = Readonly<Record<string, unknown>>;

export interface MailDesk {
  readonly box: MailAccount;
  /** Reads over TLS from `box`; sends nowhere unless told so. */
  readonly config: Values;
  /** What a call answers, parsed; throws when it fails. */
  ok(args: Values, config?: Values): Promise<Record<string, unknown>>;
  /** What a failing call says. */
  fails(args: Values, config?: Values): Promise<string>;
  /** One tick of `mail_check`. */
  check(config?: Values): Promise<{ outcome: string; wakeMessage: string; summary: string | null }>;
  /** What a failing tick throws. */
  checkFails(config?: Values): Promise<string>;
}

export const dovecot = (): DovecotAccess => present(inject("dovecot"));
export const certificates = (): Certificates => present(inject("certificates"));

function present<T>(value: T | null): T {
  if (value === null) throw new Error("the servers were not started");
  return value;
}

/** A desk with an empty mailbox and a state of its own. */
export function mailDesk(): MailDesk {
  const { tlsPort, password } = dovecot();
  const box = mailAccount(dovecot());
  const own = {
    ...{ imapHost: "localhost", imapPort: tlsPort, username: box.name, password, security: "tls" },
    ...{ from: "Bot <bot@example.test>", allowedRecipients: ["@example.test"] },
  };
  const options = { agentId: box.name };
  const call = (args: Values, config: Values) =>
    toolHost().call("Mail", { ...own, ...config }, args, options);
  const tick = (config: Values) => toolHost().tick("Mail", { ...own, ...config }, "mail_check", options);
  return {
    box,
    config: own,
    ok: async (args, config = {}) => {
      const answer = await call(args, config);
      if (answer.kind === "result" && answer.result.ok) return parsed(answer.result.content);
      throw new Error(`not done: ${JSON.stringify(answer)}`);
    },
    fails: async (args, config = {}) => {
      const answer = await call(args, config);
      if (answer.kind === "result" && !answer.result.ok) return answer.result.message;
      throw new Error(`not refused: ${JSON.stringify(answer)}`);
    },
    check: async (config = {}) => {
      const answer = await tick(config);
      if (answer.kind !== "ticked") throw new Error(`no tick: ${JSON.stringify(answer)}`);
      const { outcome, wakeMessage = "", logSummary } = answer.result;
      return { outcome, wakeMessage, summary: logSummary };
    },
    checkFails: async (config = {}) => {
      const answer = await tick(config);
      if (answer.kind === "threw") return answer.message;
      throw new Error(`not failed: ${JSON.stringify(answer)}`);
    },
  };
}

function parsed(content: string): Record<string, unknown> {
  const value: Record<string, unknown> = JSON.parse(content);
  return value;
}

/** A message as it lies in a mailbox; the header's lines replace or add to a valid one's. */
export function letter(header: Readonly<Record<string, string>> = {}, body = "Hello.\r\n"): string {
  const lines = {
    From: "Ann <ann@example.test>",
    To: "bot@example.test",
    Subject: "Question",
    Date: "Mon, 02 Nov 2026 09:00:00 +0000",
    "Message-ID": `<${crypto.randomUUID()}@example.test>`,
    ...header,
  };
  return `${Object.entries(lines)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n${body}`;
}
