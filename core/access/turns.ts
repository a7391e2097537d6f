/** So many at once, then one every so often: keeps a flood of requests from becoming one of calls. No I/O. */

export interface Pace {
  /** Turns that may be taken at once. */
  readonly burst: number;
  /** Milliseconds until one more may be taken. */
  readonly everyMs: number;
}

export class Turns {
  readonly #pace: Pace;
  readonly #now: () => number;
  #free: number;
  #refilledAt: number;

  /** `now`: epoch milliseconds. */
  constructor(pace: Pace, now: () => number) {
    this.#pace = pace;
    this.#now = now;
    this.#free = pace.burst;
    this.#refilledAt = now();
  }

  /** Whether there was one left. */
  take(): boolean {
    const { burst, everyMs } = this.#pace;
    const more = Math.max(0, Math.floor((this.#now() - this.#refilledAt) / everyMs));
    this.#free = Math.min(burst, this.#free + more);
    this.#refilledAt += more * everyMs;
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }
}
