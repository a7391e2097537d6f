/** A tool job from its start to its end: its state, its record and the wake that it asks for come together, or not at all. */
import { agentIdOf, type World } from "../engine/world.ts";
import { describeError } from "../log.ts";
import { iso } from "../record/instant.ts";
import type { Beginning } from "./begin.ts";
import type { ToolJob } from "./job.ts";
import { announceTick, recordTick } from "./record-tick.ts";
import { type JobEnd, runToolJob } from "./run-job.ts";
import { type StateBuffer, stateBuffer } from "./state-buffer.ts";
import { type JobRow, type OpenTick, openTick, readJob } from "./store.ts";
import { closedTick } from "./tick.ts";
import type { Tick } from "./view.ts";
import { wakeAgent } from "./wake.ts";

/** Jobs whose code is at work, in memory. */
export interface RunningJobs {
  /** Seconds that a tick may take. */
  readonly seconds: number;
  readonly byId: Map<string, RunningJob>;
}

interface RunningJob {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

interface Start {
  readonly job: ToolJob;
  readonly tick: Beginning;
}

/** Once this returns, the tick counts: it ends with a record, also when the object does not live to see it. */
export function beginToolJob(world: World, running: RunningJobs, { job, tick }: Start): void {
  const { uid, cause, scheduledAt, pass } = tick;
  const open: OpenTick = { uid, jobId: job.jobId, cause, scheduledAt, startedAt: world.now() };
  world.db.transaction(() => {
    pass();
    openTick(world.db, open);
  });
  const agentId = agentIdOf(world);
  const started = { uid, cause, scheduledAt: iso(scheduledAt) };
  world.publish([{ type: "job", agentId, jobId: job.jobId, state: "started", tick: started }]);
  const abort = new AbortController();
  const ended = work(world, running, { job, open, signal: abort.signal });
  const entry = { abort, ended };
  running.byId.set(job.jobId, entry);
  ended.then(() => {
    if (running.byId.get(job.jobId) === entry) running.byId.delete(job.jobId);
  });
}

interface Work {
  readonly job: ToolJob;
  readonly open: OpenTick;
  /** Aborted when the job is taken away, which has ended its tick already. */
  readonly signal: AbortSignal;
}

/**
 * Never rejects. Where even the record of the failure could not be written, the tick stays open: nothing else
 * begins in its place, and the next start of the object ends it as interrupted.
 */
async function work(world: World, running: RunningJobs, given: Work): Promise<void> {
  try {
    await workOff(world, running, given);
  } catch (error) {
    world.log.error(`The tick ${given.open.uid} could not be ended`, error);
  }
}

async function workOff(world: World, running: RunningJobs, { job, open, signal }: Work): Promise<void> {
  const buffer = stateBuffer(world.db, job.work.toolName);
  const { uid } = open;
  const end = await runToolJob(world, { job, uid, signal, state: buffer.state, seconds: running.seconds });
  buffer.close();
  if (signal.aborted) return;
  const tick = endTick(world, { open, end, buffer });
  announceTick(world, job.jobId, tick);
}

interface Ending {
  readonly open: OpenTick;
  readonly end: JobEnd;
  readonly buffer: StateBuffer;
}

function endTick(world: World, ending: Ending): Tick {
  try {
    return settle(world, ending);
  } catch (error) {
    // Its state could not be written: nothing of the tick was kept.
    return fail(world, ending.open, describeError(error));
  }
}

function settle(world: World, { open, end, buffer }: Ending): Tick {
  switch (end.outcome) {
    case "no_action":
      return world.db.transaction(() => {
        buffer.commit();
        return close(world, open, { outcome: end.outcome, summary: end.logSummary, runId: null });
      });
    case "wake":
    case "wake_stateless":
      return settleWake(world, { open, end, buffer });
    case "failed":
    case "timeout":
    case "interrupted":
      return world.db.transaction(() =>
        close(world, open, { outcome: end.outcome, summary: end.logSummary, runId: null }),
      );
  }
}

type Wake = Extract<JobEnd, { outcome: "wake" | "wake_stateless" }>;

/** A wake that the agent cannot take now is not lost: without its state, the next tick finds the same news. */
function settleWake(world: World, { open, end, buffer }: Ending & { readonly end: Wake }): Tick {
  const { outcome, logSummary } = end;
  const woken = wakeAgent(world, {
    trigger: "job",
    lane: outcome === "wake" ? "conversation" : "isolated",
    message: end.wakeMessage,
    lastRunId: readJob(world.db, open.jobId)?.runId ?? null,
    along: (runId) => {
      buffer.commit();
      return close(world, open, { outcome, summary: logSummary, runId });
    },
  });
  return woken.ok ? woken.tick : fail(world, open, `The agent could not be woken: ${woken.reason}.`);
}

function fail(world: World, open: OpenTick, summary: string): Tick {
  return world.db.transaction(() => close(world, open, { outcome: "failed", summary, runId: null }));
}

function close(world: World, open: OpenTick, result: Pick<Tick, "outcome" | "summary" | "runId">): Tick {
  const { jobId, ...times } = open;
  const tick = closedTick(world, { ...times, ...result });
  recordTick(world, { jobId, kind: "toolJob", tick });
  return tick;
}

/** Ends a tick that nobody works on any more. */
export function interrupt(world: World, row: JobRow, summary: string): void {
  const { open } = row;
  if (open === null) return;
  const tick = world.db.transaction(() =>
    close(world, open, { outcome: "interrupted", summary, runId: null }),
  );
  announceTick(world, row.jobId, tick);
}
