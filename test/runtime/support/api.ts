/** The product's HTTP door, as a client uses it. */
import { exports } from "cloudflare:workers";
import { z } from "zod";

export const TOKEN = "test-token-0123456789";

export function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (!headers.has("Authorization")) headers.set("Authorization", `Bearer ${TOKEN}`);
  return exports.default.fetch(`http://parley.test${path}`, { ...init, headers });
}

export async function get(path: string): Promise<unknown> {
  const response = await request(path);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

export function send(method: string, path: string, body?: unknown): Promise<Response> {
  return request(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

export const receiptShape = z.looseObject({
  runId: z.string(),
  parentRunId: z.string().nullable(),
  rootRunId: z.string(),
  agentId: z.string(),
  trigger: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  steps: z.number(),
  toolCalls: z.number(),
  costUsd: z.number().nullable(),
  resumes: z.number(),
  error: z.string().nullable(),
});
export const answerShape = z.object({
  runId: z.string(),
  rootRunId: z.string(),
  status: z.string(),
  reply: z.string(),
  receipt: receiptShape,
});
export type Answer = z.infer<typeof answerShape>;

export async function chat(agentId: string, message: string): Promise<Answer> {
  return answerOf(await send("POST", `/api/agents/${agentId}/chat`, { message }));
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return answerShape.parse(JSON.parse(text));
}

export const messageShape = z.looseObject({
  id: z.number(),
  uid: z.string(),
  pairKey: z.string(),
  fromAgentId: z.string(),
  toAgentId: z.string(),
  channel: z.string(),
  direction: z.string(),
  content: z.string(),
  runId: z.string(),
  parentRunId: z.string().nullable(),
  rootRunId: z.string(),
  status: z.string(),
  occurredAt: z.string(),
  truncated: z.boolean(),
});
export type Message = z.infer<typeof messageShape>;

export async function messages(query = ""): Promise<Message[]> {
  return z.object({ messages: z.array(messageShape) }).parse(await get(`/api/messages${query}`)).messages;
}

export const auditShape = z.looseObject({
  uid: z.string(),
  runId: z.string(),
  parentRunId: z.string().nullable(),
  rootRunId: z.string(),
  tool: z.string(),
  arguments: z.string(),
  outcome: z.string(),
  error: z.string().nullable(),
});

export async function audit(query = "") {
  return z.array(auditShape).parse(await get(`/api/audit${query}`));
}

export const agentsShape = z.array(
  z.looseObject({
    agentId: z.string(),
    state: z.string(),
    queued: z.number(),
    unsent: z.number(),
    paused: z.boolean(),
  }),
);

/** Waits until the outboxes of all agents are empty: what they know is in D1. */
export async function delivered(): Promise<void> {
  await eventually(async () => {
    const agents = agentsShape.parse(await get("/api/agents"));
    return agents.every((agent) => agent.unsent === 0 && agent.state === "idle" && agent.queued === 0);
  });
}

/** Polls until it holds; the limit only keeps a broken test from hanging. */
export async function eventually(holds: () => Promise<boolean>, tries = 2_000): Promise<void> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("It never came true");
}
