/**
 * Lineage (L4): where a run comes from. Only the engine makes these values, never an agent,
 * a tool argument or a client header.
 */

/** What started a run. */
export type Trigger = "chat" | "run" | "ask" | "task" | "schedule" | "job" | "email" | "webhook";

export interface Lineage {
  readonly runId: string;
  /** The run that caused this one; null for a root. */
  readonly parentRunId: string | null;
  /** The chain's id: the runId of its root. */
  readonly rootRunId: string;
  /** Counted along parents, a root is 1. */
  readonly depth: number;
  /** The agents that wait synchronously for this run right now, outermost first. */
  readonly path: readonly string[];
}

export function rootLineage(runId: string): Lineage {
  return { runId, parentRunId: null, rootRunId: runId, depth: 1, path: [] };
}

/** The lineage of a run that `parent` causes and does not wait for. */
export function childLineage(parent: Lineage, runId: string): Lineage {
  return { runId, parentRunId: parent.runId, rootRunId: parent.rootRunId, depth: parent.depth + 1, path: [] };
}

/** The lineage of a run that answers an ask: the asking agent joins the call path. */
export function askLineage(parent: Lineage, runId: string, askingAgentId: string): Lineage {
  return { ...childLineage(parent, runId), path: [...parent.path, askingAgentId] };
}
