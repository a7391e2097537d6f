/**
 * What the whole instance spends on a day (UTC), against its ceiling (L10). Spending of runs under way is
 * kept in memory, since their agents tell it anew while they go on; ended runs are written down.
 */
import { type Admission, refusal } from "../chain/budget.ts";
import { type Database, first, int } from "../journal/database.ts";

/** `roomMicros`: what may still be spent today. */
export type DayPermit =
  | { readonly ok: true; readonly roomMicros: number }
  | Extract<Admission, { ok: false }>;

interface LiveRun {
  /** Micro-dollars so far. */
  readonly spent: number;
  /** What of it belongs to days before the present one. */
  readonly earlier: number;
}

/** What an ended run has cost, and when it ended: its cost belongs to that day, however late it is told. */
export interface DaySpent {
  readonly runId: string;
  readonly costMicros: number;
  /** ISO 8601 UTC. */
  readonly finishedAt: string;
}

/** What an agent's object has to tell: `live` is what its runs under way have spent so far. */
export interface DayNews {
  readonly live: readonly Pick<DaySpent, "runId" | "costMicros">[];
  readonly ended: readonly DaySpent[];
}

const KEPT_DAYS = 40;
const DAY_MS = 86_400_000;

export class DayLedger {
  readonly #db: Database;
  readonly #now: () => number;
  readonly #live = new Map<string, LiveRun>();
  #day = "";
  /** Micro-dollars of the day's ended runs. */
  #ended = 0;

  constructor(db: Database, now: () => number) {
    db.run(
      "CREATE TABLE IF NOT EXISTS Spending (day TEXT NOT NULL, runId TEXT NOT NULL, costMicros INTEGER NOT NULL, PRIMARY KEY (day, runId)) WITHOUT ROWID",
    );
    this.#db = db;
    this.#now = now;
  }

  /** Takes what runs have spent so far, and writes down what ended runs have cost; idempotent. */
  tell({ live, ended }: DayNews): void {
    this.#turnDay();
    for (const { runId, costMicros } of live)
      if (costMicros > 0)
        this.#live.set(runId, { spent: costMicros, earlier: this.#live.get(runId)?.earlier ?? 0 });
    if (ended.length > 0)
      this.#db.transaction(() => {
        for (const run of ended) this.#write(run);
      });
    for (const { runId } of ended) this.#live.delete(runId);
  }

  /** Whether more model calls are within the day's ceiling. */
  permit(limits: { readonly costUsd: number }): DayPermit {
    this.#turnDay();
    const roomMicros = limits.costUsd * 1e6 - this.#total();
    if (roomMicros > 0) return { ok: true, roomMicros };
    return refusal("day", `the instance may spend ${limits.costUsd} US dollars a day`);
  }

  /** Once per run: it names the day itself, so that it is not counted again when it is told again on the next. */
  #write({ runId, costMicros, finishedAt }: DaySpent): void {
    const day = finishedAt.slice(0, 10);
    if (costMicros <= 0) return;
    // Nothing, where all of it belongs to days before: the row still says that its end is told.
    const spent = costMicros - (this.#live.get(runId)?.earlier ?? 0);
    const written = first(
      this.#db,
      "INSERT INTO Spending (day, runId, costMicros) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1",
      day,
      runId,
      spent,
    );
    if (written !== null && day === this.#day) this.#ended += spent;
  }

  #total(): number {
    let total = this.#ended;
    for (const run of this.#live.values()) total += run.spent - run.earlier;
    return total;
  }

  #turnDay(): void {
    const day = dayOf(this.#now());
    if (day === this.#day) return;
    this.#day = day;
    for (const [runId, run] of this.#live) this.#live.set(runId, { spent: run.spent, earlier: run.spent });
    this.#db.transaction(() =>
      this.#db.run("DELETE FROM Spending WHERE day < ?", dayOf(this.#now() - KEPT_DAYS * DAY_MS)),
    );
    this.#ended = this.#sum();
  }

  #sum(): number {
    const row = first(
      this.#db,
      "SELECT coalesce(sum(costMicros), 0) AS total FROM Spending WHERE day = ?",
      this.#day,
    );
    return row === null ? 0 : int(row, "total");
  }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
