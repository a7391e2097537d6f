import { describe, expect, it } from "vitest";
import type { MailHeader, Tool } from "../../core/tool.ts";
import type { ComposedMail } from "../../protocols/smtp/compose.ts";
import type { SendOutcome } from "../../protocols/smtp/outcome.ts";
import { toolContext } from "../../test/support/tool-context.ts";
import { createMail } from "./index.ts";

const toolConfig = {
  ...{ smtpHost: "smtp.example.test", username: "bot@example.test", password: "copies-pa55word" },
  ...{ from: "bot@example.test", allowedRecipients: ["@example.test", "@agents.example"] },
};

/** Those in the agents' domain are ours. */
async function header({ to }: { readonly to: string }): Promise<MailHeader> {
  if (to.startsWith("stranger")) return { ok: false, code: "not_colleague", reason: "stranger is none" };
  const value = `chain of ${to}`;
  return { ok: true, header: to.endsWith("@agents.example") ? { name: "X-Parley-Chain", value } : null };
}

/** What one call sent; `fails` says for whom handing it over goes wrong. */
async function sent(args: object, fails: (mail: ComposedMail) => boolean = () => false) {
  const mails: ComposedMail[] = [];
  const deliver = async (_config: unknown, mail: ComposedMail): Promise<SendOutcome> => {
    mails.push(mail);
    const { messageId, recipients } = mail;
    return fails(mail)
      ? { ok: false, code: "gone", reason: "it broke", rejected: [], mayHaveBeenSent: true }
      : { ok: true, messageId, accepted: recipients, rejected: [] };
  };
  const tool = createMail({ mask: (text) => text, deliver });
  const answer = await called(tool, { action: "send", subject: "Hello", text: "Good day.", ...args });
  const copies = mails.map(({ recipients, raw }) => ({ recipients, text: new TextDecoder().decode(raw) }));
  return { answer, copies, ids: new Set(mails.map(({ messageId }) => messageId)) };
}

async function called(tool: Tool, args: object) {
  const prepared = tool.functions[0]?.prepare(args);
  if (prepared?.ok !== true) throw new Error("The arguments are refused");
  const result = await prepared.execute(toolContext({ toolConfig, mailHeader: header }));
  return result.ok ? result.content : result.message;
}

const one = "one@agents.example";
const two = "two@agents.example";

describe("L4 a mail to agents and people", () => {
  it("tells nobody but each agent itself of its chain", async () => {
    const { answer, copies, ids } = await sent({ to: ["ann@example.test", one], bcc: two });
    expect(copies.map(({ recipients }) => recipients)).toEqual([["ann@example.test"], [one], [two]]);
    expect(copies.map(({ text }) => text.match(/X-Parley-Chain: .*/g))).toEqual([
      null,
      [`X-Parley-Chain: chain of ${one}`],
      [`X-Parley-Chain: chain of ${two}`],
    ]);
    for (const { recipients, text } of copies)
      expect(text.includes(two), recipients.join()).toBe(recipients[0] === two);
    expect(ids.size).toBe(1);
    expect(JSON.parse(answer)).toMatchObject({ accepted: ["ann@example.test", one, two] });
  });

  it("goes as one to people alone", async () => {
    const { copies } = await sent({ to: ["ann@example.test", "bob@example.test"] });
    expect(copies.map(({ recipients }) => recipients)).toEqual([["ann@example.test", "bob@example.test"]]);
  });

  it("says of whom nobody knows whether they got it, while the others did", async () => {
    const { answer } = await sent({ to: ["ann@example.test", one] }, ({ recipients }) =>
      recipients.includes(one),
    );
    expect(JSON.parse(answer)).toMatchObject({
      accepted: ["ann@example.test"],
      rejected: [{ address: one, reason: expect.stringContaining("may have been sent") }],
    });
  });

  it("goes to nobody when one of them is an agent that it may not write to", async () => {
    const { answer, copies } = await sent({ to: ["ann@example.test", "stranger@agents.example"] });
    expect(answer).toMatch(/^not_colleague: .*Nothing was sent\.$/);
    expect(copies).toEqual([]);
  });
});
