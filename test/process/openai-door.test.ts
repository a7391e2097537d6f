/** The doors for others through the viewer's address: the official OpenAI client, unchanged, and a webhook. */
import { createHmac } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Instance } from "../../scripts/instance/instance.mjs";
import { scratchFolder, startIn } from "./instance.ts";

const scratch = scratchFolder();
let instance: Instance;
let client: OpenAI;

const usage = { inputTokens: 11, cachedInputTokens: 3, outputTokens: 7, reasoningTokens: 2 };
const scripted = (agentId: string, otherwise: unknown, rest: Record<string, unknown> = {}) => ({
  agentId,
  systemPrompt: "Answer.",
  model: { provider: "scripted", script: JSON.stringify({ rules: [], otherwise }) },
  ...rest,
});
const SECRET = "a-webhook-secret-of-this-test";
const webhooks = [{ name: "orders", secret: { $secret: "SHOP_HOOK" } }];
const LONG = "A long answer that takes its time. ".repeat(4);

beforeAll(async () => {
  const agents = [
    scripted("clerk", { say: "I heard: {{user}}", stream: { chars: 3 }, usage }, { webhooks }),
    scripted("slow", { say: LONG, stream: { chars: 10, delayMs: 100 } }),
    scripted("full", { say: "Never." }, { paused: true, limits: { queue: 1 } }),
    scripted("broken", { fail: { code: "auth", message: "The key is wrong." } }),
  ];
  writeFileSync(scratch.configFile, JSON.stringify({ instance: { id: "openai-test" }, agents }));
  appendFileSync(scratch.varsFile, `SHOP_HOOK="${SECRET}"\n`);
  instance = await startIn(scratch);
  client = clientWith(instance.token);
});
afterAll(async () => {
  await instance?.stop();
  scratch.remove();
});

const clientWith = (apiKey: string) =>
  new OpenAI({ apiKey, baseURL: new URL("/v1", instance.viewerUrl).href });

const ask = (model: string, content = "How many?") => ({
  model,
  messages: [{ role: "user" as const, content }],
});

const runShape = z.object({ run: z.looseObject({ state: z.string(), reply: z.string().nullable() }) });
async function api(path: string, body?: unknown) {
  const response = await fetch(`${instance.workerUrl}/api/${path}`, {
    headers: { authorization: `Bearer ${instance.token}` },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return response.json();
}

describe("the official client", () => {
  it("lists the agents as models and finds one", async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids.sort()).toEqual(["broken", "clerk", "full", "slow"]);
    expect(await client.models.retrieve("clerk")).toMatchObject({ object: "model", owned_by: "parley" });
  });

  it("gets an answer with its usage", async () => {
    const { data, response } = await client.chat.completions.create(ask("clerk")).withResponse();
    expect(data.choices).toMatchObject([
      { finish_reason: "stop", message: { role: "assistant", content: "I heard: How many?" } },
    ]);
    expect(data.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 });
    expect(data.id).toBe(`chatcmpl-${response.headers.get("x-parley-run")}`);
  });

  it("leads a conversation that it keeps itself", async () => {
    const answer = await client.chat.completions.create({
      model: "clerk",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "One?" },
        { role: "assistant", content: "One." },
        { role: "user", content: "And two?" },
      ],
    });
    const content = answer.choices[0]?.message.content ?? "";
    expect(content).toContain('{"role":"assistant","content":"One."}');
    expect(content.endsWith("And two?")).toBe(true);
  });

  it("reads a stream piece by piece, with the usage at its end", async () => {
    const stream = await client.chat.completions.create({
      ...ask("clerk"),
      stream: true,
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    let total: number | undefined;
    for await (const chunk of stream) {
      pieces.push(chunk.choices[0]?.delta.content ?? "");
      total = chunk.usage?.total_tokens ?? total;
    }
    expect(pieces.join("")).toBe("I heard: How many?");
    expect(pieces.filter((piece) => piece !== "").length).toBeGreaterThan(3);
    expect(total).toBe(18);
  });

  it("puts a stream together with its own helper", async () => {
    const runner = client.chat.completions.stream(ask("clerk"));
    expect((await runner.finalMessage()).content).toBe("I heard: How many?");
  });

  it("gets its own errors", async () => {
    const create = (model: string, rest: Record<string, unknown> = {}) =>
      client.chat.completions.create({ ...ask(model), ...rest }, { maxRetries: 0 });
    await expect(clientWith("wrong").models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(create("ghost")).rejects.toMatchObject({
      status: 404,
      code: "model_not_found",
      param: "model",
    });
    await expect(create("ghost")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(create("clerk", { n: 2 })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(create("clerk", { n: 2 })).rejects.toMatchObject({ param: "n" });
    await api("agents/full/runs", { message: "first", wait: false });
    await expect(create("full")).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(create("full", { stream: true })).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  });

  it("does not make a failed run again, although it tries failed requests again", async () => {
    let requests = 0;
    const counting = client.withOptions({
      fetch: (input, init) => {
        requests += 1;
        return fetch(input, init);
      },
    });
    const failed = counting.chat.completions.create(ask("broken"));
    await expect(failed).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    await expect(failed).rejects.toMatchObject({ code: "auth" });
    expect(requests).toBe(1);
    const streamed = await client.chat.completions.create({ ...ask("broken"), stream: true });
    const reading = async () => {
      for await (const chunk of streamed) expect(chunk.choices[0]?.finish_reason ?? null).toBeNull();
    };
    await expect(reading()).rejects.toBeInstanceOf(OpenAI.APIError);
  });

  it("may leave: the run goes on to its end", async () => {
    const stream = await client.chat.completions.create({ ...ask("slow"), stream: true });
    let id = "";
    for await (const chunk of stream) {
      id = chunk.id;
      if ((chunk.choices[0]?.delta.content ?? "") !== "") break;
    }
    expect(stream.controller.signal.aborted).toBe(true);
    const run = async () => runShape.parse(await api(`runs/${id.replace("chatcmpl-", "")}`)).run;
    await expect.poll(async () => (await run()).state, { timeout: 30_000, interval: 100 }).toBe("ended");
    expect((await run()).reply).toBe(LONG);
  });

  it("hears of its own abort as such", async () => {
    const abort = new AbortController();
    const waiting = client.chat.completions.create(ask("slow"), { signal: abort.signal });
    abort.abort();
    await expect(waiting).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
  });
});

describe("a webhook", () => {
  it("is taken by its signature alone, once", async () => {
    const body = JSON.stringify({ text: "Gr\u00fc\u00dfe, 7 \u20ac" });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const digest = createHmac("sha256", SECRET).update(`${timestamp}.${body}`).digest("hex");
    const headers = { "X-Parley-Timestamp": timestamp, "X-Parley-Delivery": "order-7" };
    const call = (signature: string) =>
      fetch(new URL("/hooks/clerk/orders", instance.viewerUrl), {
        method: "POST",
        headers: { ...headers, "X-Hub-Signature-256": signature },
        body,
      });
    expect((await call(`sha256=${"0".repeat(64)}`)).status).toBe(401);
    const first = await call(`sha256=${digest}`);
    expect(first.status).toBe(202);
    const { runId } = z.object({ runId: z.string() }).parse(await first.json());
    const again = await call(`sha256=${digest}`);
    expect([again.status, await again.json()]).toEqual([200, { runId }]);
    const run = async () => runShape.parse(await api(`runs/${runId}`)).run;
    await expect.poll(async () => (await run()).state, { timeout: 30_000, interval: 100 }).toBe("ended");
    expect((await run()).reply).toContain("Gr\u00fc\u00dfe, 7 \u20ac");
  });
});
