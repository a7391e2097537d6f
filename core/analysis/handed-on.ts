/** How far work was handed on within a chain: tasks given from one agent to the next. No I/O. */
import type { ChainMessage, ChainRun } from "./chain-facts.ts";

/** Handed on so often, work is far from whoever wanted it. */
const DEEP = 5;

/**
 * The depth to which work was handed on when the last ones who got it failed, that deep; else 0. Where the chain
 * begins is 1, and each task that an agent gives adds one. Questions on the way add nothing, nor does a run that
 * wakes somebody with a result or a comment: it goes on where its agent stood.
 */
export function failedDepth(runs: readonly ChainRun[], messages: readonly ChainMessage[]): number {
  const given = new Set(messages.filter(isOrder).map(({ runId, to }) => `${runId} ${to}`));
  const levels = levelsOf(runs, given);
  const worked = runs.filter((run) => isHandedOn(run, given));
  const levelOf = (run: ChainRun) => levels.get(run.runId) ?? 0;
  const deepest = Math.max(0, ...worked.map(levelOf));
  const failed = worked.some((run) => levelOf(run) === deepest && isFailure(run));
  return deepest >= DEEP && failed ? deepest : 0;
}

const isOrder = ({ channel, direction }: ChainMessage) => channel === "task" && direction === "request";
const isFailure = ({ status }: ChainRun) => status !== "completed" && status !== "cancelled";

/** The run that works on a task: its parent is the run that gave it. */
function isHandedOn({ trigger, parentRunId, agentId }: ChainRun, given: ReadonlySet<string>): boolean {
  return trigger === "task" && parentRunId !== null && given.has(`${parentRunId} ${agentId}`);
}

function levelsOf(runs: readonly ChainRun[], given: ReadonlySet<string>): ReadonlyMap<string, number> {
  const byId = new Map(runs.map((run) => [run.runId, run]));
  const levels = new Map<string, number>();
  for (const run of runs) {
    // Parents first, without recursion: chains may be long, and parents may run in a circle.
    const way: ChainRun[] = [];
    const seen = new Set<string>();
    for (let at: ChainRun | undefined = run; at !== undefined && !levels.has(at.runId); ) {
      if (seen.has(at.runId)) break;
      seen.add(at.runId);
      way.push(at);
      at = at.parentRunId === null ? undefined : byId.get(at.parentRunId);
    }
    for (const each of way.reverse()) levels.set(each.runId, levelOf(each, { byId, levels, given }));
  }
  return levels;
}

interface Known {
  readonly byId: ReadonlyMap<string, ChainRun>;
  readonly levels: ReadonlyMap<string, number>;
  readonly given: ReadonlySet<string>;
}

function levelOf(run: ChainRun, { byId, levels, given }: Known): number {
  const parent = run.parentRunId === null ? undefined : byId.get(run.parentRunId);
  if (parent === undefined) return 1;
  const above = levels.get(parent.runId) ?? 1;
  if (isHandedOn(run, given)) return above + 1;
  return run.trigger === "task" ? Math.min(above, ownLevel(run, { byId, levels })) : above;
}

/** So far up the agent's former run is looked for. */
const MAX_UP = 50;

/** The level of the agent's own run that it goes on from: the nearest one above it. */
function ownLevel(run: ChainRun, { byId, levels }: Pick<Known, "byId" | "levels">): number {
  let at = run;
  for (let up = 0; up < MAX_UP; up += 1) {
    const parent = at.parentRunId === null ? undefined : byId.get(at.parentRunId);
    if (parent === undefined || parent.runId === run.runId) break;
    if (parent.agentId === run.agentId) return levels.get(parent.runId) ?? 1;
    at = parent;
  }
  return Number.POSITIVE_INFINITY;
}
