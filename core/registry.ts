/** The tools this instance was built with, checked once when it starts. */
import type { ToolFunction } from "./model/types.ts";
import type { BoundFunction, BoundJob, Tool } from "./tool.ts";
import { toolParameters } from "./tool-schema.ts";

/** Providers refuse longer or other function names. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
export const MAX_DESCRIPTION_CHARS = 1_024;

/** Built into core (`AskAgent`, `Taskboard`), or names that the config answers with what replaced them. */
const RESERVED = /^(askagent|taskboard|ask_agent|task_.*|agentcomm|agentspawn)$/i;

type RegistryErrorCode =
  | "bad_name"
  | "reserved_name"
  | "duplicate_tool"
  | "duplicate_function"
  | "duplicate_job"
  | "bad_description"
  | "no_functions"
  | "bad_schema";

/** A mistake in a tool's code; thrown when the registry is built, never during a run. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
  readonly code: RegistryErrorCode;

  constructor(code: RegistryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** One function that an agent's model may call. */
export interface OfferedFunction {
  /** The tool it belongs to, as in the config. */
  readonly toolName: string;
  /** What the model is told. */
  readonly definition: ToolFunction;
  /** What the engine calls. */
  readonly bound: BoundFunction;
}

export interface Registry {
  get(name: string): Tool | undefined;
  /** Names of all tools, in the order in which they were registered. */
  names(): readonly string[];
  /**
   * The functions of the named tools, in the order of the names. Names without a tool here are passed
   * over: `AskAgent` and `Taskboard` are config keys too, and unknown ones are the config check's business.
   */
  functionsFor(toolNames: readonly string[]): readonly OfferedFunction[];
}

/** Builds the registry; an empty list is fine. Throws {@link RegistryError} on a mistake in a tool. */
export function createRegistry(tools: readonly Tool[]): Registry {
  const byName = new Map<string, Tool>();
  const offered = new Map<string, readonly OfferedFunction[]>();
  const functionNames = new Set<string>();
  for (const tool of tools) {
    checkNaming(tool);
    claim(byName, tool.name, "duplicate_tool");
    if (tool.functions.length === 0 && tool.discovered === undefined)
      throw new RegistryError("no_functions", `${tool.name} has no functions`);
    checkJobs(tool);
    byName.set(tool.name, tool);
    offered.set(
      tool.name,
      tool.functions.map((bound) => offer(tool, bound, functionNames)),
    );
  }
  return {
    get: (name) => byName.get(name),
    names: () => [...byName.keys()],
    functionsFor: (toolNames) => [...new Set(toolNames)].flatMap((name) => offered.get(name) ?? []),
  };
}

function offer(tool: Tool, bound: BoundFunction, taken: Set<string>): OfferedFunction {
  claim(taken, bound.name, "duplicate_function");
  taken.add(bound.name);
  return offeredFunction(tool, bound);
}

/** Throws {@link RegistryError} for a function that cannot be offered to a model. */
export function offeredFunction(tool: Pick<Tool, "name">, bound: BoundFunction): OfferedFunction {
  checkNaming(bound);
  const { name, description } = bound;
  return { toolName: tool.name, definition: { name, description, parameters: parametersOf(bound) }, bound };
}

/** A config names a job by its tool and type, so a type is taken once in each tool. */
function checkJobs({ name: toolName, jobs }: Tool): void {
  const taken = new Set<string>();
  for (const { jobTypeId, name, description } of jobs) {
    checkNaming({ name: jobTypeId, description });
    checkTitle(toolName, { jobTypeId, name });
    claim(taken, jobTypeId, "duplicate_job");
    taken.add(jobTypeId);
  }
}

const MAX_TITLE_CHARS = 100;

function checkTitle(toolName: string, job: Pick<BoundJob, "jobTypeId" | "name">): void {
  if (job.name.trim() !== "" && job.name.length <= MAX_TITLE_CHARS) return;
  throw new RegistryError(
    "bad_name",
    `${toolName}: the name of ${job.jobTypeId} has 1 to ${MAX_TITLE_CHARS} characters`,
  );
}

function claim(
  taken: { has(name: string): boolean },
  name: string,
  code: "duplicate_tool" | "duplicate_function" | "duplicate_job",
) {
  if (taken.has(name)) throw new RegistryError(code, `${name} is registered twice`);
}

function checkNaming(named: { readonly name: string; readonly description: string }) {
  const { name, description } = named;
  if (!NAME.test(name)) throw new RegistryError("bad_name", `${JSON.stringify(name)} is no usable name`);
  if (RESERVED.test(name)) throw new RegistryError("reserved_name", `${name} belongs to the engine`);
  if (description.trim() === "" || description.length > MAX_DESCRIPTION_CHARS) {
    throw new RegistryError(
      "bad_description",
      `${name}: 1 to ${MAX_DESCRIPTION_CHARS} characters describe it`,
    );
  }
}

function parametersOf(bound: BoundFunction): ToolFunction["parameters"] {
  try {
    return toolParameters(bound.inputSchema);
  } catch (cause) {
    throw new RegistryError("bad_schema", `${bound.name}: its input has no usable JSON Schema`, { cause });
  }
}
