/**
 * The doors for others, through the viewer's address: the official clients of OpenAI, MCP and A2A, unchanged, a webhook,
 * and mail.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { a2aClient } from "./client-doors/a2a.ts";
import { agents, Door, instanceDocument, scripted, VARS } from "./client-doors/door.ts";
import { webhookAndMail } from "./client-doors/mail.ts";
import { mcpClient } from "./client-doors/mcp.ts";
import { openAiClient } from "./client-doors/openai.ts";
import { scratchFolder, startIn } from "./instance.ts";
import { startMailServer } from "./mail-server.ts";

const scratch = scratchFolder();
const door = new Door();

beforeAll(async () => {
  const mailServer = await startMailServer();
  const instance = instanceDocument(mailServer);
  writeFileSync(scratch.configFile, JSON.stringify({ instance, agents }));
  appendFileSync(scratch.varsFile, VARS);
  door.open(await startIn(scratch), mailServer);
  await door.api("agents/full/runs", { message: "first", wait: false });
});
afterAll(async () => {
  await door.close();
  scratch.remove();
});

openAiClient(door);
mcpClient(door);
a2aClient(door);
webhookAndMail(door);

describe("the tool Mcp of an agent", () => {
  it("25: offers what the remote server has and the config allows, but no way round the chain", async () => {
    const calls = (name: string) => ({ calls: [{ name, arguments: {} }] });
    const hello = { arguments: { agentId: "clerk", message: "Hello" } };
    const rules = [
      { when: { step: 0, user: "circle" }, calls: [{ name: "Mcp_self_chat", ...hello }] },
      { when: { step: 0, user: "agents" }, ...calls("Mcp_self_list_agents") },
      { when: { step: 0, user: "tasks" }, ...calls("Mcp_self_list_tasks") },
    ];
    const url = `${door.instance.workerUrl}/mcp`;
    const server = { name: "self", url, token: { $secret: "API_TOKEN" }, tools: ["list_agents", "chat"] };
    const liaison = scripted("liaison", { rules, otherwise: { say: "{{result}}" } });
    await door.api("agents/liaison", { ...liaison, tools: { Mcp: { servers: [server] } } }, "PUT");
    const said = async (message: string) =>
      z.object({ reply: z.string() }).parse(await door.api("agents/liaison/runs", { message })).reply;
    const agents = await said("agents");
    const frame = /^<untrusted_content source="mcp" id="(\w+)">\n(.*)\n<\/untrusted_content id="\1">$/s;
    expect(frame.exec(agents)?.[2]).toContain("clerk");
    // What the config does not allow there is not.
    expect(await said("tasks")).toContain("Offered: Mcp_self_list_agents, Mcp_self_chat.");
    // 25: a colleague asked through the door would be a chain of its own, without depth and budget.
    expect(await said("circle")).toContain("ask with ask_agent");
  });
});
