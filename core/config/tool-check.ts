/** An agent's `tools` and `toolJobs` against the tools that this instance has. */
import { z } from "zod";
import type { Tool } from "../tool.ts";
import { type ConfigIssue, issueAt, type Path } from "./issues.ts";
import { fieldOf, isRecord, itemsOf, textOf } from "./raw.ts";
import { closestName } from "./suggest.ts";
import { toolConfigFaults } from "./tool-faults.ts";

/** The tools of this instance by name. */
export interface ToolLookup {
  get(name: string): Tool | undefined;
  names(): readonly string[];
}

/** Part of the core, switched on by their key; they have nothing to set. */
const BUILT_IN: readonly string[] = ["AskAgent", "Taskboard"];

const REPLACED: ReadonlyMap<string, string> = new Map([
  ["AgentComm", "AgentComm was replaced by AskAgent and Taskboard"],
  ["AgentSpawn", "AgentSpawn was replaced by Taskboard with assignee @new:<agent>"],
]);

/** Faults of the `tools` object at `path`; what is no object is left to the agent's schema. */
export function toolIssues(tools: unknown, registry: ToolLookup, path: Path): ConfigIssue[] {
  if (!isRecord(tools)) return [];
  return Object.entries(tools).flatMap(([name, config]) => {
    const at = [...path, name];
    if (BUILT_IN.includes(name)) return builtInIssues(config, at);
    const tool = registry.get(name);
    if (tool === undefined) return [issueAt(at, unknownTool(name, registry))];
    return isRecord(config) ? configIssues(tool, config, at) : [];
  });
}

function builtInIssues(config: unknown, path: Path): ConfigIssue[] {
  if (!isRecord(config)) return [];
  return Object.keys(config).map((key) =>
    issueAt([...path, key], "Unknown key; this tool has no settings, write {}"),
  );
}

function configIssues(tool: Tool, config: Readonly<Record<string, unknown>>, path: Path): ConfigIssue[] {
  const { approve, ...own } = config;
  return [
    ...toolConfigFaults(tool.configSchema, own, path).map((fault) => issueAt(fault.path, fault.message)),
    ...(approve === undefined ? [] : approveIssues({ tool, own }, approve, [...path, "approve"])),
  ];
}

interface Configured {
  readonly tool: Tool;
  readonly own: unknown;
}

function approveIssues({ tool, own }: Configured, approve: unknown, path: Path): ConfigIssue[] {
  if (!Array.isArray(approve)) return [issueAt(path, "Must be a list of actions that wait for a person")];
  const functions = [...tool.functions, ...(tool.discovered?.bind(own, null) ?? [])];
  const known = functions.flatMap((fn) => actionsOf(fn.inputSchema) ?? [fn.name]);
  return itemsOf(approve).flatMap((action, index) =>
    known.some((name) => name === action)
      ? []
      : [issueAt([...path, index], `Must be one of this tool's actions: ${known.join(", ")}`)],
  );
}

/** The values that a function's `action` may have; null when it has no such argument. */
function actionsOf(input: z.ZodType): readonly string[] | null {
  const action = input instanceof z.ZodObject ? withoutDefault(input.shape.action) : undefined;
  if (action instanceof z.ZodEnum) return action.options.map(String);
  return action instanceof z.ZodLiteral ? [...action.values].map(String) : null;
}

function withoutDefault(schema: unknown): unknown {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional
    ? withoutDefault(schema.unwrap())
    : schema;
}

function unknownTool(name: string, registry: ToolLookup): string {
  const replaced = REPLACED.get(name);
  if (replaced !== undefined) return replaced;
  const closest = closestName(name, [...registry.names(), ...BUILT_IN]);
  return closest === null ? "Unknown tool" : `Unknown tool; did you mean ${closest}?`;
}

/** Faults of the `toolJobs` list at `path`: unknown tools and job types. */
export function jobIssues(toolJobs: unknown, registry: ToolLookup, path: Path): ConfigIssue[] {
  return itemsOf(toolJobs).flatMap((job, index) => {
    const toolName = textOf(fieldOf(job, "toolName"));
    const jobTypeId = textOf(fieldOf(job, "jobTypeId"));
    if (toolName === null) return [];
    const tool = registry.get(toolName);
    if (tool === undefined) return [issueAt([...path, index, "toolName"], jobsOfUnknown(toolName, registry))];
    return jobTypeId === null
      ? []
      : jobTypeIssues(
          tool.jobs.map((offered) => offered.jobTypeId),
          jobTypeId,
          [...path, index, "jobTypeId"],
        );
  });
}

function jobsOfUnknown(name: string, registry: ToolLookup): string {
  return BUILT_IN.includes(name) ? "This tool offers no jobs" : unknownTool(name, registry);
}

function jobTypeIssues(jobTypes: readonly string[], jobTypeId: string, path: Path): ConfigIssue[] {
  if (jobTypes.includes(jobTypeId)) return [];
  if (jobTypes.length === 0) return [issueAt(path, "This tool offers no jobs")];
  const closest = closestName(jobTypeId, jobTypes);
  const hint = closest === null ? `this tool offers ${jobTypes.join(", ")}` : `did you mean ${closest}?`;
  return [issueAt(path, `Unknown job type; ${hint}`)];
}
