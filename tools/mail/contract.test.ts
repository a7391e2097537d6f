import { mailHeader, memoryMailbox } from "../../test/support/memory-mailbox.ts";
import { toolContract } from "../../test/support/tool-contract.ts";
import { createMail } from "./index.ts";

const mailbox = memoryMailbox();
for (let count = 0; count < 40; count += 1) {
  mailbox.add({
    header: mailHeader({
      Subject: `"\\ ${"s".repeat(2_000)}`,
      From: `"${"\\\\n".repeat(500)}" <ann@example.test>`,
    }),
    body: '"\n\\'.repeat(200_000),
  });
}

const reads = { repeatable: true, parallel: true };
const letter = { action: "send", to: "Ann <ann@example.test>", subject: "Hello", text: "Good day." };

toolContract(
  createMail({
    mask: (text) => text,
    openMailbox: mailbox.open,
    deliver: async (_config, { messageId, recipients }, signal) => {
      signal.throwIfAborted();
      return { ok: true, messageId, accepted: recipients, rejected: [] };
    },
  }),
  {
    validConfig: {
      imapHost: "imap.example.test",
      smtpHost: "smtp.example.test",
      username: "bot@example.test",
      password: "contract-pa55word",
      from: "Bot <bot@example.test>",
      allowedRecipients: ["@example.test"],
    },
    secretInConfig: "contract-pa55word",
    validCalls: [
      { args: letter, traits: { repeatable: false, parallel: false } },
      {
        args: { ...letter, to: "eve@example.org" },
        traits: { repeatable: false, parallel: false },
        outcome: "fail",
      },
      {
        args: { action: "send", text: "An answer.", inReplyTo: 1 },
        traits: { repeatable: false, parallel: false },
      },
      { args: { action: "read_inbox", limit: 1_000 }, traits: reads },
      { args: { action: "read_inbox", cursor: "1:20", unreadOnly: true }, traits: reads },
      { args: { action: "read_message", uid: 1 }, traits: reads },
      { args: { action: "read_message", uid: 1, cursor: "9000" }, traits: reads },
      { args: { action: "read_message", uid: 999 }, traits: reads, outcome: "fail" },
      { args: { action: "mark_read", uid: 1 }, traits: { repeatable: true, parallel: false } },
    ],
    invalidCalls: [
      { args: { action: "send", subject: "Hello", text: "To nobody." } },
      { args: { action: "send", to: "ann@example.test", text: "About nothing." } },
      { args: { ...letter, attachments: [{ filename: "a.txt" }] } },
      { args: { action: "read_message" } },
      { args: { action: "mark_read", uid: 0 } },
      { args: { action: "read_inbox", limit: 0 } },
      { args: { action: "delete", uid: 1 } },
      { args: { ...letter, headers: { Bcc: "eve@example.org" } } },
    ],
  },
);
