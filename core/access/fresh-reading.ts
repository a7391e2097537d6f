/**
 * What somebody else knows and requests need before anybody is let in. Everyone gets a reading that began after they
 * asked, so nothing is believed that has changed meanwhile; a flood of requests shares one reading every so often.
 * Only values are shared: where this runs, one request cannot wait for what another one has begun.
 */
import { type Pace, Turns } from "./turns.ts";

export interface FreshReadingWorld {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** An isolate's, and there may be many of them. */
const PACE: Pace = { burst: 50, everyMs: 100 };

export class FreshReading<T> {
  readonly #world: FreshReadingWorld;
  readonly #turns: Turns;
  #begun = 0;
  #latest: { readonly begun: number; readonly value: T } | null = null;

  constructor(world: FreshReadingWorld) {
    this.#world = world;
    this.#turns = new Turns(PACE, world.now);
  }

  /** What was read last; null before that. */
  get latest(): T | null {
    return this.#latest?.value ?? null;
  }

  /** A reading that began after this call did. Rejects as `read` does. */
  async fresh(read: () => Promise<T>): Promise<T> {
    const before = this.#begun;
    for (;;) {
      if (this.#latest !== null && this.#latest.begun > before) return this.#latest.value;
      if (this.#turns.take()) return this.#read(read);
      await this.#world.sleep(PACE.everyMs);
    }
  }

  async #read(read: () => Promise<T>): Promise<T> {
    this.#begun += 1;
    const begun = this.#begun;
    const value = await read();
    if (this.#latest === null || this.#latest.begun < begun) this.#latest = { begun, value };
    return value;
  }
}
