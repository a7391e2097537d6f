/**
 * A small part of the day's room that one agent's object may use without asking again, for a moment: so the
 * ceiling is checked before each model call, and the ledger is asked about once a second. No I/O.
 */
import type { Admission } from "../chain/budget.ts";
import type { DayPermit, DaySpent } from "./day-ledger.ts";

const MOMENT_MS = 1_000;
/** Of the room that is left: 50 agents together overrun the ceiling by a quarter of that at most. */
const SHARE = 1 / 200;

export class DayAllowance {
  #until = 0;
  #ceiling = 0;
  #left = 0;
  /** Micro-dollars that count already of each run under way. */
  readonly #told = new Map<string, number>();
  /** Ended runs of which the ledger may not know yet what they cost in the end. */
  readonly #ended = new Map<string, DaySpent>();

  /** Null when the ledger must be asked. */
  use(
    runId: string,
    costMicros: number,
    at: { readonly now: number; readonly costUsd: number },
  ): Admission | null {
    this.#count(runId, costMicros);
    const holds = at.now < this.#until && at.costUsd === this.#ceiling && this.#left >= 0;
    return holds ? { ok: true } : null;
  }

  /** What the ledger has answered. */
  renew(answer: { readonly permit: DayPermit; readonly now: number; readonly costUsd: number }): void {
    this.#ceiling = answer.costUsd;
    this.#until = answer.permit.ok ? answer.now + MOMENT_MS : 0;
    this.#left = answer.permit.ok ? answer.permit.roomMicros * SHARE : 0;
  }

  /** A run has ended: until the ledger knows, each question to it says so too. */
  end(run: DaySpent): void {
    this.#count(run.runId, run.costMicros);
    this.#told.delete(run.runId);
    this.#ended.set(run.runId, run);
  }

  get ended(): readonly DaySpent[] {
    return [...this.#ended.values()];
  }

  /** The ledger knows what these runs cost. */
  settled(runs: readonly DaySpent[]): void {
    for (const { runId } of runs) this.#ended.delete(runId);
  }

  #count(runId: string, costMicros: number): void {
    this.#left -= costMicros - (this.#told.get(runId) ?? 0);
    this.#told.set(runId, costMicros);
  }
}
