/**
 * A small part of the day's room that one agent's object may use without asking again, for a moment: so the
 * ceiling is checked before each model call, and the ledger is asked about once a second. No I/O.
 */
import type { Admission } from "../chain/budget.ts";
import type { DayPermit } from "./day-ledger.ts";

const MOMENT_MS = 1_000;
/** Of the room that is left: 50 agents together overrun the ceiling by a quarter of that at most. */
const SHARE = 1 / 200;

export class DayAllowance {
  #until = 0;
  #left = 0;
  /** Micro-dollars that this object has told of each run. */
  readonly #told = new Map<string, number>();

  /** Null when the ledger must be asked. */
  use(runId: string, costMicros: number, now: number): Admission | null {
    const more = costMicros - (this.#told.get(runId) ?? 0);
    if (now >= this.#until || more > this.#left) return null;
    this.#left -= more;
    this.#told.set(runId, costMicros);
    return { ok: true };
  }

  /** What the ledger has answered. */
  renew(
    runId: string,
    costMicros: number,
    answer: { readonly permit: DayPermit; readonly now: number },
  ): void {
    this.#told.set(runId, costMicros);
    this.#until = answer.permit.ok ? answer.now + MOMENT_MS : 0;
    this.#left = answer.permit.ok ? answer.permit.roomMicros * SHARE : 0;
  }

  /** Runs have ended and the ledger knows what they cost in the end: it is asked anew. */
  end(runIds: readonly string[]): void {
    this.#until = 0;
    for (const runId of runIds) this.#told.delete(runId);
  }
}
