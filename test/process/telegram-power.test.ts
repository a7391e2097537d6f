/** An agent that answers in a Telegram chat when the power goes: real processes, real SIGKILL. */
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { Instance } from "../../scripts/instance/instance.mjs";
import { BOT_TOKEN, startTelegram, type TelegramServer } from "../service/servers/telegram.ts";
import { scratchFolder, startIn } from "./instance.ts";

const scratch = scratchFolder();
let telegram: TelegramServer;
let instance: Instance;

const rules = [
  {
    when: { user: "/^New Telegram messages/", step: 0 },
    delayMs: 3_000,
    calls: [{ name: "Telegram", arguments: { action: "send", chatId: "100", text: "Seven **bags**." } }],
  },
  { when: {}, say: "It says: {{result}}" },
];

beforeAll(async () => {
  telegram = await startTelegram();
  const vars = readFileSync(scratch.varsFile, "utf8");
  writeFileSync(scratch.varsFile, `${vars}BOT="${BOT_TOKEN}"\n`);
  const front = {
    agentId: "front",
    systemPrompt: "Answer.",
    model: { provider: "scripted", script: JSON.stringify({ rules }) },
    tools: {
      Telegram: { botToken: { $secret: "BOT" }, allowedChats: ["100"], apiBaseUrl: telegram.baseUrl },
    },
    toolJobs: [{ jobId: "hear", toolName: "Telegram", jobTypeId: "telegram_poll", cron: "0 0 1 1 *" }],
  };
  const outbound = { allow: [telegram.host] };
  writeFileSync(scratch.configFile, JSON.stringify({ instance: { id: "chat", outbound }, agents: [front] }));
  instance = await startIn(scratch);
});
afterAll(async () => {
  await instance?.stop();
  await telegram?.stop();
  scratch.remove();
});

async function api(path: string, method = "GET"): Promise<unknown> {
  const headers = { authorization: `Bearer ${instance.token}` };
  const response = await fetch(`${instance.workerUrl}/api/${path}`, { method, headers });
  expect(response.ok).toBe(true);
  return response.json();
}

const states = z.array(z.looseObject({ state: z.string() }));

async function stateBecomes(state: "running" | "idle") {
  const look = async () => states.parse(await api("agents"))[0]?.state;
  await expect.poll(look, { timeout: 60_000, interval: 100 }).toBe(state);
}

async function hear(updateId: number) {
  const chat = { id: 100, type: "private" };
  telegram.updates.push({ update_id: updateId, message: { message_id: updateId, chat, text: "How many?" } });
  await api("jobs/front/hear/run", "POST");
}

async function killAndStart() {
  await instance.kill();
  instance = await startIn(scratch, { loadConfig: false });
}

const sends = () => telegram.requests.filter(({ path }) => path.endsWith("/sendMessage")).length;

it("45: L2 the answer of a run that was killed before it answered reaches the chat, once", async () => {
  await hear(1);
  await stateBecomes("running");
  await killAndStart();
  await expect.poll(() => telegram.sent.length, { timeout: 60_000 }).toBe(1);
  await stateBecomes("idle");
  expect(sends()).toBe(1);
  expect(telegram.sent).toMatchObject([{ chat_id: "100", text: "Seven bags." }]);
});

it("40: L2 an answer that was under way when the power went is not sent twice, and is told as unknown", async () => {
  telegram.faults.push("no_entities", "hang");
  const before = telegram.requests.length;
  await hear(2);
  await telegram.received(before + 2);
  await killAndStart();
  await stateBecomes("idle");
  expect(sends()).toBe(2);
  expect(telegram.sent).toHaveLength(1);
  expect(JSON.stringify(await api("agents/front/conversation"))).toContain("It says: Unknown outcome");
});
