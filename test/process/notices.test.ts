/** What a person's channel hears of a whole demo run, under `npm start`, over a real connection. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { Instance } from "../../scripts/instance/instance.mjs";
import { HOOK_PATH, type RocketChatServer, startRocketChat } from "../service/servers/rocketchat.ts";
import { readConfig, readInstruction } from "../support/demo-team.ts";
import { scratchFolder, startIn } from "./instance.ts";

const scratch = scratchFolder();
let chat: RocketChatServer;
let instance: Instance;

beforeAll(async () => {
  chat = await startRocketChat();
  const vars = readFileSync(scratch.varsFile, "utf8");
  writeFileSync(scratch.varsFile, `${vars}CHAT_URL="${chat.baseUrl}${HOOK_PATH}"\n`);
  const demo = readConfig();
  const channels = { team: { type: "rocketchat", webhookUrl: { $secret: "CHAT_URL" } } };
  const document = {
    instance: { ...demo.instance, channels, notices: "team", outbound: { allow: [chat.host] } },
    agents: demo.agents.map((agent) => ({ ...agent, model: withScript(agent.model) })),
  };
  writeFileSync(scratch.configFile, JSON.stringify(document));
  instance = await startIn(scratch);
});
afterAll(async () => {
  await instance?.stop();
  await chat?.stop();
  scratch.remove();
});

function withScript<Model extends { readonly script: string }>(model: Model): Model {
  return { ...model, script: readFileSync(join("demo", model.script), "utf8") };
}

async function api(path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${instance.workerUrl}/api/${path}`, {
    headers: { authorization: `Bearer ${instance.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return response.json();
}

const noticesShape = z.array(
  z.object({ kind: z.string(), text: z.string(), delivery: z.string().nullable(), attempts: z.number() }),
);
const tasksShape = z.array(z.looseObject({ status: z.string(), assignee: z.string() }));
const agentsShape = z.array(z.looseObject({ state: z.string(), queued: z.number(), unsent: z.number() }));
const messagesShape = z.object({ messages: z.array(z.looseObject({ content: z.string() })) });

async function fireCron() {
  await fetch(`${instance.workerUrl}/cdn-cgi/local/scheduled?cron=*+*+*+*+*&time=${Date.now()}`);
}

it("is told of the person's task at once, and never what agents say to each other", async () => {
  await api("agents/assistant/chat", { message: readInstruction().en });
  await chat.received(1);
  await expect
    .poll(async () => (await boardIsQuiet()) && (await pending()) === 0, { timeout: 90_000, interval: 500 })
    .toBe(true);
  const notices = noticesShape.parse(await api("notices"));
  expect(notices.map(({ kind }) => kind)).toContain("human_task");
  for (const { text } of notices) expect(chat.texts.some((heard) => heard.includes(text))).toBe(true);
  expect(chat.texts).toHaveLength(notices.length);
  const { messages } = messagesShape.parse(await api("messages?limit=500"));
  expect(messages.length).toBeGreaterThan(15);
  const heard = chat.texts.join("\n");
  for (const { content } of messages) expect(heard).not.toContain(content);
});

it("waits in the list of notices, with the attempt and without the address, while the channel is away", async () => {
  const before = chat.texts.length;
  // An hour, so that whatever minute fires meanwhile makes no second attempt.
  chat.faults.push({ status: 503, headers: { "retry-after": "3600" }, body: "" });
  await api("tasks", { title: "Sign the lease", description: "Please.", assignee: "@human" });
  await fireCron();
  await expect
    .poll(async () => newestNotice(), { timeout: 60_000 })
    .toMatchObject({
      kind: "human_task",
      delivery: null,
      attempts: 1,
      lastError: expect.stringContaining("503"),
    });
  expect(chat.faults).toEqual([]);
  expect(chat.texts).toHaveLength(before);
  expect(JSON.stringify(await api("notices"))).not.toContain(HOOK_PATH);
});

async function newestNotice(): Promise<unknown> {
  return z.array(z.unknown()).parse(await api("notices"))[0];
}

/** Nobody is at work, and nothing is left for an agent to begin with. */
async function boardIsQuiet(): Promise<boolean> {
  const tasks = tasksShape.parse(await api("tasks"));
  const agents = agentsShape.parse(await api("agents"));
  const underWay = tasks.filter(
    ({ status, assignee }) =>
      assignee !== "@human" && ["open", "dispatched", "running", "review"].includes(status),
  );
  const atWork = agents.filter(({ state, queued, unsent }) => state !== "idle" || queued + unsent > 0);
  return tasks.length > 3 && underWay.length + atWork.length === 0;
}

async function pending(): Promise<number> {
  return noticesShape.parse(await api("notices")).filter(({ delivery }) => delivery === null).length;
}
