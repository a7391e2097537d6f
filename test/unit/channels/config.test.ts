import { describe, expect, it } from "vitest";
import { checkConfigFile, checkInstance } from "../../../core/config/check.ts";
import { createRegistry } from "../../../core/registry.ts";
import { notify } from "../../../tools/notify/index.ts";

const url = { $secret: "URL" };
const paths = (checked: ReturnType<typeof checkInstance>) =>
  checked.ok ? [] : checked.issues.map(({ path }) => path);
const channel = (value: unknown) => paths(checkInstance({ id: "x", channels: { c: value } }));
const mail = {
  type: "email",
  to: ["ops@example.com"],
  from: "bot@example.com",
  smtpHost: "mail.example.com",
};

describe("the instance's channels", () => {
  it.each([
    { type: "rocketchat", webhookUrl: url },
    { type: "webhook", webhookUrl: url },
    { type: "webhook", webhookUrl: url, signingSecret: url },
    { type: "telegram", botToken: url, chatId: -1001234567890 },
    { type: "telegram", botToken: url, chatId: "@team_news", apiBaseUrl: "http://bots.example:8081" },
    mail,
    {
      ...mail,
      from: undefined,
      username: "bot@example.com",
      password: url,
      security: "starttls",
      smtpPort: 587,
    },
    { type: "email", to: ["ops@example.com"], from: "bot@example.com", useSendEmail: true },
  ])("may be %j", (value) => {
    expect(channel(JSON.parse(JSON.stringify(value)))).toEqual([]);
  });

  it.each([
    ["a secret's value", { type: "rocketchat", webhookUrl: "https://chat.example/hooks/x" }, "webhookUrl"],
    ["a token's value", { type: "telegram", botToken: "123:abc", chatId: 1 }, "botToken"],
    ["a signing secret's value", { type: "webhook", webhookUrl: url, signingSecret: "x" }, "signingSecret"],
    ["an unknown key", { type: "webhook", webhookUrl: url, method: "PUT" }, "method"],
    ["a chat that is none", { type: "telegram", botToken: url, chatId: "https://t.me/x" }, "chatId"],
    ["another scheme", { type: "telegram", botToken: url, chatId: 1, apiBaseUrl: "file:///x" }, "apiBaseUrl"],
    ["a line break in an address", { ...mail, to: ["a@b.example\nBcc: c@d.example"] }, "to[0]"],
    ["no recipient", { ...mail, to: [] }, "to"],
    ["nobody that it comes from", { ...mail, from: undefined, username: "bot" }, "from"],
    ["no way to send", { type: "email", to: ["a@b.example"], from: "c@d.example" }, "smtpHost"],
    ["two ways to send", { ...mail, useSendEmail: true }, "useSendEmail"],
  ])("may not hold %s", (_name, value, key) => {
    expect(channel(JSON.parse(JSON.stringify(value)))).toEqual([`channels.c.${key}`]);
  });
});

describe("what may be reached outside", () => {
  it.each([["intranet.example:8443"], ["10.0.0.7"], ["[fd00::5]:9000"]])("may be %s", (entry) => {
    expect(paths(checkInstance({ id: "x", outbound: { allow: [entry] } }))).toEqual([]);
  });

  it.each(["http://intranet.example", "*.example", "a b", ""])("may not be %j", (entry) => {
    expect(paths(checkInstance({ id: "x", outbound: { allow: [entry] } }))).toEqual(["outbound.allow[0]"]);
  });
});

describe("the channels of Notify", () => {
  const check = (channels: unknown) => {
    const agent = {
      agentId: "a",
      systemPrompt: "",
      model: { provider: "scripted" },
      tools: { Notify: { channels } },
    };
    const instance = { id: "x", channels: { team: { type: "webhook", webhookUrl: url } } };
    return checkConfigFile({ instance, agents: [agent] }, createRegistry([notify]));
  };
  const at = "agents[0].tools.Notify.channels";

  it("are names of the instance's", () => {
    expect(check(["team"])).toMatchObject({ ok: true });
    expect(check(["team", "other"])).toMatchObject({ ok: false, issues: [{ path: `${at}[1]` }] });
  });

  it.each([
    ["a record of definitions", { team: { type: "webhook" } }, at],
    ["a definition in the list", [{ type: "webhook" }], `${at}[0]`],
  ])("are not %s, and the error says where those belong", (_name, channels, path) => {
    const checked = check(channels);
    expect(checked).toMatchObject({ ok: false, issues: [{ path }] });
    expect(JSON.stringify(checked)).toMatch(/defined in its config/);
  });
});
