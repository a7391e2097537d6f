/** Checks of whole documents: every fault at once, each with its path. */
import { MAX_ROW_TEXT_BYTES } from "../limits.ts";
import { type AgentConfig, agentSchema, MAX_AGENTS } from "./agent.ts";
import { channelIssues } from "./channel-names.ts";
import { emailWarnings } from "./email.ts";
import { type InstanceConfig, instanceSchema } from "./instance.ts";
import { type ConfigIssue, issueAt, type Parsed, type Path, parseAt } from "./issues.ts";
import { duplicateJobIds } from "./jobs.ts";
import { fieldOf, isRecord, isTooDeep, itemsOf, textOf } from "./raw.ts";
import { reportIssues } from "./report.ts";
import { agentWarnings, teamIssues, teamWarnings } from "./team.ts";
import { jobIssues, type ToolLookup, toolIssues } from "./tool-check.ts";

type Checked<T> =
  | (T & { readonly ok: true })
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] };

interface CheckedFile {
  readonly instance: InstanceConfig;
  readonly agents: readonly AgentConfig[];
  /** What is allowed and yet probably not meant. */
  readonly warnings: readonly ConfigIssue[];
}

interface CheckedAgent {
  readonly agent: AgentConfig;
  readonly warnings: readonly ConfigIssue[];
}

const FILE_KEYS: readonly string[] = ["instance", "agents"];
/** How a file's paths into its only agent begin. */
const OF_FILE = /^agents\[0\]\.?/;
const TOO_DEEP = [issueAt([], "Nested too deeply for a config")];

/** A whole config file `{instance, agents}`. Answers the documents with all defaults, or every fault. */
export function checkConfigFile(input: unknown, registry: ToolLookup): Checked<CheckedFile> {
  if (isTooDeep(input)) return { ok: false, issues: TOO_DEEP };
  if (!isRecord(input))
    return { ok: false, issues: [issueAt([], "Must be an object with instance and agents")] };
  const instance = instanceAt(input.instance, ["instance"]);
  const agents = itemsOf(input.agents).map((agent, index) => agentAt(agent, registry, ["agents", index]));
  const issues = [
    ...fileIssues(input),
    ...(instance.ok ? [] : instance.issues),
    ...agents.flatMap((agent) => (agent.ok ? [] : agent.issues)),
    ...teamIssues(input),
    ...channelIssues(input, registry),
  ];
  const sound = agents.flatMap((agent) => (agent.ok ? [agent.agent] : []));
  if (issues.length > 0 || !instance.ok) return { ok: false, issues };
  const ids = sound.map(({ agentId }) => agentId);
  const warnings = [...teamWarnings(sound), ...emailWarnings(instance.instance.email, ids)];
  return { ok: true, instance: instance.instance, agents: sound, warnings };
}

/** One agent's document, and whether it goes with the instance's where that is given. Whether its colleagues exist only the whole team can tell. */
export function checkAgent(
  input: unknown,
  registry: ToolLookup,
  instance: InstanceConfig | null = null,
): Checked<CheckedAgent> {
  if (isTooDeep(input)) return { ok: false, issues: TOO_DEEP };
  const checked = agentAt(input, registry, []);
  const issues = [
    ...(checked.ok ? [] : checked.issues),
    ...(instance === null ? [] : issuesBeside(instance, input, registry)),
  ];
  if (!checked.ok || issues.length > 0) return { ok: false, issues };
  return { ...checked, warnings: agentWarnings(checked.agent, []) };
}

function issuesBeside(instance: InstanceConfig, agent: unknown, registry: ToolLookup): ConfigIssue[] {
  const file = { instance, agents: [agent] };
  return [...teamIssues(file), ...channelIssues(file, registry)].map(({ path, message }) => ({
    path: path.replace(OF_FILE, ""),
    message,
  }));
}

/** The instance's document. */
export function checkInstance(input: unknown): Checked<{ readonly instance: InstanceConfig }> {
  return isTooDeep(input) ? { ok: false, issues: TOO_DEEP } : instanceAt(input, []);
}

function fileIssues(file: Readonly<Record<string, unknown>>): ConfigIssue[] {
  const unknown = Object.keys(file).filter((key) => !FILE_KEYS.includes(key));
  const issues = unknown.map((key) => issueAt([key], "Unknown key"));
  if (!Array.isArray(file.agents)) issues.push(issueAt(["agents"], "Must be the list of agents"));
  if (itemsOf(file.agents).length > MAX_AGENTS)
    issues.push(issueAt(["agents"], `At most ${MAX_AGENTS} agents`));
  return issues;
}

function instanceAt(input: unknown, path: Path): Checked<{ readonly instance: InstanceConfig }> {
  const parsed = parseAt(instanceSchema, input, path);
  const issues = [...written(parsed), ...noticesIssues(input, path), ...reportIssues(input, path)];
  return parsed.ok && issues.length === 0 ? { ok: true, instance: parsed.value } : { ok: false, issues };
}

function noticesIssues(instance: unknown, path: Path): ConfigIssue[] {
  const channel = textOf(fieldOf(instance, "notices"));
  const known = channel === null || fieldOf(fieldOf(instance, "channels"), channel) !== undefined;
  return known ? [] : [issueAt([...path, "notices"], "Names no entry of channels")];
}

function agentAt(input: unknown, registry: ToolLookup, path: Path): Checked<{ readonly agent: AgentConfig }> {
  const parsed = parseAt(agentSchema, input, path);
  const issues = [
    ...written(parsed),
    ...toolIssues(fieldOf(input, "tools"), registry, [...path, "tools"]),
    ...jobIssues(fieldOf(input, "toolJobs"), registry, [...path, "toolJobs"]),
    ...duplicateJobIds(input, path),
    ...(parsed.ok ? sizeIssues(parsed.value, path) : []),
  ];
  return parsed.ok && issues.length === 0 ? { ok: true, agent: parsed.value } : { ok: false, issues };
}

function written(parsed: Parsed<unknown>): ConfigIssue[] {
  return parsed.ok ? [] : parsed.faults.map((fault) => issueAt(fault.path, fault.message));
}

/** The agent's object keeps the document in one row. */
function sizeIssues(agent: AgentConfig, path: Path): ConfigIssue[] {
  const bytes = new TextEncoder().encode(JSON.stringify(agent)).length;
  return bytes <= MAX_ROW_TEXT_BYTES
    ? []
    : [issueAt(path, `Larger than ${MAX_ROW_TEXT_BYTES} bytes as a whole`)];
}
