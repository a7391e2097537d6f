/**
 * Brings the outbox to D1, the receipts to their chains, and both to the live feed: in order, in batches,
 * one delivery at a time, with back-off while D1 is away. Safe to be cut short anywhere.
 */
import { backOffMs } from "../back-off.ts";
import type { SettledRun, World } from "../engine/world.ts";
import type { LiveEvent } from "../events.ts";
import type { DaySpent } from "../hub/day-ledger.ts";
import { liveMessage } from "../hub/live-message.ts";
import { ownJson } from "../journal/database.ts";
import { clearOutbox, readOutbox, type StoredEntry } from "../journal/outbox.ts";
import { markSettled, type UnsettledRun, unsettledRuns } from "../journal/runs.ts";
import { answersOf, unansweredAsks } from "../journal/steps.ts";
import { describeError } from "../log.ts";
import type { ReceiptRow, RecordRows } from "../record/rows.ts";
import { lateAnswer } from "./late-answer.ts";
import { settleTask } from "./settle-task.ts";

const BATCH_ROWS = 100;
/** Characters of one batch; far under what a request to D1 may carry. */
const BATCH_UNITS = 4_000_000;
const WAITS = { firstMs: 500, longestMs: 60_000 };
export const PACE: DeliveryPace = { quiet: 500, longest: 3_000 };

/** Milliseconds that rows wait for company: so long after the latest, and so long at most. */
export interface DeliveryPace {
  readonly quiet: number;
  readonly longest: number;
}

export class Delivery {
  readonly #world: World;
  readonly #pace: DeliveryPace;
  #running: Promise<void> | null = null;
  #again = false;
  #failures = 0;
  #published = 0;
  #retryAt = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** When the latest delivery began. */
  #begunAt = 0;
  /** When the first and the latest of the rows that wait were written. */
  #waiting = { since: 0, latest: 0 };

  constructor(world: World, pace = PACE) {
    this.#world = world;
    this.#pace = pace;
  }

  /**
   * Delivers at once where others wait for it, or after a quiet while when no run is open; else in a moment, so that
   * what is written in the meantime makes one batch. `then` is called when that is over. Answers whether it waits.
   */
  soon(othersWait: boolean, then: () => void): boolean {
    const now = this.#world.now();
    const isQuiet = this.#world.active.size === 0 && now >= this.#begunAt + this.#pace.longest;
    const atOnce = othersWait || isQuiet;
    if (atOnce) this.#deliver(then);
    else this.#gather(now, then);
    return !atOnce;
  }

  #gather(now: number, then: () => void): void {
    const since = this.#timer === null ? now : this.#waiting.since;
    this.#waiting = { since, latest: now };
    this.#timer ??= setTimeout(() => this.#whenDue(then), this.#pace.quiet);
  }

  #whenDue(then: () => void): void {
    const { since, latest } = this.#waiting;
    const due = Math.min(latest + this.#pace.quiet, since + this.#pace.longest);
    const wait = due - this.#world.now();
    if (wait <= 0) this.#deliver(then);
    else {
      this.#publishNew();
      this.#timer = setTimeout(() => this.#whenDue(then), Math.min(wait, this.#pace.longest));
    }
  }

  #deliver(then: () => void): void {
    this.#begunAt = this.#world.now();
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    this.kick().then(then);
  }

  /** Starts a delivery unless one is under way or D1 was away a moment ago. Resolves when it is over; never rejects. */
  kick(): Promise<void> {
    this.#again = true;
    const waiting = this.#world.now() < this.#retryAt;
    // The live feed does not wait for D1.
    if (waiting || this.#running !== null) this.#publishNew();
    if (waiting) return Promise.resolve();
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Epoch milliseconds of the next attempt after a failure; 0 when nothing failed. */
  get retryAt(): number {
    return this.#failures > 0 ? this.#retryAt : 0;
  }

  /** Resolves when no delivery is under way that holds rows as they were before, or after several of them. */
  async settled(): Promise<void> {
    for (let times = 0; times < 10 && this.#running !== null; times += 1) await this.#running;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  async #run(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        while (await this.#deliverBatch());
        this.#failures = 0;
      }
    } catch (error) {
      this.#failures += 1;
      this.#retryAt = this.#world.now() + backOffMs(WAITS, this.#failures, this.#world.random());
      this.#world.log.warn(`The record could not be written to D1: ${describeError(error)}`);
    } finally {
      // At once and not in a later turn: whoever kicks in between would wait for a delivery that is over.
      this.#running = null;
    }
  }

  /** Whether there was anything to deliver. */
  async #deliverBatch(): Promise<boolean> {
    const { db } = this.#world;
    const entries = readOutbox(db, { after: 0, limit: BATCH_ROWS, maxUnits: BATCH_UNITS });
    const unsettled = unsettledRuns(db, BATCH_ROWS);
    if (entries.length === 0 && unsettled.length === 0) return false;
    this.#publish(entries);
    const settling = this.#settle(unsettled);
    const last = entries.at(-1)?.seq;
    if (last !== undefined) await this.#world.writeRecord(rowsOf(entries));
    const settled = await settling;
    db.transaction(() => {
      if (last !== undefined) clearOutbox(db, last);
      if (settled.length > 0) markSettled(db, settled);
    });
    if (settled.length < unsettled.length) throw new Error("the end of a run could not be told");
    return true;
  }

  #publishNew(): void {
    const fresh = { after: this.#published, limit: BATCH_ROWS, maxUnits: BATCH_UNITS };
    this.#publish(readOutbox(this.#world.db, fresh));
  }

  #publish(entries: readonly StoredEntry[]): void {
    const fresh = entries.filter((entry) => entry.seq > this.#published);
    this.#published = Math.max(this.#published, entries.at(-1)?.seq ?? 0);
    const events = fresh.flatMap(liveEvent);
    if (events.length > 0) this.#world.publish(events);
  }

  /** The runs of which day, chain and taskboard have been told; the others are told next time. */
  async #settle(runs: readonly UnsettledRun[]): Promise<string[]> {
    if (runs.length === 0) return [];
    const chained = runs.filter((run) => run.record.chained);
    const byChain = Map.groupBy(chained, (run) => run.record.lineage.rootRunId);
    const told = await Promise.all([
      this.#tell(runs, () => this.#world.day.settle(runs.map(costOf))),
      ...[...byChain].map(([rootRunId, members]) =>
        this.#tell(members, () => this.#settleChain(rootRunId, members)),
      ),
      ...runs.map((run) => this.#tell([run], () => settleTask(this.#world, run))),
    ]);
    const failed = new Set(told.flat());
    return runs.map((run) => run.record.runId).filter((runId) => !failed.has(runId));
  }

  /** With those that have answered them: these may have left it to their asker to tell of their end. */
  async #settleChain(rootRunId: string, members: readonly UnsettledRun[]): Promise<void> {
    const { db } = this.#world;
    const closed = members.flatMap((run) => [...answersOf(db, run.record.runId), settledRun(run)]);
    const unheard = members.flatMap(({ record }) =>
      unansweredAsks(db, record.runId).map((askRunId) => lateAnswer(this.#world, record.lineage, askRunId)),
    );
    // Nothing is waited for where nothing has to be.
    if (unheard.length > 0) closed.push(...(await Promise.all(unheard)).flat());
    await this.#world.chain(rootRunId).settle(closed);
  }

  /** The runs of which it could not be told. */
  async #tell(runs: readonly UnsettledRun[], call: () => Promise<void>): Promise<string[]> {
    try {
      await call();
      return [];
    } catch (error) {
      this.#world.log.warn(`The end of ${runs.length} runs could not be told: ${describeError(error)}`);
      return runs.map((run) => run.record.runId);
    }
  }
}

function costOf(run: { readonly receipt: string }): DaySpent {
  const { runId, costMicros, finishedAt } = ownJson<ReceiptRow>(run.receipt);
  return { runId, costMicros: costMicros ?? 0, finishedAt };
}

function settledRun(run: UnsettledRun): SettledRun {
  const receipt = ownJson<ReceiptRow>(run.receipt);
  const { lineage, trigger } = run.record;
  return {
    member: {
      runId: lineage.runId,
      agentId: receipt.agentId,
      parentRunId: lineage.parentRunId,
      depth: lineage.depth,
      trigger,
    },
    receipt,
  };
}

function rowsOf(entries: readonly StoredEntry[]): RecordRows {
  return {
    messages: entries.flatMap((entry) => (entry.kind === "messages" ? [entry.row] : [])),
    audit: entries.flatMap((entry) => (entry.kind === "audit" ? [entry.row] : [])),
    receipts: entries.flatMap((entry) => (entry.kind === "receipts" ? [entry.row] : [])),
    notices: entries.flatMap((entry) => (entry.kind === "notices" ? [entry.row] : [])),
    ticks: entries.flatMap((entry) => (entry.kind === "ticks" ? [entry.row] : [])),
    approvals: entries.flatMap((entry) => (entry.kind === "approvals" ? [entry.row] : [])),
  };
}

function liveEvent(entry: StoredEntry): LiveEvent[] {
  if (entry.kind === "messages") return [{ type: "message", message: liveMessage(entry.row) }];
  return entry.kind === "notices" ? [{ type: "notice", notice: entry.row }] : [];
}
