/**
 * A small part of the day's room that one agent's object may use without asking again, for a moment: so the
 * ceiling is checked before each model call, and the ledger is asked some times a minute. No I/O.
 */
import type { Admission } from "../chain/budget.ts";
import type { DayNews, DayPermit, DaySpent } from "./day-ledger.ts";

const MOMENT_MS = 4_000;
/** Of the room that is left: 50 agents together overrun the ceiling by a quarter of that at most. */
const SHARE = 1 / 200;

export class DayAllowance {
  #until = 0;
  #ceiling = 0;
  #left = 0;
  /** What was spent since the ledger was last asked, in micro-dollars. */
  #sinceAsked = 0;
  /** Micro-dollars that count already of each run under way. */
  readonly #live = new Map<string, number>();
  /** Ended runs of which the ledger may not know yet what they cost in the end. */
  readonly #ended = new Map<string, DaySpent>();

  /** A run under way has spent so much by now. */
  spend(runId: string, costMicros: number): void {
    this.#count(runId, costMicros);
    this.#live.set(runId, costMicros);
  }

  /** Null when the ledger must be asked. */
  leave(at: { readonly now: number; readonly costUsd: number }): Admission | null {
    const holds = at.now < this.#until && at.costUsd === this.#ceiling && this.#left >= 0;
    return holds ? { ok: true } : null;
  }

  /** A run has ended: until the ledger knows, each question to it says so too. */
  end(run: DaySpent): void {
    this.#count(run.runId, run.costMicros);
    this.#live.delete(run.runId);
    this.#ended.set(run.runId, run);
  }

  /** What to tell the ledger, with the ends of `runs`; what is spent from now on is taken off its answer. */
  news(runs: readonly DaySpent[]): DayNews {
    for (const run of runs) this.end(run);
    this.#sinceAsked = 0;
    const live = [...this.#live].map(([runId, costMicros]) => ({ runId, costMicros }));
    return { live, ended: [...this.#ended.values()] };
  }

  /** What the ledger has answered to the latest news. */
  renew(answer: {
    readonly permit: DayPermit;
    readonly told: DayNews;
    readonly now: number;
    readonly costUsd: number;
  }): void {
    for (const { runId } of answer.told.ended) this.#ended.delete(runId);
    this.#ceiling = answer.costUsd;
    this.#until = answer.permit.ok ? answer.now + MOMENT_MS : 0;
    this.#left = answer.permit.ok ? answer.permit.roomMicros * SHARE - this.#sinceAsked : 0;
  }

  /** US dollars a day, as the ledger was last asked about; 0 before the first time, which gives no leave. */
  get ceiling(): number {
    return this.#ceiling;
  }

  #count(runId: string, costMicros: number): void {
    const more = costMicros - (this.#live.get(runId) ?? this.#ended.get(runId)?.costMicros ?? 0);
    this.#left -= more;
    this.#sinceAsked += more;
  }
}
