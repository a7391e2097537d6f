/** Channels over real connections. */
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ChannelWorld, type DeliverInput, deliver } from "../../core/channels/deliver.ts";
import { instanceSchema } from "../../core/config/instance.ts";
import { createScrubber, knownSecrets } from "../../core/scrub/index.ts";
import { channelTransports } from "../../workers/channel-transports.ts";
import { HOOK_PATH, type RocketChatServer, startRocketChat } from "./servers/rocketchat.ts";
import { BOT_TOKEN, startTelegram, type TelegramServer } from "./servers/telegram.ts";
import { startWebServer, type WebServer } from "./servers/web-server.ts";

const SIGNING = "signing-secret-of-the-tests";
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

let chat: RocketChatServer;
let telegram: TelegramServer;
let hook: WebServer;
beforeEach(async () => {
  [chat, telegram] = await Promise.all([startRocketChat(), startTelegram()]);
  hook = await startWebServer(() => ({ status: 204, body: "" }));
});
afterEach(async () => {
  await Promise.all([chat.stop(), telegram.stop(), hook.stop()]);
});

const secret = (name: string) => ({ $secret: name });

function instance(allow?: readonly string[]) {
  return instanceSchema.parse({
    id: "test",
    outbound: { allow: allow ?? [chat.host, telegram.host, hook.host] },
    channels: {
      team: { type: "rocketchat", webhookUrl: secret("CHAT_URL") },
      signed: { type: "webhook", webhookUrl: secret("HOOK_URL"), signingSecret: secret("SIGNING") },
      bare: { type: "webhook", webhookUrl: secret("HOOK_URL") },
      phone: { type: "telegram", botToken: secret("BOT"), chatId: 100, apiBaseUrl: telegram.baseUrl },
      gone: { type: "telegram", botToken: secret("BOT"), chatId: "404", apiBaseUrl: telegram.baseUrl },
      unset: { type: "rocketchat", webhookUrl: secret("NOT_SET") },
    },
  });
}

function secrets() {
  return {
    CHAT_URL: chat.baseUrl + HOOK_PATH,
    HOOK_URL: `${hook.baseUrl}/in?key=k3y`,
    BOT: BOT_TOKEN,
    SIGNING,
  };
}

function say(channel: string, message: DeliverInput["message"], changes: Partial<DeliverInput> = {}) {
  const world: ChannelWorld = {
    fetch: (input, init) => fetch(input, init),
    // No binding is needed by what is tested here.
    transports: channelTransports({}),
    secrets: secrets(),
    scrubber: createScrubber(knownSecrets({ ...secrets(), OTHER: "hidden-value-123" }, [])),
    now: () => NOW,
  };
  const signal = new AbortController().signal;
  return deliver(world, {
    instance: instance(),
    channel,
    message,
    deliveryId: "notice:1",
    signal,
    ...changes,
  });
}

describe("Rocket.Chat", () => {
  it("gets title and text", async () => {
    expect(await say("team", { title: "Frozen", text: "Chain c is frozen." })).toEqual({ ok: true });
    expect(chat.texts).toEqual(["*Frozen*\nChain c is frozen."]);
  });

  it("rings nobody because of what a text says", async () => {
    await say("team", { text: "Task: @all look, @here too, @allison not" });
    expect(chat.texts[0]).not.toMatch(/@(all|here)\b/);
    expect(chat.texts[0]).toContain("@allison");
  });

  it("gets as much as it takes", async () => {
    expect(await say("team", { text: "x".repeat(20_000) })).toEqual({ ok: true });
    expect(chat.texts[0]).toMatch(/x\n\[cut; /);
  });

  it("L5 never gets a secret", async () => {
    await say("team", { title: "hidden-value-123", text: `see hidden-value-123 and ${secrets().CHAT_URL}` });
    expect(chat.texts[0]).toBe("*[secret:OTHER]*\nsee [secret:OTHER] and [secret:CHAT_URL]");
  });

  it.each([
    ["a refusal", { status: 400, body: `{"success":false,"error":"x"}` }, { ok: false, code: "refused" }],
    ["a refusal with status 200", { status: 200, body: `{"success":false}` }, { ok: false, code: "refused" }],
    ["an answer of its own making", { status: 200, body: "ok" }, { ok: true }],
    [
      "a redirect",
      { status: 302, headers: { location: "/login" }, body: "" },
      { ok: false, code: "refused" },
    ],
    [
      "being slowed down",
      { status: 429, headers: { "retry-after": "17" }, body: "" },
      { ok: false, code: "busy", retryAfter: 17 },
    ],
    ["trouble", { status: 503, body: "" }, { ok: false, code: "busy" }],
    ["a connection that breaks", "cut" as const, { ok: false, code: "unknown" }],
  ])("after %s", async (_name, fault, delivery) => {
    chat.faults.push(fault);
    const answer = await say("team", { text: "x" });
    expect(answer).toMatchObject(delivery);
    expect(JSON.stringify(answer)).not.toContain("s3cr3t");
    expect(chat.requests).toHaveLength(1);
  });

  it("is not reached when the operator has not allowed it", async () => {
    const answer = await say("team", { text: "x" }, { instance: instance([]) });
    expect(answer).toMatchObject({ ok: false, code: "refused" });
    expect(JSON.stringify(answer)).not.toContain("hooks");
    expect(chat.requests).toEqual([]);
  });

  it("ending an attempt closes its connection", async () => {
    chat.faults.push("hang");
    const controller = new AbortController();
    const answer = say("team", { text: "x" }, { signal: controller.signal });
    await chat.received(1);
    controller.abort();
    await chat.givenUp();
    expect(await answer).toMatchObject({ ok: false, code: "unknown" });
  });
});

describe("a webhook", () => {
  it("can be checked by its receiver, and told from a second delivery", async () => {
    expect(await say("signed", { title: "T", text: "x" })).toEqual({ ok: true });
    const [request] = hook.requests;
    const timestamp = String(NOW / 1000);
    const hmac = createHmac("sha256", SIGNING).update(`${timestamp}.${request?.body}`).digest("hex");
    expect(request).toMatchObject({
      method: "POST",
      path: "/in?key=k3y",
      body: `{"title":"T","text":"x"}`,
      headers: {
        "content-type": "application/json",
        "x-parley-timestamp": timestamp,
        "x-parley-delivery": "notice:1",
        "x-hub-signature-256": `sha256=${hmac}`,
      },
    });
  });

  it("goes unsigned without a secret to sign with", async () => {
    expect(await say("bare", { text: "x" })).toEqual({ ok: true });
    expect(hook.requests[0]?.headers).not.toHaveProperty("x-hub-signature-256");
  });
});

describe("Telegram", () => {
  it("gets title and text as one message", async () => {
    expect(await say("phone", { title: "Frozen", text: "a_b_c" })).toEqual({ ok: true });
    expect(telegram.sent).toMatchObject([{ chat_id: "100", text: "Frozen\n\na_b_c" }]);
  });

  it("is not waited for here: whoever tries again knows when", async () => {
    telegram.waits.push(51);
    expect(await say("phone", { text: "x" })).toMatchObject({ ok: false, code: "busy", retryAfter: 51 });
    expect(telegram.requests).toHaveLength(1);
  });

  it("says that there is no such chat", async () => {
    expect(await say("gone", { text: "x" })).toMatchObject({ ok: false, code: "refused" });
  });
});

describe("a channel", () => {
  it.each([
    ["nowhere", "no_such_channel"],
    ["toString", "no_such_channel"],
    ["unset", "not_configured"],
  ])("%s: %s", async (channel, code) => {
    expect(await say(channel, { text: "x" })).toMatchObject({ ok: false, code });
  });
});
