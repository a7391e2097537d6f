/**
 * The object's alarm: it brings the object back after a crash or a deploy while runs are under way, holds
 * it up while they last, and tries the outbox again. Each invocation is short; the next one takes over.
 */
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

export class KeepAlive {
  readonly #storage: DurableObjectStorage;
  readonly #world: World;
  readonly #delivery: Delivery;
  #armedFor = Number.POSITIVE_INFINITY;

  constructor(storage: DurableObjectStorage, world: World, delivery: Delivery) {
    this.#storage = storage;
    this.#world = world;
    this.#delivery = delivery;
  }

  /** Makes sure that the alarm will ring while there is something to do. */
  arm(at = this.#world.now() + RESUME_WITHIN_MS): void {
    if (this.#armedFor <= at && this.#armedFor > this.#world.now()) return;
    this.#armedFor = at;
    this.#storage.setAlarm(at);
  }

  armForRetry(): void {
    if (this.#delivery.retryAt > 0) this.arm(this.#delivery.retryAt);
  }

  /** The alarm's work: returns when all is quiet or it is time for a fresh invocation. */
  async stayUp(): Promise<void> {
    this.#armedFor = Number.POSITIVE_INFINITY;
    if (this.#world.active.size > 0) this.arm();
    await Promise.all([this.#delivery.kick(), renewLeases(this.#world)]);
    this.armForRetry();
    const until = this.#world.now() + HOLD_MS;
    while (this.#world.active.size > 0 && this.#world.now() < until) {
      const left = new Promise((resolve) => setTimeout(resolve, Math.max(1, until - this.#world.now())));
      await Promise.race([left, ...[...this.#world.active.values()].map((run) => run.ended)]);
    }
  }
}
