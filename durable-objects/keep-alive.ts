/**
 * The object's alarm: it brings the object back after a crash or a deploy while runs are under way, holds
 * it up while they last, tries the outbox again, and forgets old runs. Each invocation is short; the next
 * one takes over.
 */
import { forgetOldRuns, isAtWork } from "../core/agent/agent.ts";
import type { Delivery } from "../core/agent/delivery.ts";
import { renewLease } from "../core/board/scan.ts";
import type { World } from "../core/engine/world.ts";

/** A run cut short is taken up again at the latest after this time. */
const RESUME_WITHIN_MS = 5_000;
/** One alarm holds the object up so long; far under the platform's limit for an invocation. */
const HOLD_MS = 60_000;

/** Runs that live keep their tasks; D1 being away is the scan's business. */
async function renewLeases(world: World): Promise<void> {
  for (const { record } of world.active.values()) {
    if (record.taskId === null) continue;
    await renewLease(world.board, record.taskId, record.runId).catch(() => undefined);
  }
}

export interface KeepAliveOptions {
  readonly delivery: Delivery;
  /** Milliseconds for which one alarm holds the object up. */
  readonly holdMs?: number;
}

export class KeepAlive {
  readonly #storage: DurableObjectStorage;
  readonly #world: World;
  readonly #delivery: Delivery;
  readonly #holdMs: number;
  #armedFor = Number.POSITIVE_INFINITY;
  /** When to look for old runs again; null: at the next alarm. */
  #forgetAt: number | null = null;

  constructor(storage: DurableObjectStorage, world: World, options: KeepAliveOptions) {
    this.#storage = storage;
    this.#world = world;
    this.#delivery = options.delivery;
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
    if (this.#delivery.retryAt > 0) this.arm(this.#delivery.retryAt);
  }

  /** The alarm's work: returns when all is quiet or it is time for a fresh invocation. */
  async stayUp(): Promise<void> {
    this.#armedFor = Number.POSITIVE_INFINITY;
    if (isAtWork(this.#world)) this.arm();
    const chores = Promise.all([this.#delivery.kick(), renewLeases(this.#world)]);
    await this.#hold(chores.then(() => this.armForRetry()));
    if (this.#delivery.isRunning) this.arm();
    this.#forget();
  }

  /** Until the chores are done and no run can go on, or the time is up. */
  async #hold(chores: Promise<void>): Promise<void> {
    const { promise: timeUp, resolve } = Promise.withResolvers<"up">();
    const timer = setTimeout(() => resolve("up"), this.#holdMs);
    let next: Promise<unknown> = chores;
    while ((await Promise.race([next, timeUp])) !== "up" && isAtWork(this.#world))
      next = Promise.race([...this.#world.active.values()].map((run) => run.ended));
    clearTimeout(timer);
  }

  /** A batch at a time, once in a while; an object that is idle comes back for it. */
  #forget(): void {
    if (this.#forgetAt === null || this.#forgetAt <= this.#world.now())
      this.#forgetAt = forgetOldRuns(this.#world);
    if (this.#forgetAt !== null && !isAtWork(this.#world)) this.arm(this.#forgetAt);
  }
}
