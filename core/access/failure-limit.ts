/** How many wrong credentials come from one address. In memory only, so that a flood of them writes nothing. */

export const MAX_FAILURES = 100;
export const FAILURE_WINDOW_MS = 60_000;
/** Beyond that the address that began first is forgotten. */
const MAX_ADDRESSES = 10_000;

interface Window {
  readonly since: number;
  count: number;
}

export class FailureLimit {
  readonly #windows = new Map<string, Window>();
  readonly #now: () => number;

  /** `now`: epoch milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes one more failure down. Answers how many there were in the current minute, this one included. */
  count(address: string): number {
    const window = this.#current(address) ?? this.#begin(address);
    window.count += 1;
    return window.count;
  }

  #current(address: string): Window | null {
    const window = this.#windows.get(address);
    return window !== undefined && this.#now() - window.since < FAILURE_WINDOW_MS ? window : null;
  }

  #begin(address: string): Window {
    this.#windows.delete(address);
    const [oldest] = this.#windows.keys();
    if (oldest !== undefined && this.#windows.size >= MAX_ADDRESSES) this.#windows.delete(oldest);
    const window = { since: this.#now(), count: 0 };
    this.#windows.set(address, window);
    return window;
  }
}
