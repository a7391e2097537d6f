/** How many log lines may go to D1, so that a tool which logs in a loop costs a bounded sum. */
import { LOG_LINES_PER_MINUTE, LOG_LINES_PER_RUN } from "../limits.ts";
import type { LogLine } from "../log.ts";

const MINUTE_MS = 60_000;
/** Runs whose lines are counted at once; of an object that had more, the oldest begin anew. */
const COUNTED_RUNS = 200;

/** One per object that logs. Lines of the level `debug` are for the console only. */
export class LogLimit {
  #minute = 0;
  #lines = 0;
  #leftOut = 0;
  readonly #runs = new Map<string, number>();

  /** What is to be written because of this line: it, nothing, or first the note on an earlier minute. */
  admit(line: LogLine, now: number): LogLine[] {
    if (line.level === "debug") return [];
    const note = this.note(now);
    this.#begin(now);
    if (this.#lines >= LOG_LINES_PER_MINUTE || !this.#fitsRun(line.runId)) {
      this.#leftOut += 1;
      return note;
    }
    this.#lines += 1;
    return [...note, line];
  }

  /** One line that says how many were left out, once the minute in which they were is over. */
  note(now: number): LogLine[] {
    if (this.#leftOut === 0 || now < this.noteDueAt) return [];
    const at = new Date(this.#minute).toISOString();
    const text = `${this.#leftOut} more lines of the minute from ${at} are in the console only`;
    this.#leftOut = 0;
    return [
      {
        at: new Date(this.noteDueAt - 1).toISOString(),
        module: "Core",
        level: "warn",
        agentId: null,
        runId: null,
        text,
      },
    ];
  }

  get hasLeftOut(): boolean {
    return this.#leftOut > 0;
  }

  /** Epoch milliseconds. */
  get noteDueAt(): number {
    return this.#minute + MINUTE_MS;
  }

  #begin(now: number): void {
    if (now >= this.#minute && now < this.noteDueAt) return;
    this.#minute = now - (now % MINUTE_MS);
    this.#lines = 0;
  }

  #fitsRun(runId: string | null): boolean {
    if (runId === null) return true;
    const lines = this.#runs.get(runId) ?? 0;
    if (lines >= LOG_LINES_PER_RUN) return false;
    this.#runs.set(runId, lines + 1);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > COUNTED_RUNS && oldest !== undefined) this.#runs.delete(oldest);
    return true;
  }
}
