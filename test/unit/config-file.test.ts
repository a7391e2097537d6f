import { describe, expect, it } from "vitest";
import { checkAgent, checkConfigFile, checkInstance } from "../../core/config/check.ts";
import {
  type Document,
  exampleTools,
  validAgent,
  validFile,
  validModel,
} from "../support/config-documents.ts";

const tools = exampleTools();

function agentPaths(changes: Document): string[] {
  const checked = checkAgent(validAgent(changes), tools);
  return checked.ok ? [] : checked.issues.map((issue) => issue.path);
}

function instancePaths(changes: Document): string[] {
  const checked = checkInstance({ id: "demo", ...changes });
  return checked.ok ? [] : checked.issues.map((issue) => issue.path);
}

function parsedAgent(changes: Document = {}) {
  const checked = checkAgent(validAgent(changes), tools);
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
  return checked.agent;
}

function fileOutcome(file: unknown) {
  const checked = checkConfigFile(file, tools);
  return checked.ok
    ? { issues: [], warnings: checked.warnings.map((warning) => warning.path) }
    : { issues: checked.issues.map((issue) => issue.path), warnings: [] };
}

const team = (...agents: Document[]) => ({ instance: { id: "demo" }, agents });

describe("a config file", () => {
  it("with every key of the contract is accepted without a warning", () => {
    expect(fileOutcome(validFile())).toEqual({ issues: [], warnings: [] });
  });

  it("tells all its faults at once, each with its path", () => {
    const file = {
      instance: { id: "Demo", timeZone: "Middle/Earth", notices: "nowhere", perChain: { runs: 0 } },
      agents: [
        validAgent({ tools: { Files: { rootPath: 7, color: "red" } }, limits: { steps: "many" } }),
        validAgent({ scheduler: [{ cron: "61 * * * *" }], nickname: "A" }),
      ],
      version: 2,
    };
    expect(fileOutcome(file).issues.sort()).toEqual([
      "agents[0].limits.steps",
      "agents[0].tools.Files.color",
      "agents[0].tools.Files.rootPath",
      "agents[1].agentId",
      "agents[1].nickname",
      "agents[1].scheduler[0].cron",
      "agents[1].scheduler[0].taskMessage",
      "instance.id",
      "instance.notices",
      "instance.perChain.runs",
      "instance.timeZone",
      "version",
    ]);
  });

  it.each([null, [], "text", 7, undefined])("that is %j as a whole is one fault of the whole", (file) => {
    expect(fileOutcome(file).issues).toEqual([""]);
  });

  it("names the parts that are missing", () => {
    expect(fileOutcome({}).issues.sort()).toEqual(["agents", "instance"]);
    expect(fileOutcome({ instance: {}, agents: [{}] }).issues.sort()).toEqual([
      "agents[0].agentId",
      "agents[0].model",
      "agents[0].systemPrompt",
      "instance.id",
    ]);
  });

  it("gives the second of two agents with the same id as the fault", () => {
    expect(fileOutcome(team(validAgent(), validAgent())).issues).toEqual(["agents[1].agentId"]);
  });

  it("warns of colleagues that are not in the file, and of an asking tool with nobody to ask", () => {
    const asking = validAgent({ agentId: "a", tools: { AskAgent: {} }, colleagues: ["analyst", "ghost"] });
    const alone = validAgent({ tools: { AskAgent: {} } });
    expect(fileOutcome(team(asking, alone))).toEqual({
      issues: [],
      warnings: ["agents[0].colleagues[1]", "agents[1].colleagues"],
    });
  });

  it("refuses a plain variable that is used as a secret, for it would stay readable in the record", () => {
    const file = { instance: { id: "demo", plainVars: ["A", "OPENAI_API_KEY"] }, agents: [validAgent()] };
    expect(fileOutcome(file).issues).toEqual(["instance.plainVars[1]"]);
  });

  it("is refused in one sentence when it is nested without end", () => {
    const nested: unknown = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
    expect(fileOutcome(team(validAgent({ tools: { Files: nested } }))).issues).toEqual([""]);
    expect(agentPaths({ colleagues: nested })).toEqual([""]);
    expect(instancePaths({ channels: nested })).toEqual([""]);
  });

  it("quotes keys in a path that would be ambiguous in it", () => {
    expect(agentPaths({ "a.b": 1, "": 2 }).sort()).toEqual(['[""]', '["a.b"]']);
  });
});

describe("defaults", () => {
  it("of an agent are filled in by parsing", () => {
    const { agentId, systemPrompt, model } = validAgent();
    expect(parsedAgent({ name: "Analyst" })).toMatchObject({ paused: false, colleagues: [], tools: {} });
    const checked = checkAgent({ agentId, systemPrompt, model }, tools);
    expect(checked).toMatchObject({
      ok: true,
      agent: {
        name: "analyst",
        description: "",
        limits: {
          steps: 20,
          runSeconds: 900,
          modelSeconds: 120,
          toolSeconds: 60,
          queue: 100,
          toolResultChars: 20000,
          askSeconds: 60,
          askSteps: 5,
        },
        scheduler: [],
        toolJobs: [],
      },
    });
  });

  it("of an instance are filled in by parsing", () => {
    expect(checkInstance({ id: "demo" })).toEqual({
      ok: true,
      instance: {
        id: "demo",
        timeZone: "UTC",
        retention: { audit: 0, receipts: 0, notices: 0, approvals: 30, ticks: 30, logs: 14, tasks: 0 },
        perChain: { runs: 100, depth: 8, costUsd: 5, tokens: 2_000_000 },
        perDay: { costUsd: 50 },
        siltedAfterHours: 48,
        plainVars: [],
        channels: {},
      },
    });
  });

  it("leave the agent's time zone open, so that the instance's holds", () => {
    expect(parsedAgent()).not.toHaveProperty("timeZone");
  });
});

describe("the model's config", () => {
  it("needs a name for openai and workers-ai, and none for scripted", () => {
    expect(agentPaths({ model: { provider: "openai" } })).toEqual(["model.name"]);
    expect(agentPaths({ model: { provider: "workers-ai" } })).toEqual(["model.name"]);
    expect(agentPaths({ model: { provider: "scripted" } })).toEqual([]);
  });

  it("knows three providers", () => {
    expect(agentPaths({ model: { provider: "oracle" } })).toEqual(["model.provider"]);
    expect(agentPaths({ model: {} })).toEqual(["model.provider"]);
  });

  it("takes a scenario as text and tells what is wrong in it", () => {
    const script = (text: string) => agentPaths({ model: { provider: "scripted", script: text } });
    expect(script('{"rules": []}')).toEqual([]);
    expect(script("scenarios/analyst.json")).toEqual(["model.script"]);
    expect(script('{"rules": 1}')).toEqual(["model.script"]);
  });

  it("refuses an address that is no http address or carries credentials", () => {
    const withUrl = (baseUrl: unknown) => agentPaths({ model: { ...validModel, baseUrl } });
    expect(withUrl("http://localhost:11434/v1")).toEqual([]);
    for (const url of ["models.example", "ftp://models.example", "https://user:pass@models.example", "", 7]) {
      expect(withUrl(url)).toEqual(["model.baseUrl"]);
    }
  });
});

describe("sizes", () => {
  it("are bounded", () => {
    expect(agentPaths({ systemPrompt: "x".repeat(100_000) })).toEqual([]);
    expect(agentPaths({ systemPrompt: "x".repeat(100_001) })).toEqual(["systemPrompt"]);
    expect(agentPaths({ colleagues: Array.from({ length: 501 }, () => "*") })).toEqual(["colleagues"]);
    expect(agentPaths({ tools: { Files: { rootPath: "x".repeat(1_900_000) } } })).toEqual([""]);
    expect(agentPaths({ limits: { steps: 0, queue: 1.5, askSeconds: -1 } }).sort()).toEqual([
      "limits.askSeconds",
      "limits.queue",
      "limits.steps",
    ]);
  });

  it.each(["", "Analyst", "-a", "a b", "a".repeat(64), "@human", 7])("refuse the agentId %j", (agentId) => {
    expect(agentPaths({ agentId })).toEqual(["agentId"]);
  });
});

describe("ids of schedules and jobs", () => {
  const schedule = { cron: "0 8 * * *", taskMessage: "Report" };
  const job = { toolName: "Post", jobTypeId: "post_check", cron: "0 8 * * *" };
  const ids = (changes: Document) => {
    const agent = parsedAgent({ tools: { Post: { host: "h", login: login() } }, ...changes });
    return [...agent.scheduler.map(({ id }) => id), ...agent.toolJobs.map(({ jobId }) => jobId)];
  };
  const login = () => ({ user: "u", password: { $secret: "P" } });

  it("are made from the content where none is given, and last as long as it does", () => {
    const first = ids({ scheduler: [schedule], toolJobs: [job] });
    expect(first).toEqual(
      ids({ scheduler: [{ ...schedule, enabled: false }], toolJobs: [{ ...job, runOnStart: true }] }),
    );
    expect(first).not.toEqual(ids({ scheduler: [{ ...schedule, cron: "0 9 * * *" }], toolJobs: [job] }));
    for (const id of first) expect(id).toMatch(/^[0-9a-f]{8}$/);
  });

  it("are unique among schedules and jobs together, because both are addressed the same way", () => {
    expect(agentPaths({ scheduler: [schedule, schedule] })).toEqual(["scheduler[1].id"]);
    expect(
      agentPaths({
        scheduler: [{ ...schedule, id: "same" }],
        toolJobs: [{ ...job, jobId: "same" }],
        paused: 1,
      }),
    ).toEqual(["paused", "toolJobs[0].jobId"]);
  });
});
