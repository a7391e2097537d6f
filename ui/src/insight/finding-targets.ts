/** Where a finding leads: its conversation, its messages, its chains, its task. No I/O. */
import { agentOf } from "../api/assignees.ts";
import type { Finding } from "../api/types.ts";

export interface Target {
  readonly view: "communication" | "chain" | "tasks";
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
}

export interface FindingTargets {
  /** At its newest message. Null where the finding is nobody's in particular, or one chain's. */
  readonly conversation: Target | null;
  readonly task: Target | null;
  /** Newest first; `at` in epoch milliseconds. */
  readonly messages: readonly { readonly id: number; readonly at: number; readonly target: Target }[];
  readonly chains: readonly { readonly rootRunId: string; readonly target: Target }[];
}

/** Ids of messages are their time in milliseconds times this, plus a running number. */
const IDS_PER_MILLISECOND = 2_048;

export function targetsOf({ agents, messageIds, rootRunIds, taskId }: Finding): FindingTargets {
  const [a = "", b = ""] = agents.map(agentOf);
  const [rootRunId = "", ...otherRoots] = rootRunIds;
  // Messages of one chain may be anybody's: the chain has them all.
  const inChain = b === "" && rootRunId !== "" && otherRoots.length === 0;
  const messageAt = (id: number | undefined): Target => {
    const m = id === undefined ? "" : String(id);
    return inChain
      ? { view: "chain", id: rootRunId, query: { m } }
      : { view: "communication", query: { a, b, m } };
  };
  const canShow = a !== "" || inChain;
  return {
    conversation: a === "" || inChain ? null : messageAt(messageIds.at(-1)),
    task: taskId === null ? null : { view: "tasks", query: { task: taskId } },
    messages: (canShow ? messageIds : [])
      .toReversed()
      .map((id) => ({ id, at: Math.floor(id / IDS_PER_MILLISECOND), target: messageAt(id) })),
    chains: rootRunIds.toReversed().map((id) => ({ rootRunId: id, target: { view: "chain", id } })),
  };
}
