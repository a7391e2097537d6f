import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BOT_TOKEN, startTelegram, type TelegramServer } from "./servers/telegram.ts";
import { type CallOptions, type ToolAnswer, toolHost } from "./tool-host.ts";

let server: TelegramServer;
beforeEach(async () => {
  server = await startTelegram();
});
afterEach(() => server.stop());

const ALLOWED = ["100", -1001, "@News", "403", "-5", "404"];

async function send(
  args: object,
  options: CallOptions & { readonly token?: string } = {},
): Promise<ToolAnswer> {
  const { token, ...rest } = options;
  const config = { botToken: token ?? BOT_TOKEN, allowedChats: ALLOWED, apiBaseUrl: server.baseUrl };
  // An agent of its own for each test: what Telegram asked one to wait for is remembered.
  const agentId = server.host;
  const call = { action: "send", ...args };
  return toolHost().call("Telegram", config, call, { allow: [server.host], agentId, ...rest });
}

/** What the model reads. */
async function said(args: object, options?: Parameters<typeof send>[1]): Promise<string> {
  const answer = await send(args, options);
  if (answer.kind !== "result") throw new Error(`no result: ${JSON.stringify(answer)}`);
  return answer.result.ok ? `ok: ${answer.result.content}` : `failed: ${answer.result.message}`;
}

describe("Telegram sends", () => {
  it("a text with its Markdown as entities", async () => {
    expect(await said({ chatId: "100", text: "Hello **you**, `a<b`" })).toBe("ok: Sent.");
    expect(server.sent).toEqual([
      {
        chat_id: "100",
        text: "Hello you, a<b",
        entities: [
          { type: "bold", offset: 6, length: 3 },
          { type: "code", offset: 11, length: 3 },
        ],
      },
    ]);
  });

  it.each([-1001, "-1001", "@news", "@NEWS"])("to the chat %j", async (chatId) => {
    const answer = await send({ chatId, text: "x" });
    expect(answer).toMatchObject({ kind: "result" });
    expect(server.requests).toHaveLength(1);
  });

  it("a long text as several messages in order, none over the limit (known failure 151)", async () => {
    const text = Array.from({ length: 900 }, (_, line) => `**Line ${line}** with words.`).join("\n");
    const answer = await said({ chatId: "100", text });
    expect(answer).toBe(`ok: Sent as ${server.sent.length} messages.`);
    expect(server.sent.length).toBeGreaterThan(4);
    for (const message of server.sent) expect(message.text.length).toBeLessThanOrEqual(4_096);
    expect(server.sent.map((message) => message.text).join("\n")).toBe(text.replaceAll("**", ""));
  });

  it("the plain words when the entities are refused, and once", async () => {
    server.faults.push("no_entities");
    expect(await said({ chatId: "100", text: "**b** c" })).toBe("ok: Sent.");
    expect(server.sent).toEqual([{ chat_id: "100", text: "b c", entities: [] }]);
  });
});

describe("Telegram refuses", () => {
  it.each(["200", "@other", "-100"])(
    "the chat %s, which is not allowed, without asking Telegram",
    async (chatId) => {
      expect(await said({ chatId, text: "x" })).toMatch(/^failed: .*not among this agent's allowedChats/);
      expect(server.requests).toEqual([]);
    },
  );

  it.each([
    { chatId: "a b", text: "x" },
    { chatId: "100", text: " \n" },
    { chatId: "100" },
    { chatId: "100", text: "x", parse_mode: "HTML" },
  ])("arguments that are wrong: %j", async (args) => {
    expect(await send(args)).toMatchObject({ kind: "arguments_refused" });
  });

  it.each([
    ["404", /chat not found.*bot must be in the chat/],
    ["403", /blocked by the user/],
    ["-5", /supergroup with the id -1001/],
  ])("says what is wrong with the chat %s", async (chatId, reason) => {
    const answer = await said({ chatId, text: "x" });
    expect(answer).toMatch(reason);
    expect(answer).toMatch(/0 of 1 messages were sent/);
  });

  it("a wrong token, which it does not repeat", async () => {
    const token = "999:wrong-token";
    const answer = await said({ chatId: "100", text: "x" }, { token });
    expect(answer).toMatch(/401.*token is wrong/);
    expect(answer).not.toContain(token);
  });

  it("to reach a local server that the operator has not allowed", async () => {
    expect(await said({ chatId: "100", text: "x" }, { allow: [] })).toMatch(/no public address/);
    expect(server.requests).toEqual([]);
  });
});

describe("when Telegram asks to wait", () => {
  it("waits a second within the call, and sends once", async () => {
    server.waits.push(1);
    expect(await said({ chatId: "100", text: "x" })).toBe("ok: Sent.");
    expect(server.requests).toHaveLength(2);
    expect(server.sent).toHaveLength(1);
  });

  it("51 seconds, says so and how far it came, and does not try before (known failure 152)", async () => {
    server.waits.push(0, 51);
    const text = "word ".repeat(2_000);
    const answer = await said({ chatId: "100", text });
    expect(answer).toMatch(/^failed: 1 of 3 messages were sent\. Telegram asks to wait 51 seconds/);
    const next = await said({ chatId: "100", text: "x" });
    expect(next).toMatch(
      /^failed: Telegram asked to wait; try again in (51|50|49|48) seconds\. Nothing was sent/,
    );
    expect(server.requests).toHaveLength(2);
    expect(await said({ chatId: "-1001", text: "another chat" })).toBe("ok: Sent.");
  });
});

describe("an outcome that nobody knows is told as unknown", () => {
  it.each(["cut", "cut_answer", "done_then_cut", "junk", "bad_gateway"] as const)(
    "after %s",
    async (fault) => {
      server.faults.push(fault);
      expect(await said({ chatId: "100", text: "x" })).toMatch(/^failed: Unknown outcome: .*0 of 1 messages/);
      expect(server.requests).toHaveLength(1);
    },
  );

  it("in the middle of a long text, with what is certain", async () => {
    server.faults.push("no_entities", "done_then_cut");
    const answer = await said({ chatId: "100", text: "word ".repeat(2_000) });
    expect(answer).toMatch(/Unknown outcome: .*1 of 3 messages were sent for certain/);
  });

  it("when nothing listens", async () => {
    await server.stop();
    const { host } = server;
    expect(await said({ chatId: "100", text: "x" }, { allow: [host] })).toMatch(/Unknown outcome/);
    server = await startTelegram();
  });
});

it("cancelling a call closes its connection", async () => {
  server.faults.push("hang");
  const answer = send({ chatId: "100", text: "x" }, { abortWhen: server.received(1) });
  await server.givenUp();
  expect(await answer).toMatchObject({ kind: "threw" });
});
