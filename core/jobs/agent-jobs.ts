/** The jobs of one agent, in its object: which are armed, which ticks are due, and when to look again. */
import { agentIdOf, type World } from "../engine/world.ts";
import { JOB_SECONDS } from "../limits.ts";
import { iso } from "../record/instant.ts";
import { begin, beginOrSkip, type JobsContext, obstacleFor } from "./begin.ts";
import { needsSeconds, nextTick } from "./cron.ts";
import { type Job, jobsOf, planOf } from "./job.ts";
import { type DueTicks, dueTicks, type Missed } from "./plan.ts";
import { recordMissed } from "./record-tick.ts";
import {
  armJob,
  createJobSchema,
  dropJob,
  type JobRow,
  noteStart,
  passTicks,
  readJob,
  readJobs,
} from "./store.ts";
import { tickUid } from "./tick.ts";
import { interrupt } from "./tool-job.ts";

export interface DueInput {
  /** Ticks up to this instant are due. */
  readonly at: number;
  /** Only those that the minute's trigger cannot serve. */
  readonly secondsOnly: boolean;
  /** The Worker's deployed version; null when it is not known. */
  readonly version: string | null;
}

export type RunNow =
  | { readonly ok: true; readonly uid: string }
  | {
      readonly ok: false;
      readonly code: "unknown" | "running" | "paused" | "refused";
      readonly reason: string;
    };

/** A trigger's clock that is behind ours by more than this is another one, as in a rehearsal. */
const SAME_CLOCK_MS = 120_000;
const MINUTE_MS = 60_000;

const CUT_OFF = "The runtime was interrupted while it was at work. What it wrote to its state was not kept.";
const TAKEN_AWAY = "The job was taken away while it was at work.";

export class AgentJobs {
  readonly #world: World;
  readonly #context: JobsContext;

  /** `seconds` of one tick of a tool job. */
  constructor(world: World, seconds = JOB_SECONDS) {
    this.#world = world;
    this.#context = { world, running: { seconds, byId: new Map() } };
    createJobSchema(world.db);
    for (const row of readJobs(world.db)) interrupt(world, row, CUT_OFF);
    this.documentsChanged();
  }

  /** Resolves when one of the jobs that are at work is over; null when none is. */
  get nextEnd(): Promise<void> | null {
    const running = [...this.#context.running.byId.values()];
    return running.length === 0 ? null : Promise.race(running.map(({ ended }) => ended));
  }

  /** Brings the plans up to the documents in force: new ones are armed from now on, of those that are gone nothing stays. */
  documentsChanged(): void {
    const jobs = new Map(this.#jobs().map((job) => [job.jobId, job]));
    const rows = new Map(readJobs(this.#world.db).map((row) => [row.jobId, row]));
    for (const [jobId, row] of rows) if (!jobs.has(jobId)) this.#drop(row);
    for (const [jobId, job] of jobs) this.#arm(job, rows.get(jobId) ?? null);
  }

  /** Begins whatever is due. A tick that is begun counts, whoever asks again. */
  runDue({ at, secondsOnly, version }: DueInput): void {
    for (const job of this.#jobs()) {
      if (!job.enabled) continue;
      try {
        if (!secondsOnly || needsSeconds(job.cron)) this.#runDue(job, at);
        if (job.runOnStart && version !== null) this.#runOnStart(job, at, version);
      } catch (error) {
        this.#world.log.error(`The tick of job ${job.jobId} could not be begun`, error);
      }
    }
  }

  /** Begins one now, as a person wishes. The same `mark` again changes nothing. */
  runNow(jobId: string, mark: string): RunNow {
    const world = this.#world;
    const job = this.#jobs().find((candidate) => candidate.jobId === jobId);
    const row = readJob(world.db, jobId);
    if (job === undefined || row === null) return refused("unknown", "There is no such job.");
    const uid = tickUid(agentIdOf(world), jobId, `person.${mark}`);
    if (row.open?.uid === uid || row.last?.uid === uid) return { ok: true, uid };
    const obstacle = obstacleFor(world, { job, row });
    if (obstacle !== null) return refused(obstacle.code, obstacle.reason);
    const tick = { uid, cause: "person", scheduledAt: world.now(), pass: () => undefined } as const;
    const refusal = begin(this.#context, job, tick);
    return refusal === null ? { ok: true, uid } : refused("refused", refusal);
  }

  /** When the minute's trigger has something to do here again; null when never. */
  nextMinute(): number | null {
    const next = this.#next(() => true);
    return next === null ? null : Math.ceil(next / MINUTE_MS) * MINUTE_MS;
  }

  /** When the object's own alarm is needed next; null when never. */
  nextSecond(): number | null {
    return this.#next((job) => needsSeconds(job.cron));
  }

  #next(counts: (job: Job) => boolean): number | null {
    const rows = new Map(readJobs(this.#world.db).map((row) => [row.jobId, row]));
    const times = this.#jobs().map((job) => {
      const row = rows.get(job.jobId);
      return row === undefined || !job.enabled || !counts(job) ? null : nextTick(job, doneUpTo(row));
    });
    const known = times.filter((at) => at !== null);
    return known.length === 0 ? null : Math.min(...known);
  }

  /** Fresh workers have their agent's documents, not its jobs. */
  #jobs(): Job[] {
    const documents = this.#world.documents();
    return documents?.agent.agentId === this.#world.objectName ? jobsOf(documents) : [];
  }

  #drop(row: JobRow): void {
    interrupt(this.#world, row, TAKEN_AWAY);
    dropJob(this.#world.db, row.jobId);
    this.#context.running.byId.get(row.jobId)?.abort.abort();
  }

  /** Ticks of the former plan that nobody came to run are on record as missed. */
  #arm(job: Job, row: JobRow | null): void {
    const plan = planOf(job);
    if (row !== null && JSON.stringify(row.plan) === JSON.stringify(plan)) return;
    const now = this.#world.now();
    const passed = row?.plan.enabled === true ? dueTicks(row.plan, doneUpTo(row), now) : null;
    this.#world.db.transaction(() => {
      if (passed !== null)
        recordMissed(this.#world, job, { missed: everyTick(passed), why: "the job was changed first" });
      armJob(this.#world.db, job.jobId, { plan, now });
    });
    if (passed !== null) this.#world.outboxFilled();
  }

  #runDue(job: Job, at: number): void {
    const row = readJob(this.#world.db, job.jobId);
    if (row === null) return;
    const otherClock = row.doneUpTo === null && row.armedAt - at > SAME_CLOCK_MS;
    const from = Math.max(otherClock ? at - MINUTE_MS : doneUpTo(row), row.doneBefore);
    if (otherClock) passTicks(this.#world.db, job.jobId, from);
    const due = dueTicks(job, from, at);
    if (due === null) return;
    const uid = tickUid(agentIdOf(this.#world), job.jobId, iso(due.latest));
    const pass = () => this.#pass(job, due);
    beginOrSkip(this.#context, { job, row }, { uid, cause: "time", scheduledAt: due.latest, pass });
  }

  #pass(job: Job, { latest, missed }: DueTicks): void {
    if (missed !== null) recordMissed(this.#world, job, { missed, why: "nothing ran at that time" });
    passTicks(this.#world.db, job.jobId, latest);
  }

  #runOnStart(job: Job, at: number, version: string): void {
    const row = readJob(this.#world.db, job.jobId);
    if (row === null || row.starts.includes(version)) return;
    const uid = tickUid(agentIdOf(this.#world), job.jobId, `start.${version}`);
    const pass = () => noteStart(this.#world.db, row, version);
    beginOrSkip(this.#context, { job, row }, { uid, cause: "start", scheduledAt: at, pass });
  }
}

function doneUpTo(row: JobRow): number {
  return row.doneUpTo ?? row.armedAt;
}

function everyTick({ latest, missed }: DueTicks): Missed {
  if (missed === null) return { first: latest, last: latest, count: 1, more: false };
  return { ...missed, last: latest, count: missed.count + 1 };
}

function refused(code: Extract<RunNow, { ok: false }>["code"], reason: string): RunNow {
  return { ok: false, code, reason };
}
