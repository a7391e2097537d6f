import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { answerShape, chat, delivered, get } from "./support/api.ts";
import { errorOf, through } from "./support/door.ts";
import { agent, ask, team } from "./support/team.ts";

describe("D1 that is away", () => {
  const away = {
    prepare: () => {
      throw new Error("D1_ERROR: no such table: SELECT secret FROM x");
    },
  };
  const DB = new Proxy(env.DB, { get: (_, key) => Reflect.get(away, key) });

  it.each([
    "/api/messages",
    "/api/messages?q=hello",
    "/api/messages/1",
    "/api/pairs",
    "/api/audit",
    "/api/notices",
  ])("is told as 503 by %s, with a time to come back", async (path) => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const response = await through({ DB }, path);
    expect(response.headers.get("Retry-After")).toMatch(/^\d+$/);
    expect(await errorOf(response)).toEqual({ status: 503, code: "unavailable" });
    expect(logged.mock.calls.join()).toContain("D1_ERROR");
    logged.mockRestore();
  });

  it("does not keep chats, runs, cancels and chains from working", async () => {
    await team([
      agent("a", {
        rules: [{ when: { user: "ask", step: 0 }, calls: [ask("b", "and you?")] }, { say: "ok" }],
      }),
      agent("b"),
    ]);
    const chatted = await through({ DB }, "/api/agents/a/chat", {
      method: "POST",
      body: '{"message":"ask"}',
    });
    const { runId } = answerShape.parse(await chatted.json());
    const open: [string, string][] = [
      ["GET", "/api/agents"],
      ["GET", "/api/agents/a/conversation"],
      ["GET", `/api/runs/${runId}`],
      ["POST", `/api/runs/${runId}/cancel`],
      ["GET", `/api/chains/${runId}`],
      ["POST", `/api/chains/${runId}/release`],
      ["POST", `/api/chains/${runId}/cancel`],
      ["POST", "/api/pause"],
      ["POST", "/api/resume"],
      ["GET", "/api/config"],
    ];
    for (const [method, path] of open)
      expect({ path, status: (await through({ DB }, path, { method })).status }).toEqual({
        path,
        status: 200,
      });
    const chain = await (await through({ DB }, `/api/chains/${runId}`)).json();
    expect(chain).toMatchObject({ complete: false, messages: [], totals: { runs: 2, depth: 2 } });
    const accepted = await through({ DB }, "/api/agents/a/runs", {
      method: "POST",
      body: '{"message":"later","wait":false}',
    });
    expect(accepted.status).toBe(202);
    await delivered();
  });

  it("hides nothing for good: what the record did not know is there afterwards", async () => {
    const { runId } = await chat("a", "ask");
    await delivered();
    expect(await get(`/api/chains/${runId}`)).toMatchObject({ complete: true, rootRunId: runId });
  });
});

it("says nothing of its inside when something breaks there", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const HUB = new Proxy(env.HUB, {
    get: () => {
      throw new Error("secret inside at /srv/x.ts:1");
    },
  });
  const response = await through({ HUB }, "/api/agents");
  expect(await errorOf(response)).toEqual({ status: 500, code: "internal" });
  expect(logged.mock.calls.join()).toContain("secret inside");
  logged.mockRestore();
});
