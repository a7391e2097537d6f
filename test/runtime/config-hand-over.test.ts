/** What the hub has decided, on its way to the agents' objects. */
import { createScheduledController, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { chat, eventually, get, send } from "./support/api.ts";
import { agent, team } from "./support/team.ts";
import { resetWatch } from "./support/watched-world.ts";
import worker from "./worker.ts";

beforeEach(resetWatch);

const saying = (agentId: string, text: string) => agent(agentId, { rules: [{ say: text }] });
const put = (document: Record<string, unknown>) => send("PUT", `/api/agents/${document.agentId}`, document);

describe("a change that was cut short after the hub had taken it", () => {
  const hub = () => env.HUB.get(env.HUB.idFromName("hub"));
  const fileShape = z.looseObject({ instance: z.looseObject({}), agents: z.array(z.looseObject({})) });
  const minute = () =>
    worker.scheduled(createScheduledController({ cron: "* * * * *", scheduledTime: new Date() }), env);

  /** As a Worker does that ends right after. */
  async function onlyOrdered(agents: Record<string, unknown>[], text: string) {
    const { instance } = await hub().directory();
    if (instance === null) throw new Error("There is no config");
    const documents = agents.map((document) => {
      const agentId = String(document.agentId);
      return { entry: { agentId, name: text, description: text }, json: JSON.stringify(document) };
    });
    await hub().setDirectory({
      agents: documents,
      instance: { ...instance, perChain: { ...instance.perChain, depth: 2 } },
    });
  }

  it.each([
    ["the next minute", async () => void (await minute())],
    ["any other change", async () => void (await put(saying("other", "hello")))],
  ])("is brought to its end by %s", async (_name, carriedOn) => {
    await team([saying("a", "old"), agent("b")]);
    const { agents } = fileShape.parse(await get("/api/config"));
    const [a] = agents;
    await onlyOrdered([{ ...a, ...saying("a", "new") }], "renamed");
    expect((await chat("a", "hello")).reply).toBe("old");
    await carriedOn();
    expect((await chat("a", "hello")).reply).toBe("new");
    const stub = (agentId: string) => env.AGENTS.get(env.AGENTS.idFromName(agentId));
    expect(await stub("b").documents()).toBeNull();
    expect(JSON.parse((await stub("a").documents()) ?? "")).toMatchObject({
      instance: { perChain: { depth: 2 } },
    });
    expect([await env.CONFIG.get("agent:b"), (await env.CONFIG.get("agent:a"))?.includes("new")]).toEqual([
      null,
      true,
    ]);
    expect(await hub().unreached()).toEqual([]);
  });

  it("is told by the difference to a file that would change nothing, and ended by pushing that", async () => {
    await team([agent("a"), agent("b")]);
    const file = fileShape.parse(await get("/api/config"));
    await onlyOrdered(file.agents, "renamed");
    const ordered = { ...file, instance: (await hub().directory()).instance };
    const diff = async () => (await send("POST", "/api/config/diff", ordered)).json();
    expect(await diff()).toMatchObject({ changes: [], unreached: ["a", "b"] });
    await send("PUT", "/api/config", ordered);
    expect(await diff()).toMatchObject({ changes: [], unreached: [] });
  });

  it("is not mistaken for taken up by an object that has no documents yet", async () => {
    await team([agent("a")]);
    const {
      agent: document,
      directory,
      instance,
    } = JSON.parse((await env.AGENTS.get(env.AGENTS.idFromName("a")).documents()) ?? "");
    const early = env.AGENTS.get(env.AGENTS.idFromName("early"));
    const named = (name: string) => ({ directory: [{ agentId: "a", name, description: "" }] });
    expect(await early.share(named("third"), 3)).toEqual({ documents: 0, directory: 0, instance: 0 });
    await early.configure({ agent: document, directory, instance }, 1);
    await early.share(named("second"), 2);
    expect(await early.documents()).toContain("second");
  });

  it("is what the next change is told to replace, also where the agent did not work by that yet", async () => {
    await team([saying("rosa", "hello")]);
    const document = z.looseObject({}).parse(await get("/api/agents/rosa"));
    const entry = { agentId: "rosa", name: "Rosa", description: "new" };
    const ordered = { ...document, ...entry };
    await env.HUB.get(env.HUB.idFromName("hub")).putEntry({ entry, json: JSON.stringify(ordered) });
    await put({ ...ordered, agentId: "rosa", systemPrompt: "Be kind." });
    const told = async () => JSON.stringify(await get("/api/admin/log?action=config.put"));
    await eventually(async () => (await told()).includes('"rosa"'));
    expect(await told()).toContain('{\\"changed\\":[\\"systemPrompt\\"]}');
  });
});

describe("a document from before versions were kept", () => {
  it("can be gone back to once its agent was taken out of service", async () => {
    await put(saying("ancient", "still known"));
    const stub = env.AGENTS.get(env.AGENTS.idFromName("ancient"));
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec("DELETE FROM ConfigVersions");
    });
    await send("DELETE", "/api/agents/ancient");
    const [{ version }] = z
      .object({ versions: z.tuple([z.object({ version: z.number() })]) })
      .parse(await get("/api/agents/ancient/versions")).versions;
    await send("POST", "/api/agents/ancient/rollback", { version });
    expect((await chat("ancient", "hello")).reply).toBe("still known");
  });
});
