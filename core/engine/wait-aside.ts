import { gateEntry } from "../gate/entry.ts";
import type { ActiveRun } from "./active-run.ts";
import type { World } from "./world.ts";

/** Waits shorter than this are not worth handing the gate over. */
const LEND_FROM_MS = 250;

/** Waits for that many milliseconds with the gate lent (L1), and gets it back unless the run was ended meanwhile. */
export async function waitAside(world: World, run: ActiveRun, ms: number): Promise<void> {
  const lends = ms >= LEND_FROM_MS;
  if (lends) world.gate.lend(run.record.runId);
  await world.sleep(ms, run.abort.signal);
  if (lends && !run.abort.signal.aborted) await world.gate.enter(gateEntry(run, true));
}
