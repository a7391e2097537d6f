import { expect, it } from "vitest";
import { createOpenAiClient } from "../../core/model/openai.ts";

const chunk = (content: string, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`;

const attempt = (respond: () => Response, apiKey: string | null = "key") =>
  createOpenAiClient({
    baseUrl: "https://model.invalid/v1",
    apiKey,
    model: "m",
    fetch: async () => respond(),
  }).attempt(
    { messages: [{ role: "user", content: "Hello?" }], tools: [] },
    { signal: new AbortController().signal },
  );

it("the OpenAI client reads a stream in the Workers runtime", async () => {
  const body = new Blob([chunk("Hel"), chunk("lo", "stop"), "data: [DONE]\n\n"]).stream();
  const result = await attempt(
    () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
    null,
  );
  expect(result).toMatchObject({ ok: true, answer: { text: "Hello", finish: "stop", usage: null } });
});

it("the OpenAI client sorts a refusal in the Workers runtime", async () => {
  const refuse = () =>
    Response.json({ error: { message: "Slow down" } }, { status: 429, headers: { "retry-after": "120" } });
  expect(await attempt(refuse)).toMatchObject({
    ok: false,
    failure: { code: "rate_limited", retryAfterMs: 120_000 },
  });
});
