/** The end of a tick, as far as it belongs into one transaction: its row for D1, the job's row, a person's notice. */
import { jobNotice } from "../channels/job-notice.ts";
import { agentIdOf, type World } from "../engine/world.ts";
import { putOutbox } from "../journal/outbox.ts";
import { iso } from "../record/instant.ts";
import type { JobKind, TickOutcome } from "../record/vocabulary.ts";
import type { Job } from "./job.ts";
import type { Missed } from "./plan.ts";
import { closeTick, readJob } from "./store.ts";
import { missedTick, tickUid } from "./tick.ts";
import type { Tick } from "./view.ts";

export interface TickOf {
  readonly jobId: string;
  readonly kind: JobKind;
  readonly tick: Tick;
}

/** The caller makes the transaction and tells the others afterwards, see `announceTick`. */
export function recordTick(world: World, { jobId, kind, tick }: TickOf): void {
  const agentId = agentIdOf(world);
  putOutbox(world.db, { kind: "ticks", row: { ...tick, agentId, jobId, kind } }, tick.uid);
  const failuresBefore = readJob(world.db, jobId)?.failures ?? 0;
  const failures = failuresAfter(failuresBefore, tick.outcome);
  closeTick(world.db, jobId, { tick, failures });
  const { uid, finishedAt: at } = tick;
  const summary = tick.summary ?? tick.outcome;
  const notice = jobNotice({ agentId, jobId, uid, at, failuresBefore, failures, summary });
  if (notice !== null) putOutbox(world.db, { kind: "notices", row: notice }, notice.uid);
}

function isFailure(outcome: TickOutcome): boolean {
  return outcome === "failed" || outcome === "timeout" || outcome === "interrupted";
}

/** What was let pass says nothing of the job. */
function failuresAfter(before: number, outcome: TickOutcome): number {
  if (outcome === "missed" || outcome === "skipped") return before;
  return isFailure(outcome) ? before + 1 : 0;
}

/** Once it is durable. */
export function announceTick(world: World, jobId: string, tick: Tick): void {
  world.outboxFilled();
  world.publish([{ type: "job", agentId: agentIdOf(world), jobId, state: "ended", tick }]);
}

/** Many missed ticks are caught up by one: the others get one record together. The caller makes the transaction. */
export function recordMissed(world: World, job: Pick<Job, "jobId" | "work">, input: MissedInput): void {
  const { missed, why } = input;
  const uid = tickUid(agentIdOf(world), job.jobId, `missed.${iso(missed.last)}`);
  const tick = missedTick(uid, missed, { now: world.now(), why });
  recordTick(world, { jobId: job.jobId, kind: job.work.kind, tick });
}

interface MissedInput {
  readonly missed: Missed;
  readonly why: string;
}
