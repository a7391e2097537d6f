/** Speaks Rocket.Chat's incoming webhook. */
import { z } from "zod";
import { startWebServer, type WebAnswer, type WebServer } from "./web-server.ts";

export const HOOK_PATH = "/hooks/5f1c2b3a4d5e6f7a8b9c0d1e/s3cr3tHookTokenOfTheTests0123456789";

const messageSchema = z.object({ text: z.string() });

export interface RocketChatServer extends WebServer {
  /** What incoming messages said. */
  readonly texts: readonly string[];
  /** What the next requests get instead, one each. */
  readonly faults: (WebAnswer | "cut" | "hang")[];
}

export async function startRocketChat(): Promise<RocketChatServer> {
  const texts: string[] = [];
  const faults: RocketChatServer["faults"] = [];
  const server = await startWebServer(({ method, path, body }) => {
    const fault = faults.shift();
    if (fault !== undefined) return fault;
    if (method !== "POST" || path !== HOOK_PATH) return refusal("Invalid integration id or token provided.");
    const message = messageSchema.safeParse(parsed(body));
    if (!message.success) return refusal("Invalid message data");
    if (message.data.text.length > 5_000) return refusal("error-message-size-exceeded");
    texts.push(message.data.text);
    return { status: 200, body: JSON.stringify({ success: true }) };
  });
  return { ...server, texts, faults };
}

function refusal(error: string): WebAnswer {
  return { status: 400, body: JSON.stringify({ success: false, error }) };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
