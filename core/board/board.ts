/** The taskboard's world: where it writes and whom it tells. */
import type { RunState } from "../agent/agent.ts";
import type { AcceptResult } from "../engine/world.ts";
import type { LiveEvent } from "../events.ts";
import type { CancelRequest, NewRun } from "../journal/runs.ts";
import type { Logger } from "../log.ts";
import { createReader, type Reader } from "../record/reader.ts";

export interface Board {
  readonly db: D1Database;
  readonly texts: R2Bucket;
  readonly now: () => number;
  readonly newTaskId: () => string;
  readonly newRunId: (objectName: string) => string;
  /** Hands a run to its object; idempotent; may reject. */
  readonly accept: (objectName: string, run: NewRun) => Promise<AcceptResult>;
  /** Whether the object knows the run, and whether it is over. */
  readonly runState: (runId: string) => Promise<RunState>;
  /** A run that its chain has admitted and that will not come to be after all. May reject. */
  readonly leaveChain: (rootRunId: string, runId: string) => Promise<void>;
  readonly cancelRun: (runId: string, request: CancelRequest) => Promise<void>;
  /** Tells the live feed; never rejects. */
  readonly publish: (events: readonly LiveEvent[]) => void;
  readonly log: Logger;
}

export function boardReader(board: Board): Reader {
  return createReader(board.db);
}

export function isoNow(board: Board): string {
  return new Date(board.now()).toISOString();
}
