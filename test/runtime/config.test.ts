import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { agentsShape, answerOf, chat, delivered, get, request, send } from "./support/api.ts";
import { agent, ask, team } from "./support/team.ts";
import { resetWatch, watch } from "./support/watched-world.ts";

beforeEach(resetWatch);

const refusal = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })),
  }),
});

async function refusedPaths(response: Response): Promise<string[]> {
  expect(response.status).toBe(400);
  const { error } = refusal.parse(await response.json());
  expect(error.code).toBe("bad_request");
  return error.issues.map(({ path }) => path);
}

/** All that the instance knows of its config, in force and stored. */
async function wholeConfig(): Promise<unknown> {
  const { keys } = await env.CONFIG.list();
  const stored = await Promise.all(keys.map(async ({ name }) => [name, await env.CONFIG.get(name)]));
  return { config: await get("/api/config"), agents: await get("/api/agents"), stored };
}

const saying = (agentId: string, text: string, spec: Record<string, unknown> = {}) =>
  agent(agentId, { rules: [{ say: text }], ...spec });
const put = (document: Record<string, unknown>) => send("PUT", `/api/agents/${document.agentId}`, document);
const lastRequest = (objectName: string) =>
  watch.requests.filter((item) => item.objectName === objectName).at(-1)?.text ?? "";

describe("a document with faults", () => {
  const faults: [string, Record<string, unknown>, string[]][] = [
    ["unknown keys", { colour: "red", limits: { speed: 1 } }, ["limits.speed", "colour"]],
    ["an unknown tool", { tools: { FileRV: {} } }, ["tools.FileRV"]],
    [
      "tools that were replaced",
      { tools: { AgentComm: {}, AgentSpawn: {} } },
      ["tools.AgentComm", "tools.AgentSpawn"],
    ],
    [
      "a wrong cron expression",
      { scheduler: [{ id: "s", cron: "61 * * * *", taskMessage: "x" }] },
      ["scheduler[0].cron"],
    ],
    ["an unknown time zone", { timeZone: "Europe/Atlantis" }, ["timeZone"]],
    [
      "a literal where a secret belongs",
      { tools: { Probe: { token: TEST_SECRETS.TEST_SECRET_C } } },
      ["tools.Probe.token"],
    ],
    [
      "a secret where none belongs",
      { tools: { Probe: { mark: { $secret: "TEST_SECRET_A" } } } },
      ["tools.Probe.mark"],
    ],
    ["no model", { model: undefined }, ["model"]],
    [
      "an unknown job type",
      { toolJobs: [{ jobId: "j", toolName: "FileRW", jobTypeId: "x", cron: "* * * * *" }] },
      ["toolJobs[0].jobTypeId"],
    ],
    ["a colleague that can be none", { colleagues: ["No|Agent"] }, ["colleagues[0]"]],
  ];

  it.each(faults)("(%s) is refused with the paths, and nothing changes", async (_name, fault, paths) => {
    await team([saying("a", "as before")]);
    const before = await wholeConfig();
    const document = { ...saying("a", "changed"), ...fault };
    expect((await refusedPaths(await put(document))).toSorted()).toEqual(paths.toSorted());
    const file = { instance: { id: "other" }, agents: [saying("new", "hello"), document] };
    const inFile = await refusedPaths(await send("PUT", "/api/config", file));
    expect(inFile.toSorted()).toEqual(paths.map((path) => `agents[1].${path}`).toSorted());
    expect(await wholeConfig()).toEqual(before);
    expect((await chat("a", "hello")).reply).toBe("as before");
  });

  it("is refused when it is another agent's than the address says", async () => {
    const response = await send("PUT", "/api/agents/a", saying("b", "hello"));
    expect(await refusedPaths(response)).toEqual(["agentId"]);
  });

  it("L5 is refused where it does not go with the instance's, also when an old version is gone back to", async () => {
    const reading = (name: string) => saying("a", "old", { tools: { Probe: { token: { $secret: name } } } });
    const telling = saying("a", "old", { tools: { Notify: { channels: ["team"] } } });
    const channels = { team: { type: "webhook", webhookUrl: { $secret: "TEST_SECRET_A" } } };
    await team([reading("TEST_SECRET_B")], { channels });
    await put(telling);
    await team([saying("a", "new")], { plainVars: ["TEST_SECRET_B"] });
    const { versions } = z
      .object({ versions: z.array(z.object({ version: z.number() })) })
      .parse(await get("/api/agents/a/versions"));
    const [, before, first] = versions;
    const back = (version = 0) => send("POST", "/api/agents/a/rollback", { version });
    for (const answer of [await put(reading("TEST_SECRET_B")), await back(first?.version)])
      expect(await refusedPaths(answer)).toEqual(["instance.plainVars[0]"]);
    for (const answer of [await put(telling), await back(before?.version)])
      expect(await refusedPaths(answer)).toEqual(["tools.Notify.channels[0]"]);
    expect((await put(reading("TEST_SECRET_C"))).status).toBe(200);
  });

  it.each(["Bad", "-x", "a|b", "", "instance", "x".repeat(64)])(
    "is refused when its agent is called %j",
    async (agentId) => {
      const address = `/api/agents/${encodeURIComponent(agentId) || "x"}`;
      const document = { ...saying("a", "hello"), agentId };
      expect(await refusedPaths(await send("PUT", address, document))).toEqual(["agentId"]);
    },
  );

  it("is told everything at once, and never what stood there", async () => {
    const literal = "hunter2hunter2hunter2";
    const response = await send("PUT", "/api/config", {
      instance: {
        id: "UPPER",
        perChain: { runs: 0 },
        channels: { t: { type: "webhook", webhookUrl: literal } },
      },
      agents: [agent("a", { model: { provider: "openai", name: "m", apiKey: literal } })],
      colour: "red",
    });
    const text = await response.clone().text();
    expect(text).not.toContain(literal);
    expect((await refusedPaths(response)).toSorted()).toEqual([
      "agents[0].model.apiKey",
      "colour",
      "instance.channels.t.webhookUrl",
      "instance.id",
      "instance.perChain.runs",
    ]);
  });

  it.each(["null", "[]", "7", "{", ""])("that is %j is refused, not tripped over", async (body) => {
    for (const path of ["/api/config", "/api/agents/a"])
      expect((await request(path, { method: "PUT", body })).status).toBe(400);
  });
});

describe("a change", () => {
  it("is in force at the next run, whatever KV still says", async () => {
    await team([saying("a", "old")]);
    const old = await env.CONFIG.get("agent:a");
    expect((await chat("a", "hello")).reply).toBe("old");
    await put(saying("a", "new"));
    await env.CONFIG.put("agent:a", old ?? "");
    expect((await chat("a", "hello")).reply).toBe("new");
    expect(JSON.stringify(await get("/api/agents/a"))).toContain("new");
    await env.CONFIG.delete("agent:a");
    expect((await chat("a", "hello")).reply).toBe("new");
    expect(JSON.stringify(await get("/api/config"))).toContain("new");
  });

  it("of the instance's rules is in force at the next run too", async () => {
    const chain = agent("a", {
      rules: [{ when: { step: 0 }, calls: [ask("b", "hm?")] }, { say: "{{result}}" }],
    });
    await team([chain, agent("b")]);
    expect((await chat("a", "go")).reply).toContain("b heard");
    await team([chain, agent("b")], { perChain: { depth: 1 } });
    expect((await chat("a", "go")).reply).toContain("Denied");
  });

  it("makes a new colleague known to the others at their next run", async () => {
    await team([
      agent("a", { rules: [{ when: { step: 0 }, calls: [ask("new", "hm?")] }, { say: "{{result}}" }] }),
    ]);
    expect((await chat("a", "go")).reply).toContain("Denied (unknown_agent)");
    await put(saying("new", "I am new", { description: "knows news" }));
    expect((await chat("a", "go")).reply).toBe("I am new");
    expect(lastRequest("a")).toContain("knows news");
    await put(saying("new", "I am new", { description: "knows olds" }));
    await chat("a", "go");
    expect(lastRequest("a")).toContain("knows olds");
  });

  it("that removes an agent makes it unknown to everybody", async () => {
    const asking = agent("a", {
      rules: [{ when: { step: 0 }, calls: [ask("b", "hm?")] }, { say: "{{result}}" }],
    });
    await team([asking, agent("b", { description: "soon gone" }), agent("c")]);
    const { runId } = await chat("b", "hello");
    await delivered();
    expect((await request("/api/agents/b", { method: "DELETE" })).status).toBe(200);
    for (const path of ["/api/agents/b", "/api/agents/b/conversation"])
      expect((await request(path)).status).toBe(404);
    expect((await send("POST", "/api/agents/b/chat", { message: "hello" })).status).toBe(404);
    expect((await request("/api/agents/b", { method: "DELETE" })).status).toBe(404);
    expect((await chat("a", "go")).reply).toContain("Denied (unknown_agent)");
    expect(lastRequest("a")).not.toContain("soon gone");
    expect(await get(`/api/runs/${runId}`)).toMatchObject({ receipt: { status: "completed" } });
    await put(agent("b"));
    expect((await chat("a", "go")).reply).toContain("b heard");
  });

  it("of the whole file takes agents that are not in it out of service", async () => {
    await team([agent("a"), agent("b")]);
    await team([agent("b")]);
    expect(agentsShape.parse(await get("/api/agents")).map(({ agentId }) => agentId)).toEqual(["b"]);
    expect((await send("POST", "/api/agents/a/chat", { message: "hello" })).status).toBe(404);
    expect(await env.CONFIG.get("agent:a")).toBeNull();
  });

  it("is not lost when many are made at once", async () => {
    await team([agent("a"), agent("b")]);
    const ids = Array.from({ length: 8 }, (_, n) => `many${n}`);
    await Promise.all([
      ...ids.map((id) => put(agent(id, { description: `${id} is here` }))),
      put(saying("b", "changed meanwhile")),
    ]);
    const known = agentsShape.parse(await get("/api/agents")).map(({ agentId }) => agentId);
    expect(known).toEqual(["a", "b", ...ids]);
    expect((await chat("b", "hello")).reply).toBe("changed meanwhile");
    for (const agentId of known) {
      await chat(agentId, "hello");
      const colleagues = ids.filter((id) => id !== agentId);
      expect(colleagues.filter((id) => !lastRequest(agentId).includes(`${id} is here`))).toEqual([]);
    }
    expect((await request("/api/agents/many0", { method: "DELETE" })).status).toBe(200);
  });
});

describe("documents that an object has lost", () => {
  const lose = async (agentId: string) => {
    const { revision } = await env.HUB.get(env.HUB.idFromName("hub")).directory();
    await env.AGENTS.get(env.AGENTS.idFromName(agentId)).configure(null, revision);
  };

  it("come back from KV when the agent is called or read", async () => {
    await team([saying("a", "here again", { description: "lost and found" }), agent("b")]);
    await lose("a");
    expect((await chat("a", "hello")).reply).toBe("here again");
    await lose("a");
    expect(await get("/api/agents/a")).toMatchObject({ description: "lost and found" });
    await lose("a");
    expect(JSON.stringify(await get("/api/config"))).toContain("lost and found");
    await lose("a");
    const waiting = await send("POST", "/api/agents/a/runs", { message: "hello", wait: false });
    expect(waiting.status).toBe(202);
  });

  it("do not come back from what KV still has from before the last change", async () => {
    await team([saying("a", "old")]);
    const old = await env.CONFIG.getWithMetadata("agent:a");
    await put(saying("a", "new"));
    const fresh = await env.CONFIG.getWithMetadata("agent:a");
    const keep = ({ value, metadata }: typeof old) => env.CONFIG.put("agent:a", value ?? "", { metadata });
    await lose("a");
    await keep(old);
    expect((await send("POST", "/api/agents/a/chat", { message: "hello" })).status).toBe(404);
    expect((await send("GET", "/api/config")).status, "no config without it").toBe(503);
    await keep(fresh);
    expect((await chat("a", "hello")).reply).toBe("new");
  });

  it("are not made up when KV has none either, or none that is sound", async () => {
    await team([agent("a")]);
    for (const stored of [null, "{}", '{"agentId": "a"}']) {
      await lose("a");
      await (stored === null ? env.CONFIG.delete("agent:a") : env.CONFIG.put("agent:a", stored));
      expect((await send("POST", "/api/agents/a/chat", { message: "hello" })).status).toBe(404);
    }
  });
});

describe("L5 a secret", () => {
  it("L5 stands in the config by its name only, wherever the config is read or kept", async () => {
    const model = { provider: "openai", name: "m", apiKey: { $secret: "TEST_SECRET_B" } };
    const tools = { Probe: { token: { $secret: "TEST_SECRET_C" } } };
    await team([agent("a", { model, tools }), agent("b")], {
      channels: { team: { type: "webhook", webhookUrl: { $secret: "TEST_SECRET_A" } } },
    });
    const everything = JSON.stringify([await wholeConfig(), await get("/api/agents/a")]);
    for (const [name, value] of Object.entries(TEST_SECRETS)) {
      expect(everything).toContain(name);
      expect(everything).not.toContain(JSON.stringify(value).slice(1, -1));
    }
  });

  it("L5 survives its way out of the instance and back", async () => {
    await team([agent("a", { tools: { Probe: { token: { $secret: "TEST_SECRET_C" } } } })]);
    const pulled = await get("/api/config");
    expect((await send("PUT", "/api/config", pulled)).status).toBe(200);
    expect(await get("/api/config")).toEqual(pulled);
  });
});

describe("pause", () => {
  const submit = (agentId: string) =>
    send("POST", `/api/agents/${agentId}/runs`, { message: "hello", wait: false });
  const waiting = async () =>
    agentsShape
      .parse(await get("/api/agents"))
      .map(({ agentId, paused, queued }) => [agentId, paused, queued]);

  it("in the document lets work wait until a document without it comes", async () => {
    await team([agent("a", { paused: true }), agent("b")]);
    expect((await submit("a")).status).toBe(202);
    expect(await waiting()).toEqual([
      ["a", true, 1],
      ["b", false, 0],
    ]);
    await put(agent("a", { paused: false }));
    await delivered();
    expect(await waiting()).toEqual([
      ["a", false, 0],
      ["b", false, 0],
    ]);
  });

  it("by a person is not undone by a document that does not change it", async () => {
    await team([agent("a")]);
    await send("POST", "/api/agents/a/pause");
    await put(saying("a", "changed"));
    expect(await waiting()).toEqual([["a", true, 0]]);
    await send("POST", "/api/agents/a/resume");
    expect((await chat("a", "hello")).reply).toBe("changed");
  });

  it("of the whole instance lets all work wait, and none is lost", async () => {
    await team([agent("a"), agent("b")]);
    expect(await (await send("POST", "/api/pause")).json()).toMatchObject({ paused: true });
    const chats = ["a", "b"].map((id) => send("POST", `/api/agents/${id}/chat`, { message: "hello" }));
    for (const id of ["a", "b"]) await submit(id);
    await expect.poll(waiting).toEqual([
      ["a", true, 2],
      ["b", true, 2],
    ]);
    expect(await (await send("POST", "/api/resume")).json()).toMatchObject({ paused: false });
    const replies = await Promise.all(chats.map(async (response) => (await answerOf(await response)).reply));
    expect(replies).toEqual(["a heard: hello", "b heard: hello"]);
    await delivered();
  });
});

describe("every answer that reads from D1", () => {
  it.each([
    "/api/messages",
    "/api/messages?q=hello&a=a&b=b",
    "/api/messages/1",
    "/api/messages/999999",
    "/api/pairs",
    "/api/audit",
    "/api/notices",
    "/api/runs/imported.0123456789",
    "/api/chains/imported.0123456789",
  ])("%s says what that has cost", async (path) => {
    const header = (await request(path)).headers.get("Server-Timing") ?? "";
    expect(header).toMatch(/^d1;desc="rows_read=\d+"$/);
  });

  it("counts what it has read", async () => {
    await team([
      agent("a", { rules: [{ when: { step: 0 }, calls: [ask("b", "hm?")] }, { say: "ok" }] }),
      agent("b"),
    ]);
    const { runId } = await chat("a", "go");
    await delivered();
    for (const path of ["/api/messages?a=a&b=b", `/api/chains/${runId}`]) {
      const header = (await request(path)).headers.get("Server-Timing") ?? "";
      expect(Number(/rows_read=(\d+)/.exec(header)?.[1])).toBeGreaterThanOrEqual(2);
    }
    expect((await request("/api/agents")).headers.get("Server-Timing")).toBeNull();
    expect((await request(`/api/runs/${runId}`)).headers.get("Server-Timing")).toBeNull();
  });
});
