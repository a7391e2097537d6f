/** What a tool call that a model asked for really is, before anything is done. No I/O, no clock, no `this`. */
import { z } from "zod";
import {
  BOARD_FUNCTIONS,
  type BoardCall,
  type BoardFunction,
  isBoardFunction,
  parseBoardCall,
} from "../board/functions.ts";
import type { AgentConfig } from "../config/agent.ts";
import type { ToolCall } from "../model/types.ts";
import type { Registry } from "../registry.ts";
import { holdsMask } from "../scrub/index.ts";
import type { BoundFunction, PreparedCall } from "../tool.ts";
import { parseJsonObject } from "./caps.ts";

export const ASK_FUNCTION = "ask_agent";

export const askArguments = z.object({
  agentId: z.string().describe("Id of the colleague, as in the list of colleagues."),
  question: z
    .string()
    .min(1)
    .describe("One short question with all that the colleague needs to know to answer it."),
});

export type AskArguments = z.infer<typeof askArguments>;

export type PlannedCall =
  | { readonly kind: "ask"; readonly args: AskArguments }
  | { readonly kind: "tool"; readonly tool: string; readonly prepared: Extract<PreparedCall, { ok: true }> }
  /** Like `tool`, once a person has allowed it. */
  | {
      readonly kind: "approval";
      readonly tool: string;
      readonly prepared: Extract<PreparedCall, { ok: true }>;
    }
  | { readonly kind: "board"; readonly call: BoardCall }
  | { readonly kind: "refused"; readonly message: string };

/** Never throws: what cannot be made becomes a refusal that the model can read and repair. */
export function planCall(call: ToolCall, agent: AgentConfig, registry: Registry): PlannedCall {
  if (call.name === ASK_FUNCTION) return planAsk(call);
  if (agent.tools.Taskboard !== undefined && isBoardFunction(call.name)) return planBoard(call, call.name);
  const offered = registry
    .functionsFor(Object.keys(agent.tools))
    .find((item) => item.bound.name === call.name);
  if (offered === undefined)
    return refused(`There is no function "${call.name.slice(0, 64)}". ${offers(agent, registry)}`);
  const args = parseArguments(call.arguments);
  if (args === null) return refused(NOT_AN_OBJECT);
  // Written out anew, so that no escape hides a mask.
  if (holdsMask(JSON.stringify(args))) return refused(MASKED);
  const prepared = prepareSafely(offered.bound, args);
  if (prepared === null) return refused(UNCHECKED);
  if (prepared.ok) {
    const names = [offered.bound.name, prepared.action];
    const kind = needsApproval(agent.tools[offered.toolName], names) ? "approval" : "tool";
    return { kind, tool: offered.toolName, prepared };
  }
  return refused(`Wrong arguments. ${issuesText(prepared.issues)}`);
}

const UNCHECKED = "The tool failed while it checked the arguments. Nothing was done.";

/** Null when the tool's own schema throws. */
function prepareSafely(bound: BoundFunction, args: Record<string, unknown>): PreparedCall | null {
  try {
    return prepareLeniently(bound, args);
  } catch {
    return null;
  }
}

const approvalList = z.object({ approve: z.array(z.string()) });

/** Listed under `approve` is the function, or the call's action as the tool will see it, not as the model wrote it. */
function needsApproval(toolConfig: unknown, names: readonly (string | null)[]): boolean {
  const listed = approvalList.safeParse(toolConfig);
  return listed.success && names.some((name) => name !== null && listed.data.approve.includes(name));
}

/** Many models send null for an optional argument that they leave out. */
function prepareLeniently(bound: BoundFunction, args: Record<string, unknown>): PreparedCall {
  const prepared = bound.prepare(args);
  if (prepared.ok) return prepared;
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  const without = bound.prepare(given);
  return without.ok ? without : prepared;
}

const MASKED =
  "The arguments hold a masked secret ([secret]). Masks are not values: leave the secret out, tools get theirs from the config.";

const NOT_AN_OBJECT =
  "The arguments are not a JSON object. Send one object that fits the function's parameters.";

function planAsk(call: ToolCall): PlannedCall {
  const args = parseArguments(call.arguments);
  if (args === null) return refused(NOT_AN_OBJECT);
  const parsed = askArguments.safeParse(args);
  if (parsed.success) return { kind: "ask", args: parsed.data };
  const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  return refused(`Wrong arguments. ${issuesText(issues)}`);
}

/** Like asks, tasks may mention a mask. */
function planBoard(call: ToolCall, name: BoardFunction): PlannedCall {
  const args = parseArguments(call.arguments);
  if (args === null) return refused(NOT_AN_OBJECT);
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  const parsed = parseBoardCall(name, given);
  return parsed.ok
    ? { kind: "board", call: parsed.call }
    : refused(`Wrong arguments. ${issuesText(parsed.issues)}`);
}

/** Empty arguments count as an empty object: many models send them so for functions without parameters. */
function parseArguments(json: string): Record<string, unknown> | null {
  return json.trim() === "" ? {} : parseJsonObject(json);
}

function issuesText(issues: readonly { readonly path: string; readonly message: string }[]): string {
  return issues
    .slice(0, 8)
    .map((issue) => (issue.path === "" ? issue.message : `${issue.path}: ${issue.message}`))
    .join("; ");
}

function offers(agent: AgentConfig, registry: Registry): string {
  const names = registry.functionsFor(Object.keys(agent.tools)).map((item) => item.bound.name);
  if (agent.tools.AskAgent !== undefined) names.push(ASK_FUNCTION);
  if (agent.tools.Taskboard !== undefined) names.push(...BOARD_FUNCTIONS.map((item) => item.name));
  return names.length === 0 ? "No function is offered." : `Offered: ${names.join(", ")}.`;
}

function refused(message: string): PlannedCall {
  return { kind: "refused", message };
}
