/** A cancelled run takes its tools' connections with it: real processes, servers that never answer. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { Instance } from "../../scripts/instance/instance.mjs";
import { scratchFolder, startIn } from "./instance.ts";

const scratch = scratchFolder();
let instance: Instance;
let http: Silent;
let tcp: Silent;

interface Silent {
  readonly server: Server;
  readonly port: number;
  /** Settles with the connection once somebody has asked for something, or only connected. */
  readonly asked: Promise<Socket>;
}

/** Takes a connection and says nothing for ever. */
async function silent(server: Server, event: "connection" | "request"): Promise<Silent> {
  const { promise: asked, resolve } = Promise.withResolvers<Socket>();
  server.once(event, (came: Socket | { readonly socket: Socket }) =>
    resolve("socket" in came ? came.socket : came),
  );
  server.listen(0, "127.0.0.1");
  await new Promise((settle) => server.once("listening", settle));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return { server, port: address.port, asked };
}

const closed = (socket: Socket) =>
  socket.destroyed ? Promise.resolve() : new Promise((settle) => socket.once("close", settle));

interface Calling {
  readonly config: unknown;
  readonly args: unknown;
}

function caller(agentId: string, tool: string, { config, args }: Calling) {
  const script = JSON.stringify({ rules: [{ when: {}, calls: [{ name: tool, arguments: args }] }] });
  return {
    agentId,
    systemPrompt: "Call.",
    model: { provider: "scripted", script },
    tools: { [tool]: config },
  };
}

beforeAll(async () => {
  [http, tcp] = await Promise.all([
    silent(createHttpServer(), "request"),
    silent(createServer(), "connection"),
  ]);
  const vars = readFileSync(scratch.varsFile, "utf8");
  writeFileSync(scratch.varsFile, `${vars}BOT="1234567:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"\n`);
  const outbound = { allow: [`127.0.0.1:${http.port}`] };
  const agents = [
    caller("sender", "Telegram", {
      config: {
        botToken: { $secret: "BOT" },
        allowedChats: ["100"],
        apiBaseUrl: `http://127.0.0.1:${http.port}`,
      },
      args: { action: "send", chatId: "100", text: "hello" },
    }),
    caller("reader", "Mail", {
      config: {
        from: "reader@example.com",
        username: "reader",
        password: { $secret: "BOT" },
        security: "none",
        imapHost: "127.0.0.1",
        imapPort: tcp.port,
      },
      args: { action: "read_inbox" },
    }),
  ];
  writeFileSync(scratch.configFile, JSON.stringify({ instance: { id: "cancel", outbound }, agents }));
  instance = await startIn(scratch);
});
afterAll(async () => {
  await instance?.stop();
  for (const each of [http, tcp]) each?.server.close();
  scratch.remove();
});

async function post(path: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${instance.token}`, "content-type": "application/json" };
  const response = await fetch(instance.workerUrl + path, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  expect(response.ok, path).toBe(true);
  return response.json();
}

it.each(["sender", "reader"] as const)("cancelling the run of %s closes its connection", async (agentId) => {
  const shape = z.looseObject({ runId: z.string() });
  const { runId } = shape.parse(await post(`/api/agents/${agentId}/runs`, { message: "go", wait: false }));
  const socket = await (agentId === "sender" ? http : tcp).asked;
  expect(socket.destroyed).toBe(false);
  await post(`/api/runs/${runId}/cancel`, {});
  await closed(socket);
});
