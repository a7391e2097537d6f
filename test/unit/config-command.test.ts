import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runScript, withInstance } from "../support/command.ts";

const COMMAND = fileURLToPath(import.meta.resolve("../../scripts/config.mjs"));
const TOKEN = "token-0123456789";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-config-"));
});
afterAll(() => rm(folder, { recursive: true }));

const VALID = `{
  // Comments and trailing commas are fine.
  "instance": { "id": "demo" },
  "agents": [{
    "agentId": "clerk", "name": "Clerk", "systemPrompt": "You help.", /* plays a scenario */
    "model": { "provider": "scripted", "script": "play/clerk.json" },
  }],
}`;
const SCENARIO = '{"rules": [{"when": {}, "say": "Good day."}]}';

async function writeConfig(text: string): Promise<string> {
  const path = join(folder, "config.json");
  await writeFile(path, text);
  return path;
}

const config = (args: readonly string[], env: Record<string, string> = {}) =>
  runScript(COMMAND, args, { cwd: folder, env });

async function writeScenario() {
  await mkdir(join(folder, "play"), { recursive: true });
  await writeFile(join(folder, "play", "clerk.json"), SCENARIO);
}

describe("npm run config -- check", { timeout: 60_000 }, () => {
  it("accepts a file with comments, trailing commas and a scenario beside it", async () => {
    await writeScenario();
    const ending = await config(["check", await writeConfig(VALID)]);
    expect(ending).toMatchObject({ code: 0, err: "" });
  });

  it("prints each problem with its path and ends with 1", async () => {
    const path = await writeConfig(
      '{"instance": {"id": "X"}, "agents": [{"agentId": "a", "tools": {"AgentComm": {}}}]}',
    );
    const { code, err } = await config(["check", path]);
    expect(code).toBe(1);
    for (const at of [
      "instance.id: ",
      "agents[0].systemPrompt: ",
      "agents[0].model: ",
      "agents[0].tools.AgentComm: ",
    ]) {
      expect(err).toContain(at);
    }
  });

  it("prints warnings and ends with 0", async () => {
    await writeScenario();
    const path = await writeConfig(VALID.replace('"name"', '"colleagues": ["ghost"], "name"'));
    const { code, err } = await config(["check", path]);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining("warning: agents[0].colleagues[0]: "),
    });
  });

  it("names the secrets that the instance needs", async () => {
    const model = '{"provider": "openai", "name": "m", "apiKey": {"$secret": "MODEL_KEY"}}';
    const path = await writeConfig(VALID.replace(/\{ "provider".*\}/, model));
    expect((await config(["check", path])).out).toContain("MODEL_KEY");
  });

  it("says where a file stops being JSON, without showing what stands there", async () => {
    const path = await writeConfig(
      '{\n  // a comment\n  "instance": { "id": "secret-4711" "agents": [] }\n}',
    );
    const { code, err } = await config(["check", path]);
    expect(code).toBe(1);
    expect(err).toContain("config.json:3:");
    expect(err).not.toContain("4711");
  });

  it("names the scenario file that is missing", async () => {
    const { code, err } = await config([
      "check",
      await writeConfig(VALID.replace("clerk.json", "nobody.json")),
    ]);
    expect(code).toBe(1);
    expect(err).toMatch(/^agents\[0\]\.model\.script: .*nobody\.json/m);
  });
});

describe("npm run config -- versions and rollback", { timeout: 60_000 }, () => {
  /** One answer for all: a version, the config, and what going back would change. */
  const answer = {
    versions: [{ version: 12, at: "2026-01-02T03:04:05.000Z", actor: "token:ops" }],
    document: { agentId: "clerk", systemPrompt: "You help." },
    instance: { id: "demo" },
    agents: [{ agentId: "clerk" }, { agentId: "other" }],
    changes: [{ agentId: "clerk", kind: "changed", changes: [] }],
  };
  const places = [
    ["clerk", "/api/agents/clerk"],
    ["instance", "/api/config"],
  ] as const;

  it.each(places)("list what %s was, and go back to it", async (name, place) => {
    await withInstance({ status: 200, body: JSON.stringify(answer) }, async (url, received) => {
      const at = ["--url", url, "--token", TOKEN];
      expect(await config(["versions", name, ...at])).toMatchObject({
        code: 0,
        out: "   12  2026-01-02T03:04:05.000Z  token:ops\n",
      });
      expect(received.at(-1)?.url).toBe(`${place}/versions`);
      expect(await config(["rollback", name, "12", "--yes", ...at])).toMatchObject({ code: 0, err: "" });
      expect(received.map(({ url: path }) => path)).toContain(`${place}/versions/12`);
      expect(received.at(-1)).toMatchObject({
        method: "POST",
        url: `${place}/rollback`,
        body: '{"version":12}',
      });
    });
  });
});

describe("npm run config -- push and pull", { timeout: 60_000 }, () => {
  it("send the whole file, scenarios included, with the token", async () => {
    await writeScenario();
    const path = await writeConfig(VALID);
    await withInstance({ status: 200, body: "{}" }, async (url, received) => {
      expect(await config(["push", path, "--url", url, "--token", TOKEN])).toMatchObject({
        code: 0,
        err: "",
      });
      const request = received.at(-1);
      expect(request).toMatchObject({ method: "PUT", url: "/api/config", authorization: `Bearer ${TOKEN}` });
      expect(JSON.parse(request?.body ?? "")).toMatchObject({
        instance: { id: "demo" },
        agents: [{ agentId: "clerk", model: { script: SCENARIO } }],
      });
    });
  });

  it("show what changes before they write, and write nothing when nothing does", async () => {
    await writeScenario();
    const path = await writeConfig(VALID);
    const change = { path: "limits.steps", kind: "changed", before: "20", after: "30" };
    const changes = [{ agentId: "clerk", kind: "changed", changes: [change] }];
    await withInstance({ status: 200, body: JSON.stringify({ changes }) }, async (url, received) => {
      const { code, out } = await config(["push", path, "--url", url, "--token", TOKEN]);
      expect({ code, out }).toEqual({
        code: 0,
        out: expect.stringContaining("~ agent clerk\n    ~ limits.steps: 20 -> 30\n"),
      });
      expect(received.map(({ method, url: at }) => `${method} ${at}`)).toEqual([
        "POST /api/config/diff",
        "PUT /api/config",
      ]);
      await config(["diff", path, "--url", url, "--token", TOKEN]);
      expect(received.at(-1)).toMatchObject({ method: "POST", url: "/api/config/diff" });
    });
    await withInstance({ status: 200, body: '{"changes": []}' }, async (url, received) => {
      const { code, out } = await config(["push", path, "--url", url, "--token", TOKEN]);
      expect({ code, out }).toEqual({ code: 0, out: "There is nothing to change.\n" });
      expect(received).toHaveLength(1);
    });
    await withInstance(
      { status: 200, body: '{"changes": [], "unreached": ["clerk"]}' },
      async (url, received) => {
        const { code, out } = await config(["push", path, "--url", url, "--token", TOKEN]);
        expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("everywhere yet: clerk.") });
        expect(received.at(-1)).toMatchObject({ method: "PUT" });
      },
    );
  });

  it("print the issues of an instance that refuses the file, each with its path", async () => {
    await writeScenario();
    const path = await writeConfig(VALID);
    const issues = [{ path: "agents[0].model.name", message: "Is missing" }];
    const body = JSON.stringify({ error: { code: "invalid_config", message: "No", issues } });
    await withInstance({ status: 400, body }, async (url) => {
      const { code, err } = await config(["push", path, "--url", url, "--token", TOKEN]);
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringContaining("agents[0].model.name: Is missing\n"),
      });
    });
  });

  it("print what the instance has as a file that can be pushed again", async () => {
    const file = { instance: { id: "demo" }, agents: [] };
    await withInstance(
      { status: 200, body: JSON.stringify({ ...file, version: 3 }) },
      async (url, received) => {
        const { code, out } = await config(["pull"], { PARLEY_URL: `${url}/`, API_TOKEN: TOKEN });
        expect({ code, file: JSON.parse(out) }).toEqual({ code: 0, file });
        expect(received).toMatchObject([
          { method: "GET", url: "/api/config", authorization: `Bearer ${TOKEN}` },
        ]);
      },
    );
  });

  it("take the token from .dev.vars, and above it from the file that PARLEY_VARS names", async () => {
    await writeFile(join(folder, ".dev.vars"), 'API_TOKEN="from-dev-vars"\n');
    await writeFile(join(folder, "other.vars"), "# ours\nAPI_TOKEN=from-other\n");
    await withInstance({ status: 200, body: '{"instance":{},"agents":[]}' }, async (url, received) => {
      await config(["pull", "--url", url]);
      await config(["pull", "--url", url], { PARLEY_VARS: "other.vars" });
      expect(received.map((request) => request.authorization)).toEqual([
        "Bearer from-dev-vars",
        "Bearer from-other",
      ]);
    });
    await rm(join(folder, ".dev.vars"));
  });

  it.each([
    ["a token that is not accepted", 401, "{}", "--token"],
    ["an address that is something else", 404, "<html>", "/api/config"],
    ["an answer that is no JSON", 200, "<html>", "JSON"],
  ])("say what to do about %s", async (_, status, body, hint) => {
    await withInstance({ status, body }, async (url) => {
      const { code, err } = await config(["pull", "--url", url, "--token", TOKEN]);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(hint) });
    });
  });

  it("say how to start an instance when none answers", async () => {
    let closed = "";
    await withInstance({ status: 200, body: "{}" }, async (url) => {
      closed = url;
    });
    const { code, err } = await config(["pull", "--url", closed, "--token", TOKEN]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("npm start") });
  });
});

describe("npm run config", { timeout: 60_000 }, () => {
  it.each([
    ["nothing to do", [], "check, push, pull"],
    ["an unknown command", ["send"], "send"],
    ["a missing file name", ["check"], "FILE"],
    ["a missing version", ["rollback", "clerk"], "AGENT and VERSION"],
    ["an unknown option", ["pull", "--force"], "--force"],
    ["a file that is not there", ["check", "nowhere.json"], "nowhere.json"],
    ["no token", ["pull"], "API_TOKEN"],
    ["--remote without an address", ["push", "--remote", "config.json"], "--url"],
    ["--remote without https", ["push", "--remote", "config.json", "--url", "http://127.0.0.1:1"], "https"],
    [
      "another machine without --remote",
      ["push", "config.json", "--url", "https://parley.example"],
      "--remote",
    ],
    ["an address that is none", ["pull", "--url", "parley"], "parley"],
  ])("answers %s with the next step and no stack trace", async (_, args, hint) => {
    const { code, out, err } = await config(args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(hint);
    expect(err).not.toMatch(/\n\s+at /);
  });

  it("explains itself", async () => {
    const { code, out } = await config(["--help"]);
    expect(code).toBe(0);
    for (const word of ["check FILE", "push [--remote] FILE", "pull", "--url", "--token"])
      expect(out).toContain(word);
  });
});
