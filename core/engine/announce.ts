import type { LiveEvent } from "../events.ts";
import type { Lineage } from "../lineage.ts";
import type { ReceiptRow } from "../record/rows.ts";
import type { ActiveRun } from "./active-run.ts";
import { agentIdOf, type World } from "./world.ts";

/** Tells the live feed that a run changed its state. */
export function announceRun(world: World, run: ActiveRun, receipt: ReceiptRow | null): void {
  const state = receipt !== null ? "ended" : run.startedAt === null ? "queued" : "started";
  announce(world, run.record.lineage, { state, receipt });
}

/** Tells it of an end that it may not have heard of. */
export function announceEnd(world: World, lineage: Lineage, receipt: ReceiptRow): void {
  announce(world, lineage, { state: "ended", receipt });
}

function announce(
  world: World,
  { runId, rootRunId }: Lineage,
  news: Pick<Extract<LiveEvent, { type: "run" }>, "state" | "receipt">,
): void {
  world.publish([{ type: "run", runId, rootRunId, agentId: agentIdOf(world), ...news }]);
}
