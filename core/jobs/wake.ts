/** Wakes the agent: a run of its own root, or more words for one that still waits. */
import { acceptRun } from "../agent/agent.ts";
import type { ActiveRun } from "../engine/active-run.ts";
import type { World } from "../engine/world.ts";
import { type Lane, setInput } from "../journal/runs.ts";
import { WAKE_CHARS } from "../limits.ts";
import { rootLineage, type Trigger } from "../lineage.ts";
import type { Tick } from "./view.ts";

export interface WakeInput {
  readonly trigger: Extract<Trigger, "schedule" | "job">;
  readonly lane: Extract<Lane, "conversation" | "isolated">;
  readonly message: string;
  /** The run of the same job's last wake: while it waits, it takes this message too. Null: never. */
  readonly lastRunId: string | null;
  /** Ends the tick in the transaction that makes the wake durable. */
  readonly along: (runId: string) => Tick;
}

export type WakeResult =
  | { readonly ok: true; readonly tick: Tick }
  | { readonly ok: false; readonly reason: string };

/** A storm of wakes comes to one waiting run. Throws what `along` throws; nothing has happened then. */
export function wakeAgent(world: World, input: WakeInput): WakeResult {
  const waiting = waitingRun(world, input);
  if (waiting !== null) return addMessage(world, waiting, input);
  const runId = world.newRunId(world.objectName);
  const ticks: Tick[] = [];
  const accepted = acceptRun(
    world,
    {
      runId,
      trigger: input.trigger,
      lane: input.lane,
      priority: 0,
      lineage: rootLineage(runId),
      input: input.message,
      maxSteps: null,
      deadlineAt: null,
      taskId: null,
    },
    () => void ticks.push(input.along(runId)),
  );
  const [tick] = ticks;
  if (!accepted.ok) return accepted;
  return tick === undefined ? { ok: false, reason: "it has gone" } : { ok: true, tick };
}

function waitingRun(world: World, { lastRunId, lane }: WakeInput): ActiveRun | null {
  const run = lastRunId === null ? undefined : world.active.get(lastRunId);
  const waits = run !== undefined && run.startedAt === null && run.cancel === null;
  return waits && run.record.lane === lane ? run : null;
}

function addMessage(world: World, run: ActiveRun, { message, along }: WakeInput): WakeResult {
  const { runId } = run.record;
  const input = `${run.record.input}\n\n${world.scrubber.scrub(message)}`;
  if (input.length > WAKE_CHARS)
    return { ok: false, reason: "the agent has not yet begun on this job's earlier messages" };
  const tick = world.db.transaction(() => {
    setInput(world.db, runId, input);
    return along(runId);
  });
  run.record = { ...run.record, input };
  return { ok: true, tick };
}
