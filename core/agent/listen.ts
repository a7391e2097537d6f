import type { World } from "../engine/world.ts";
import type { RunEvent } from "../events.ts";
import type { NewRun } from "../journal/runs.ts";
import { endedResult } from "./agent.ts";

/** Tells the listener what happens in an accepted run from here on; of one that is over, its end. */
export function listen(world: World, run: NewRun, listener: (event: RunEvent) => void): void {
  const { runId, rootRunId } = run.lineage;
  const active = world.active.get(runId);
  if (active !== undefined) {
    listener({ type: "run", runId, rootRunId, state: active.startedAt === null ? "queued" : "started" });
    active.listeners.add(listener);
    return;
  }
  const ended = endedResult(world, runId);
  if (ended !== null) listener({ type: "done", reply: ended.reply, receipt: ended.receipt });
}
