import type { ReceiptRow } from "../record/rows.ts";
import type { ActiveRun } from "./active-run.ts";
import { agentIdOf, type World } from "./world.ts";

/** Tells the live feed that a run changed its state. */
export function announceRun(world: World, run: ActiveRun, receipt: ReceiptRow | null): void {
  const { runId, rootRunId } = run.record.lineage;
  const state = receipt !== null ? "ended" : run.startedAt === null ? "queued" : "started";
  world.publish([{ type: "run", runId, rootRunId, agentId: agentIdOf(world), state, receipt }]);
}
