/**
 * Log lines of one object or request on their way to D1: gathered, bounded, written together. Best effort: what cannot
 * be written by itself is gone, the console has it.
 */
import type { LogLine } from "../log.ts";
import { LogLimit } from "./log-limit.ts";

/** What a short run says goes in one batch. */
const GATHER_MS = 1_500;
const RIDING_LINES = 100;

export interface LogBufferOptions {
  /** Writes lines; may reject. */
  write(lines: readonly LogLine[]): Promise<void>;
  /** Hears what `write` rejected with. Must not lead back to this buffer. */
  failed(error: unknown): void;
  readonly now: () => number;
  /** Calls back once after that many milliseconds. */
  later(ms: number, work: () => void): void;
  /** One that others count with too: what was left out is told with the next line of any of them. Missing: its own. */
  readonly sharedLimit?: LogLimit;
}

export class LogBuffer {
  readonly #options: LogBufferOptions;
  readonly #limit: LogLimit;
  #lines: LogLine[] = [];
  #armed = false;

  constructor(options: LogBufferOptions) {
    this.#options = options;
    this.#limit = options.sharedLimit ?? new LogLimit();
  }

  /** Never throws and waits for nothing. */
  add(line: LogLine): void {
    this.#lines.push(...this.#limit.admit(line, this.#options.now()));
    this.#arm();
  }

  #arm(): void {
    const { later, now, sharedLimit } = this.#options;
    const owesNote = sharedLimit === undefined && this.#limit.hasLeftOut;
    if (this.#armed || (this.#lines.length === 0 && !owesNote)) return;
    this.#armed = true;
    later(this.#lines.length > 0 ? GATHER_MS : Math.max(0, this.#limit.noteDueAt - now()), () => {
      this.#armed = false;
      void this.flush();
    });
  }

  /** Gives lines to a batch that is written anyway. When that fails they are written by themselves. */
  async ride<T>(write: (lines: readonly LogLine[]) => Promise<T>): Promise<T> {
    const lines = this.#lines.splice(0, RIDING_LINES);
    try {
      return await write(lines);
    } catch (error) {
      this.#lines.unshift(...lines);
      this.#arm();
      throw error;
    }
  }

  /** Writes what was gathered so far, without waiting for more. Never rejects. */
  async flush(): Promise<void> {
    const lines = [...this.#lines, ...this.#limit.note(this.#options.now())];
    this.#lines = [];
    try {
      if (lines.length > 0) await this.#options.write(lines);
    } catch (error) {
      this.#options.failed(error);
    }
    this.#arm();
  }
}
