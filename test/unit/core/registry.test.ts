import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createRegistry, MAX_DESCRIPTION_CHARS, RegistryError } from "../../../core/registry.ts";
import { defineTool, defineToolSet, noAction, ok, type Tool, toolFunction } from "../../../core/tool.ts";

interface DescribedJob {
  readonly jobTypeId?: string;
  readonly name?: string;
  readonly description?: string;
}

interface Described {
  readonly jobs?: readonly DescribedJob[];
  readonly name?: string;
  readonly description?: string;
  readonly input?: z.ZodType;
}

function echoTool(described: Described = {}): Tool {
  return defineTool({
    name: described.name ?? "Echo",
    description: described.description ?? "Says the text again.",
    config: z.strictObject({}),
    input: described.input ?? z.strictObject({ text: z.string() }),
    repeatable: ["*"],
    parallel: ["*"],
    execute: async () => ok("echo"),
    jobs: (described.jobs ?? []).map((job) => ({
      jobTypeId: "look",
      name: "Look",
      description: "Looks for news.",
      run: async () => noAction(),
      ...job,
    })),
  });
}

function toolSet(name: string, functions: readonly string[]): Tool {
  const execute = async () => ok("done");
  return defineToolSet({
    name,
    description: "Several functions.",
    config: z.strictObject({}),
    functions: functions.map((each) =>
      toolFunction({
        name: each,
        description: "One of them.",
        input: z.strictObject({}),
        repeatable: [],
        parallel: [],
        execute,
      }),
    ),
  });
}

const codeOf = (tools: readonly Tool[]) => {
  try {
    createRegistry(tools);
  } catch (error) {
    return error instanceof RegistryError ? error.code : "another error";
  }
  return "built";
};

describe("the tool registry", () => {
  it("works with no tools at all", () => {
    const registry = createRegistry([]);
    expect(registry.names()).toEqual([]);
    expect(registry.get("FileRW")).toBeUndefined();
    expect(registry.functionsFor(["FileRW", "AskAgent"])).toEqual([]);
  });

  it("gives a tool by its name, and an unknown name nothing", () => {
    const echo = echoTool();
    const registry = createRegistry([echo]);
    expect(registry.get("Echo")).toBe(echo);
    expect(registry.get("echo")).toBeUndefined();
    expect(registry.get("constructor")).toBeUndefined();
  });

  it("offers the functions of the named tools only, in the order of the names", () => {
    const registry = createRegistry([
      echoTool(),
      toolSet("Many", ["many_a", "many_b"]),
      echoTool({ name: "Other" }),
    ]);
    const offered = registry.functionsFor(["Many", "AskAgent", "Echo", "Many"]);
    expect(offered.map((each) => [each.toolName, each.definition.name])).toEqual([
      ["Many", "many_a"],
      ["Many", "many_b"],
      ["Echo", "Echo"],
    ]);
  });

  it("tells the model name, description and parameters, and the engine how to call", () => {
    const [offered] = createRegistry([echoTool()]).functionsFor(["Echo"]);
    expect(offered?.definition).toEqual({
      name: "Echo",
      description: "Says the text again.",
      parameters: {
        type: "object",
        properties: { text: { type: "string" } },
        required: ["text"],
        additionalProperties: false,
      },
    });
    expect(offered?.bound.prepare({ text: "hello" })).toMatchObject({ ok: true });
  });

  const mistakes: readonly (readonly [string, string, readonly Tool[]])[] = [
    ["two tools of one name", "duplicate_tool", [echoTool(), echoTool()]],
    [
      "one function name in two tools",
      "duplicate_function",
      [toolSet("A", ["same"]), toolSet("B", ["same"])],
    ],
    ["one function name twice in a tool", "duplicate_function", [toolSet("A", ["same", "same"])]],
    [
      "a function named like another tool's only function",
      "duplicate_function",
      [echoTool(), toolSet("A", ["Echo"])],
    ],
    ["a name with a space", "bad_name", [echoTool({ name: "My Tool" })]],
    ["an empty name", "bad_name", [echoTool({ name: "" })]],
    ["a name of 65 characters", "bad_name", [echoTool({ name: "x".repeat(65) })]],
    ["a name that ends in a line break", "bad_name", [echoTool({ name: "Echo\n" })]],
    ["a function with a dot in its name", "bad_name", [toolSet("A", ["a.b"])]],
    ["a built-in tool's name", "reserved_name", [echoTool({ name: "AskAgent" })]],
    ["a built-in tool's name in another case", "reserved_name", [echoTool({ name: "taskBoard" })]],
    ["a built-in function's name", "reserved_name", [toolSet("A", ["ask_agent"])]],
    ["a name of the taskboard's family", "reserved_name", [toolSet("A", ["task_anything"])]],
    [
      "a name that the config answers with its successor",
      "reserved_name",
      [echoTool({ name: "AgentSpawn" })],
    ],
    ["the other one of those", "reserved_name", [echoTool({ name: "AgentComm" })]],
    ["an empty description", "bad_description", [echoTool({ description: " " })]],
    [
      "a description too long",
      "bad_description",
      [echoTool({ description: "x".repeat(MAX_DESCRIPTION_CHARS + 1) })],
    ],
    ["no functions", "no_functions", [toolSet("A", [])]],
    ["one job type twice in a tool", "duplicate_job", [echoTool({ jobs: [{}, {}] })]],
    ["a job type with a space", "bad_name", [echoTool({ jobs: [{ jobTypeId: "look twice" }] })]],
    ["a job without a name", "bad_name", [echoTool({ jobs: [{ name: " " }] })]],
    ["a job without a description", "bad_description", [echoTool({ jobs: [{ description: "" }] })]],
    ["an input that is a text", "bad_schema", [echoTool({ input: z.string() })]],
    ["an input that is a union", "bad_schema", [echoTool({ input: z.union([z.object({}), z.null()]) })]],
  ];
  it.each(mistakes)("is not built with %s", (_title, code, tools) => {
    expect(codeOf(tools)).toBe(code);
  });

  it("gives a tool's jobs, whose types are the tool's own", () => {
    const jobs = [{ jobTypeId: "look" }, { jobTypeId: "count" }];
    const registry = createRegistry([echoTool({ jobs }), echoTool({ name: "Other", jobs })]);
    expect(registry.get("Other")?.jobs.map(({ jobTypeId }) => jobTypeId)).toEqual(["look", "count"]);
    expect(registry.functionsFor(["Echo"]).map(({ definition }) => definition.name)).toEqual(["Echo"]);
  });

  it("accepts names and descriptions of just the allowed length", () => {
    const widest = { name: "x".repeat(64), description: "x".repeat(MAX_DESCRIPTION_CHARS) };
    expect(codeOf([echoTool(widest), echoTool({ name: "task" })])).toBe("built");
  });
});
