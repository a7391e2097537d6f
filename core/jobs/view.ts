/** Jobs and their ticks as API and live feed show them. */
import type { TickRow } from "../record/rows.ts";
import type { JobKind, TickCause } from "../record/vocabulary.ts";

/** A tick that is over; times are ISO 8601 UTC. */
export type Tick = Omit<TickRow, "agentId" | "jobId" | "kind">;

export interface JobView {
  readonly agentId: string;
  readonly jobId: string;
  readonly kind: JobKind;
  /** What the tool calls the job; null for a schedule. */
  readonly name: string | null;
  /** Of a schedule. */
  readonly taskMessage: string | null;
  readonly stateless: boolean | null;
  /** Of a tool job. */
  readonly toolName: string | null;
  readonly jobTypeId: string | null;
  readonly runOnStart: boolean | null;
  readonly cron: string;
  readonly timeZone: string;
  readonly enabled: boolean;
  /** The tool's code is at work, or the schedule's run is not over. */
  readonly running: boolean;
  readonly lastTick: Tick | null;
  /** Null when it is switched off or never fires again. */
  readonly nextTick: string | null;
}

/** A tick of a job starts or ends. */
export type JobEvent = {
  readonly type: "job";
  readonly agentId: string;
  readonly jobId: string;
} & (
  | {
      readonly state: "started";
      readonly tick: { readonly uid: string; readonly cause: TickCause; readonly scheduledAt: string };
    }
  | { readonly state: "ended"; readonly tick: Tick }
);
