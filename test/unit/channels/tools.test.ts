import { describe, expect, it } from "vitest";
import type { ChannelOutcome } from "../../../core/tool.ts";
import { notify } from "../../../tools/notify/index.ts";
import { createTelegram } from "../../../tools/telegram/index.ts";
import { toolContext } from "../../support/tool-context.ts";
import { toolContract } from "../../support/tool-contract.ts";

const BOT_TOKEN = "123456789:AAtoken_of-the-contract-0000000000";

toolContract(createTelegram(), {
  validConfig: { botToken: BOT_TOKEN, allowedChats: ["1"] },
  secretInConfig: BOT_TOKEN,
  makeContext: (base) => ({
    ...base,
    fetch: async (_url, init) => {
      init?.signal?.throwIfAborted();
      return Response.json({ ok: true, result: {} });
    },
  }),
  validCalls: [
    { args: { action: "send", chatId: "1", text: "**x**" }, traits: { repeatable: false, parallel: false } },
    {
      args: { action: "send", chatId: "2", text: "x" },
      traits: { repeatable: false, parallel: false },
      outcome: "fail",
    },
  ],
  invalidCalls: [
    { args: { action: "send", chatId: "1" } },
    { args: { action: "send", chatId: "1", text: "" } },
    { args: { action: "send", chatId: "1", text: "x".repeat(40_001) } },
    { args: { action: "read", chatId: "1", text: "x" } },
  ],
});

toolContract(notify, {
  validConfig: { channels: ["team"] },
  makeContext: (base) => ({ ...base, channels: { send: async () => ({ ok: true }) } }),
  validCalls: [
    {
      args: { action: "send", channel: "team", title: "T", text: "x" },
      traits: { repeatable: false, parallel: false },
    },
  ],
  invalidCalls: [
    { args: { action: "send", channel: "team" } },
    { args: { action: "send", channel: "team", text: " " } },
    { args: { action: "send", channel: "team", text: "x", to: "me" } },
  ],
});

describe("Notify tells the model what came of it", () => {
  it.each<[ChannelOutcome, RegExp]>([
    [{ ok: true }, /^Sent to team\.$/],
    [{ ok: false, code: "not_allowed", reason: "No." }, /may use: team/],
    [{ ok: false, code: "busy", reason: "Later.", retryAfter: 17 }, /again in 17 seconds/],
    [{ ok: false, code: "unknown", reason: "It broke." }, /^Unknown outcome/],
    [{ ok: false, code: "refused", reason: "No." }, /^Not sent/],
  ])("%j", async (outcome, said) => {
    const channels = { send: async () => outcome };
    const context = toolContext({ toolConfig: { channels: ["team"] }, channels });
    const call = notify.functions[0]?.prepare({ action: "send", channel: "team", text: "x" });
    const result = call?.ok === true ? await call.execute(context) : null;
    expect(result?.ok === true ? result.content : result?.message).toMatch(said);
  });
});
