import type { ActiveRun } from "./active-run.ts";
import type { Documents, World } from "./world.ts";

/** A run at one of its steps, and the documents that are in force for it. */
export interface StepContext {
  readonly world: World;
  readonly run: ActiveRun;
  readonly documents: Documents;
}
