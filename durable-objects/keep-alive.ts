/**
 * The object's alarm: it brings the object back after a crash or a deploy while runs or jobs are under way, holds
 * it up while they last, begins the ticks that the minute's trigger is too coarse for, tries the outbox again,
 * and forgets old runs. Each invocation is short; the next one takes over.
 */
import { forgetOldRuns, isAtWork } from "../core/agent/agent.ts";
import type { Delivery } from "../core/agent/delivery.ts";
import type { AgentApprovals } from "../core/approval/agent-approvals.ts";
import { renewLease } from "../core/board/scan.ts";
import type { AgentMail } from "../core/email/agent-mail.ts";
import type { World } from "../core/engine/world.ts";
import type { AgentJobs } from "../core/jobs/agent-jobs.ts";
import type { TelemetryExporter } from "../core/telemetry/exporter.ts";

/** A run cut short is taken up again at the latest after this time. */
const RESUME_WITHIN_MS = 5_000;
/** One alarm holds the object up so long; far under the platform's limit for an invocation. */
const HOLD_MS = 60_000;
/** A tick that is due and could not begin is tried again after this time. */
const TRY_AGAIN_MS = 1_000;

/** Runs that live keep their tasks; D1 being away is the scan's business. */
async function renewLeases(world: World): Promise<void> {
  for (const { record } of world.active.values()) {
    if (record.taskId === null) continue;
    await renewLease(world.board, record.taskId, record.runId).catch(() => undefined);
  }
}

export interface KeepAliveOptions {
  readonly delivery: Delivery;
  readonly telemetry: Pick<TelemetryExporter, "kick" | "retryAt" | "isRunning">;
  readonly jobs: Pick<AgentJobs, "nextEnd" | "nextSecond" | "runDue">;
  readonly approvals: Pick<AgentApprovals, "nextEnd" | "resume">;
  readonly mail: Pick<AgentMail, "nextEnd" | "resume" | "retryAt">;
  /** The Worker's deployed version; null when it is not known. */
  readonly version: string | null;
  /** Milliseconds for which one alarm holds the object up. */
  readonly holdMs?: number;
}

export class KeepAlive {
  readonly #storage: DurableObjectStorage;
  readonly #world: World;
  readonly #delivery: Delivery;
  readonly #telemetry: KeepAliveOptions["telemetry"];
  readonly #jobs: KeepAliveOptions["jobs"];
  readonly #approvals: KeepAliveOptions["approvals"];
  readonly #mail: KeepAliveOptions["mail"];
  readonly #version: string | null;
  readonly #holdMs: number;
  #armedFor = Number.POSITIVE_INFINITY;
  /** When to look for old runs again; null: at the next alarm. */
  #forgetAt: number | null = null;

  constructor(storage: DurableObjectStorage, world: World, options: KeepAliveOptions) {
    this.#storage = storage;
    this.#world = world;
    this.#delivery = options.delivery;
    this.#telemetry = options.telemetry;
    this.#jobs = options.jobs;
    this.#approvals = options.approvals;
    this.#mail = options.mail;
    this.#version = options.version;
    this.#holdMs = options.holdMs ?? HOLD_MS;
  }

  /** Makes sure that the alarm will ring while there is something to do. */
  arm(at = this.#world.now() + RESUME_WITHIN_MS): void {
    if (this.#armedFor <= at && this.#armedFor > this.#world.now()) return;
    this.#armedFor = at;
    // Not awaited: a write like any other, which the platform confirms before anything leaves the object.
    this.#storage.setAlarm(at);
  }

  armForRetry(): void {
    for (const { retryAt } of [this.#delivery, this.#telemetry, this.#mail])
      if (retryAt > 0) this.arm(retryAt);
  }

  /** For jobs that are at work, and for the next tick between full minutes. */
  armForJobs(): void {
    if (this.#jobs.nextEnd !== null) this.arm();
    const next = this.#jobs.nextSecond();
    if (next === null) return;
    // After a restart it is not known which alarm is set; that of runs under way must not be put off.
    if (isAtWork(this.#world)) this.arm();
    const now = this.#world.now();
    this.arm(next > now ? next : now + TRY_AGAIN_MS);
  }

  /** Begins ticks between full minutes, and what runs once for each version. */
  runJobs(): void {
    this.#jobs.runDue({ at: this.#world.now(), secondsOnly: true, version: this.#version });
    this.armForJobs();
  }

  /** The alarm's work: returns when all is quiet or it is time for a fresh invocation. */
  async stayUp(): Promise<void> {
    this.#armedFor = Number.POSITIVE_INFINITY;
    this.runJobs();
    this.#approvals.resume();
    this.#mail.resume();
    if (this.#isAtWork()) this.arm();
    const chores = Promise.all([this.#delivery.kick(), this.#telemetry.kick(), renewLeases(this.#world)]);
    await this.#hold(chores.then(() => this.armForRetry()));
    // What found the queue full or the chain away is tried again, and holds the object up while it is.
    this.#approvals.resume();
    if (this.#delivery.isRunning || this.#telemetry.isRunning || this.#isAtWork()) this.arm();
    this.#forget();
    this.armForJobs();
  }

  /** Until the chores are done and nothing is at work, or the time is up: at the next tick at the latest. */
  async #hold(chores: Promise<void>): Promise<void> {
    const { promise: timeUp, resolve } = Promise.withResolvers<"up">();
    const tick = (this.#jobs.nextSecond() ?? Number.POSITIVE_INFINITY) - this.#world.now();
    const timer = setTimeout(() => resolve("up"), Math.max(0, Math.min(this.#holdMs, tick)));
    let next: Promise<unknown> = chores;
    while ((await Promise.race([next, timeUp])) !== "up" && this.#isAtWork()) next = this.#nextEnd();
    clearTimeout(timer);
  }

  #isAtWork(): boolean {
    return isAtWork(this.#world) || this.#ends().length > 0;
  }

  #nextEnd(): Promise<unknown> {
    const ends: Promise<unknown>[] = [...this.#world.active.values()].map((run) => run.ended);
    return Promise.race([...ends, ...this.#ends()]);
  }

  /** Of what is under way beside the runs. */
  #ends(): Promise<unknown>[] {
    return [this.#jobs.nextEnd, this.#approvals.nextEnd, this.#mail.nextEnd].filter((next) => next !== null);
  }

  /** A batch at a time, once in a while; an object that is idle comes back for it. */
  #forget(): void {
    if (this.#forgetAt === null || this.#forgetAt <= this.#world.now())
      this.#forgetAt = forgetOldRuns(this.#world);
    if (this.#forgetAt !== null && !isAtWork(this.#world)) this.arm(this.#forgetAt);
  }
}
