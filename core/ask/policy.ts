/** Who may ask whom (L6). No I/O, no clock, no `this`. */
import type { DirectoryEntry } from "../engine/world.ts";
import { isAgentId } from "../ids.ts";
import type { Lineage, Trigger } from "../lineage.ts";

export type AskDenial =
  | "answering"
  | "not_enabled"
  | "malformed_id"
  | "self"
  | "on_path"
  | "unknown_agent"
  | "not_colleague";

export interface AskRequest {
  readonly askingAgentId: string;
  readonly trigger: Trigger;
  readonly lineage: Lineage;
  readonly enabled: boolean;
  /** From the agent's config: ids, or "*" for everybody. */
  readonly colleagues: readonly string[];
  readonly directory: readonly DirectoryEntry[];
  readonly targetAgentId: string;
}

export type AskDecision =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: AskDenial; readonly reason: string };

export function decideAsk(request: AskRequest): AskDecision {
  const target = request.targetAgentId;
  if (request.trigger === "ask")
    return deny(
      "answering",
      "you are answering a question yourself and cannot ask on; answer with what you know",
    );
  if (!request.enabled) return deny("not_enabled", "asking colleagues is not enabled for you");
  if (!isAgentId(target)) return deny("malformed_id", `that is not an agent's id. ${offer(request)}`);
  if (target === request.askingAgentId) return deny("self", "you cannot ask yourself");
  if (request.lineage.path.includes(target))
    return deny("on_path", "that colleague is waiting for you right now");
  if (!request.directory.some((entry) => entry.agentId === target))
    return deny("unknown_agent", `there is no agent with that id. ${offer(request)}`);
  if (!isColleague(request.colleagues, target))
    return deny("not_colleague", `that agent is not among your colleagues. ${offer(request)}`);
  return { ok: true };
}

/** The colleagues that an agent may ask, without itself. */
export function colleaguesOf(
  agentId: string,
  colleagues: readonly string[],
  directory: readonly DirectoryEntry[],
): DirectoryEntry[] {
  return directory.filter((entry) => entry.agentId !== agentId && isColleague(colleagues, entry.agentId));
}

function isColleague(colleagues: readonly string[], agentId: string): boolean {
  return colleagues.includes("*") || colleagues.includes(agentId);
}

function offer(request: AskRequest): string {
  const names = colleaguesOf(request.askingAgentId, request.colleagues, request.directory).map(
    (entry) => entry.agentId,
  );
  return names.length === 0
    ? "You have no colleagues to ask."
    : `You may ask: ${names.slice(0, 50).join(", ")}.`;
}

function deny(code: AskDenial, reason: string): AskDecision {
  return { ok: false, code, reason };
}

/** How a refused target is named in the record: what was asked for, cleaned so that it cannot break a pair's key. */
export function recordedTarget(targetAgentId: string, scrub: (text: string) => string): string {
  // What is left out may have stood in the middle of a secret: scrub afterwards.
  const printable = scrub(targetAgentId.replace(/[|\p{C}]/gu, "")).trim();
  const cut = Array.from(printable).slice(0, 63).join("");
  return cut === "" ? "unknown" : cut;
}
