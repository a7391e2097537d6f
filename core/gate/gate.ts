/**
 * The run gate: at most one run of an agent executes (L1). It lives in memory; the queue behind it is
 * durable in the journal, and every waiting run enters again after a restart.
 */
import { chooseNext, type GateEntry } from "./policy.ts";

interface Waiting {
  readonly entry: GateEntry;
  readonly admit: (admitted: boolean) => void;
}

export class Gate {
  readonly #waiting = new Map<string, Waiting>();
  #holder: GateEntry | null = null;
  #openMain: string | null = null;
  #paused = false;

  /** Resolves true once the run may execute, false when it was withdrawn while waiting. */
  enter(entry: GateEntry): Promise<boolean> {
    if (entry.started && !entry.isAnswer) this.#openMain = entry.runId;
    return new Promise((admit) => {
      this.#waiting.set(entry.runId, { entry, admit });
      this.#admitNext();
    });
  }

  /** Lends the gate: the run stops executing but is not over. It comes back through `enter` with `started: true`. */
  lend(runId: string): void {
    if (this.#holder?.runId !== runId) return;
    this.#holder = null;
    this.#admitNext();
  }

  /** The run is over, wherever it stood. */
  leave(runId: string): void {
    this.withdraw(runId);
    if (this.#openMain === runId) this.#openMain = null;
    if (this.#holder?.runId === runId) this.#holder = null;
    this.#admitNext();
  }

  /** Takes a waiting run out of the queue. */
  withdraw(runId: string): void {
    const waiting = this.#waiting.get(runId);
    this.#waiting.delete(runId);
    waiting?.admit(false);
  }

  /** Whether some waiting run goes before the holder, who stands between two of its steps. */
  isWanted(): boolean {
    if (this.#holder === null) return false;
    const holder = { ...this.#holder, started: true };
    return chooseNext([...this.#entries(), holder], this.#state()) !== holder;
  }

  setPaused(paused: boolean): void {
    this.#paused = paused;
    this.#admitNext();
  }

  get isPaused(): boolean {
    return this.#paused;
  }

  get holder(): string | null {
    return this.#holder?.runId ?? null;
  }

  /** The main run that is started and not over, executing or not. */
  get openMain(): string | null {
    return this.#openMain;
  }

  #state() {
    return { mainOpen: this.#openMain !== null, paused: this.#paused };
  }

  *#entries(): Iterable<GateEntry> {
    for (const waiting of this.#waiting.values()) yield waiting.entry;
  }

  #admitNext(): void {
    if (this.#holder !== null) return;
    const next = chooseNext(this.#entries(), this.#state());
    if (next === null) return;
    const waiting = this.#waiting.get(next.runId);
    this.#waiting.delete(next.runId);
    this.#holder = next;
    if (!next.isAnswer) this.#openMain = next.runId;
    waiting?.admit(true);
  }
}
