import { describe, expect, it } from "vitest";
import { checkAgent, checkConfigFile } from "../../core/config/check.ts";
import { createRegistry } from "../../core/registry.ts";
import { exampleTools, validAgent, validModel } from "../support/config-documents.ts";

const tools = exampleTools();
const LITERAL = "literal-password-4711";
const login = { user: "u", password: { $secret: "MAIL_PASSWORD" } };

function issuesOf(changes: Record<string, unknown>) {
  const checked = checkAgent(validAgent(changes), tools);
  return checked.ok ? [] : checked.issues;
}

const pathsOf = (changes: Record<string, unknown>) => issuesOf(changes).map((issue) => issue.path);
const postPaths = (config: Record<string, unknown>) =>
  pathsOf({ tools: { Post: { host: "mail.example", login, ...config } } });

describe("the tools of an agent", () => {
  it("are validated with each tool's own schema", () => {
    expect(pathsOf({ tools: { Files: { allowWrite: "yes", extensions: ["txt", ".md"] } } }).sort()).toEqual([
      "tools.Files.allowWrite",
      "tools.Files.extensions[0]",
      "tools.Files.rootPath",
    ]);
    expect(pathsOf({ tools: { Files: [], Post: null } })).toEqual(["tools.Files", "tools.Post"]);
  });

  it("that do not exist are refused with the name that was probably meant", () => {
    const [issue] = issuesOf({ tools: { files: { rootPath: "x" } } });
    expect(issue).toEqual({ path: "tools.files", message: expect.stringContaining("did you mean Files?") });
    expect(issuesOf({ tools: { askagent: {} } })[0]?.message).toContain("AskAgent");
    expect(issuesOf({ tools: { Weather: {} } })[0]?.message).not.toContain("did you mean");
  });

  it("of older instances are answered with what replaced them", () => {
    expect(issuesOf({ tools: { AgentComm: {}, AgentSpawn: { max: 3 } } })).toEqual([
      { path: "tools.AgentComm", message: expect.stringContaining("replaced by AskAgent and Taskboard") },
      {
        path: "tools.AgentSpawn",
        message: expect.stringContaining("replaced by Taskboard with assignee @new:<agent>"),
      },
    ]);
  });

  it("AskAgent and Taskboard have nothing to set", () => {
    expect(pathsOf({ tools: { AskAgent: {}, Taskboard: {} } })).toEqual([]);
    expect(pathsOf({ tools: { AskAgent: { timeout: 5 } } })).toEqual(["tools.AskAgent.timeout"]);
    expect(pathsOf({ tools: { Taskboard: true } })).toEqual(["tools.Taskboard"]);
  });

  it("take `approve`, a list of their actions", () => {
    const approve = (actions: unknown) => pathsOf({ tools: { Files: { rootPath: "x", approve: actions } } });
    expect(approve(["write", "read"])).toEqual([]);
    expect(approve(["write", "burn", 7])).toEqual(["tools.Files.approve[1]", "tools.Files.approve[2]"]);
    expect(approve("write")).toEqual(["tools.Files.approve"]);
    expect(postPaths({ approve: ["send"] })).toEqual([]);
  });

  it("that read everybody's conversations are warned of when two agents have them", () => {
    const registry = {
      get: (name: string) => (name === "AgentCommAnalysis" ? tools.get("Files") : undefined),
      names: () => ["AgentCommAnalysis"],
    };
    const analyst = (agentId: string) =>
      validAgent({ agentId, tools: { AgentCommAnalysis: { rootPath: "x" } } });
    const check = (...agents: unknown[]) => {
      const checked = checkConfigFile({ instance: { id: "demo" }, agents }, registry);
      return checked.ok ? checked.warnings.map((warning) => warning.path) : checked.issues;
    };
    expect(check(analyst("a"))).toEqual([]);
    expect(check(analyst("a"), analyst("b"))).toEqual([
      "agents[0].tools.AgentCommAnalysis",
      "agents[1].tools.AgentCommAnalysis",
    ]);
  });
});

describe("an instance without tools", () => {
  it("accepts agents that use what is built in, and nothing else", () => {
    const none = createRegistry([]);
    expect(
      checkAgent(validAgent({ colleagues: ["*"], tools: { AskAgent: {}, Taskboard: {} } }), none).ok,
    ).toBe(true);
    expect(checkAgent(validAgent({ tools: { Files: { rootPath: "x" } } }), none)).toMatchObject({
      ok: false,
      issues: [{ path: "tools.Files" }],
    });
  });
});

describe("tool jobs", () => {
  const job = (changes: Record<string, unknown>) =>
    issuesOf({
      toolJobs: [{ toolName: "Post", jobTypeId: "post_check", cron: "* * * * *", ...changes }],
    });

  it("name a tool and one of its job types", () => {
    expect(job({})).toEqual([]);
    expect(job({ toolName: "Pots" })).toMatchObject([{ path: "toolJobs[0].toolName" }]);
    expect(job({ toolName: "AgentComm" })[0]?.message).toContain("AskAgent");
    expect(job({ toolName: "Taskboard" })).toMatchObject([{ path: "toolJobs[0].toolName" }]);
    expect(job({ toolName: "Files" })).toMatchObject([{ path: "toolJobs[0].jobTypeId" }]);
    expect(job({ jobTypeId: "post_chek" })).toEqual([
      { path: "toolJobs[0].jobTypeId", message: expect.stringContaining("post_check") },
    ]);
  });

  it("of a tool that the agent has no settings for are warned of", () => {
    const toolJobs = [{ toolName: "Post", jobTypeId: "post_check", cron: "* * * * *" }];
    expect(checkAgent(validAgent({ toolJobs }), tools)).toMatchObject({
      ok: true,
      warnings: [{ path: "toolJobs[0].toolName" }],
    });
  });
});

describe("L5 a secret's place in the config", () => {
  it("takes a reference in every position of a schema, whatever the tool demands of the value", () => {
    const reference = { $secret: "NAME" };
    expect(
      postPaths({
        token: reference,
        headers: { "X-Key": reference },
        keys: [reference, reference],
        store: { type: "address", connection: reference },
        way: { url: reference },
      }),
    ).toEqual([]);
  });

  it.each([
    ["login.password", { login: { user: "u", password: LITERAL } }],
    ["token", { token: LITERAL }],
    ['headers["X Key"]', { headers: { "X Key": LITERAL } }],
    ["keys[1]", { keys: [{ $secret: "A" }, LITERAL] }],
    ["store.connection", { store: { type: "address", connection: LITERAL } }],
    ["way.url", { way: { url: LITERAL } }],
    ["token", { token: { $secret: `${LITERAL} is no name` } }],
    ["token", { token: { $secret: "A", value: LITERAL } }],
  ])("refuses a literal at %s and does not repeat it", (path, config) => {
    const issues = issuesOf({ tools: { Post: { host: "mail.example", login, ...config } } });
    expect(issues.map((issue) => issue.path)).toContain(`tools.Post.${path}`);
    expect(issues.every((issue) => issue.path.startsWith(`tools.Post.${path}`))).toBe(true);
    expect(JSON.stringify(issues)).not.toContain(LITERAL);
  });

  it("is the schema's to give: a reference anywhere else is refused", () => {
    expect(postPaths({ host: { $secret: "HOST" } })).toEqual(["tools.Post.host"]);
    expect(postPaths({ store: { type: "file", connection: { $secret: "FILE" } } })).toEqual([
      "tools.Post.store.connection",
    ]);
    expect(pathsOf({ systemPrompt: { $secret: "PROMPT" } })).toEqual(["systemPrompt"]);
  });

  it("may stay empty where the schema allows that", () => {
    expect(postPaths({ token: null })).toEqual([]);
    expect(pathsOf({ tools: { Post: { host: "h", login: { user: "u" } } } })).toEqual([
      "tools.Post.login.password",
    ]);
  });

  it("holds for the model's key and the channels' addresses too", () => {
    const model = issuesOf({ model: { ...validModel, apiKey: LITERAL } });
    expect(model).toMatchObject([{ path: "model.apiKey" }]);
    const channels = { team: { type: "rocketchat", webhookUrl: LITERAL } };
    const file = checkConfigFile({ instance: { id: "demo", channels }, agents: [] }, tools);
    expect(file).toMatchObject({ ok: false, issues: [{ path: "instance.channels.team.webhookUrl" }] });
    expect(JSON.stringify([model, file])).not.toContain(LITERAL);
  });
});
