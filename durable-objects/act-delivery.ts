/** Brings the log of administration from the hub to D1. The alarm is set with the row, so neither is lost without the other. */
import type { ActRow } from "../core/admin/act.ts";
import { createActSchema, dropActs, putAct, waitingActs } from "../core/admin/outbox.ts";
import { isRefusedRow, refusedActNotice, writeActs } from "../core/admin/write-acts.ts";
import { backOffMs } from "../core/back-off.ts";
import type { Database } from "../core/journal/database.ts";
import { describeError } from "../core/log.ts";
import { NO_ROWS } from "../core/record/rows.ts";
import { writeRecord } from "../core/record/write-record.ts";
import type { Env } from "./env.ts";
import { objectLog } from "./object-log.ts";

const BATCH_ROWS = 50;
const WAITS = { firstMs: 500, longestMs: 60_000 };

export class ActDelivery {
  readonly #db: Database;
  readonly #storage: DurableObjectStorage;
  readonly #env: Env;
  #failures = 0;

  constructor(db: Database, storage: DurableObjectStorage, env: Env) {
    createActSchema(db);
    this.#db = db;
    this.#storage = storage;
    this.#env = env;
  }

  /** Writes the row together with what `change` does: all or nothing. */
  with<T>(act: ActRow | null, change: () => T): T {
    const result = this.#db.transaction(() => {
      if (act !== null) putAct(this.#db, act);
      return change();
    });
    // Not awaited: nothing leaves the object before the row and the alarm are stored.
    if (act !== null) this.#storage.setAlarm(Date.now());
    return result;
  }

  /** The alarm's work: what cannot be written now is tried again. Never rejects. */
  async deliver(): Promise<void> {
    try {
      for (let acts = this.#next(); acts.length > 0; acts = this.#next()) await this.#write(acts);
      this.#failures = 0;
    } catch (error) {
      // D1 is away, or a migration is: the rows stay here until it is back.
      this.#failures += 1;
      if (this.#failures === 1)
        objectLog(this.#env).warn(
          `The log of administration could not be written to D1, which is tried again: ${describeError(error)}`,
        );
      await this.#storage.setAlarm(Date.now() + backOffMs(WAITS, this.#failures));
    }
  }

  #next(): ActRow[] {
    return waitingActs(this.#db, BATCH_ROWS);
  }

  /** One row that D1 will never take must not hold up those behind it. */
  async #write(acts: readonly ActRow[]): Promise<void> {
    try {
      await writeActs(this.#env.DB, acts);
    } catch (error) {
      const [act, ...others] = acts;
      if (act === undefined || !isRefusedRow(error)) throw error;
      if (others.length === 0) return this.#setAside(act, error);
      for (const one of acts) await this.#write([one]);
      return;
    }
    dropActs(this.#db, acts);
  }

  /** The notice is what is left of it. */
  async #setAside(act: ActRow, error: unknown): Promise<void> {
    const notice = refusedActNotice(act, Date.now());
    await writeRecord(this.#env.DB, this.#env.TEXTS, { ...NO_ROWS, notices: [notice] });
    objectLog(this.#env).error(notice.text, error);
    dropActs(this.#db, [act]);
  }
}
