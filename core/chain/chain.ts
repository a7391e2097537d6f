/**
 * One chain: its members, its budget, freeze and cancel. It asks nobody, so it works while D1 is away.
 * What live members have spent is kept in memory: they tell it anew with each permit.
 */
import type { Permit, SettledRun } from "../engine/world.ts";
import type { Database } from "../journal/database.ts";
import {
  type Admission,
  type ChainLimits,
  type ChainSpent,
  checkNewRun,
  checkSpent,
  type RunSpent,
  refusal,
  type Spending,
  type Spent,
  sinceRelease,
} from "./budget.ts";
import {
  addMember,
  type ChainState,
  closedSpent,
  closeMember,
  createChainSchema,
  isClosed,
  isMember,
  listMembers,
  liveMembers,
  loadState,
  type Member,
  type MemberView,
  removeMember,
  saveState,
} from "./members.ts";

export interface ChainView {
  readonly frozen: string | null;
  readonly cancelled: boolean;
  readonly members: readonly MemberView[];
}

export interface Telling {
  readonly members: readonly Member[];
  /** Tellings before this one. */
  readonly before: number;
}

export class Chain {
  readonly #db: Database;
  readonly #now: () => number;
  /** By run; a member in here is known to be in the table. */
  readonly #live = new Map<string, Spent>();
  #state: ChainState;
  #closed: ChainSpent;

  constructor(db: Database, now: () => number) {
    createChainSchema(db);
    this.#db = db;
    this.#now = now;
    this.#state = loadState(db);
    this.#closed = closedSpent(db);
  }

  /** `asker` is null where the new run is asked for by nobody who could tell what has been spent. */
  admit(member: Member, limits: ChainLimits, asker: RunSpent | null): Admission {
    if (asker !== null) this.#takeAsker(asker);
    if (isMember(this.#db, member.runId)) return { ok: true };
    const barred = this.#barred();
    if (barred !== null) return barred;
    const fits = checkNewRun(limits, sinceRelease(this.#spent(), this.#state.released), member.depth);
    if (fits.ok) this.#enter(member);
    return fits;
  }

  /** The asker waits from here on, so its next permit would tell the spending too late for the answering run. */
  #takeAsker(asker: RunSpent): void {
    this.#takeAll(asker);
    if (asker.member !== undefined) this.#takeLive(asker.member, asker);
  }

  permit(member: Member, own: Spending, limits: ChainLimits): Permit {
    this.#takeAll(own);
    this.#takeLive(member, own);
    const barred = this.#barred();
    if (barred !== null && !barred.ok)
      return { ...barred, freeze: this.#state.frozen === null ? null : this.#state.releases };
    const within = checkSpent(limits, sinceRelease(this.#spent(), this.#state.released), member.depth);
    if (within.ok) return within;
    this.#save({ ...this.#state, frozen: within.reason });
    return { ...within, freeze: this.#state.releases };
  }

  settle(closed: readonly SettledRun[]): void {
    const added = this.#db.transaction(() => closed.map((run) => closeMember(this.#db, run)));
    for (const { member } of closed) this.#live.delete(member.runId);
    for (const { runs, tokens, costMicros } of added)
      this.#closed = {
        runs: this.#closed.runs + runs,
        tokens: this.#closed.tokens + tokens,
        costMicros: this.#closed.costMicros + costMicros,
      };
  }

  remove(runId: string): void {
    this.#live.delete(runId);
    this.#db.transaction(() => removeMember(this.#db, runId));
    this.#closed = closedSpent(this.#db);
  }

  /** Nothing more begins in it. */
  cancel(): void {
    this.#save({ ...this.#state, cancelled: true, tellings: 0 });
  }

  /** Who must still be told of the cancel, and how often that was tried before. Null when nobody must. */
  tell(): Telling | null {
    const members = this.#state.cancelled ? liveMembers(this.#db) : [];
    if (members.length === 0) return null;
    const { tellings } = this.#state;
    this.#save({ ...this.#state, tellings: tellings + 1 });
    return { members, before: tellings };
  }

  /** Lets a frozen chain go on; from here on it has its limits anew. */
  release(): void {
    const { releases } = this.#state;
    this.#save({
      frozen: null,
      cancelled: false,
      tellings: 0,
      releases: releases + 1,
      released: this.#spent(),
    });
  }

  view(): ChainView {
    return { frozen: this.#state.frozen, cancelled: this.#state.cancelled, members: listMembers(this.#db) };
  }

  /** Nothing for one that is over. */
  #enter(member: Member): void {
    if (isClosed(this.#db, member.runId)) return;
    if (this.#db.transaction(() => addMember(this.#db, member, this.#now())))
      this.#closed = { ...this.#closed, runs: this.#closed.runs + 1 };
    this.#live.set(member.runId, { tokens: 0, costMicros: 0 });
  }

  /** Kept in memory until their own objects close them; what is told late is no less than what was told before. */
  #takeLive(member: Member, { tokens, costMicros }: Spent): void {
    if (!this.#live.has(member.runId)) this.#enter(member);
    const known = this.#live.get(member.runId);
    if (known === undefined) return;
    const spent = {
      tokens: Math.max(known.tokens, tokens),
      costMicros: Math.max(known.costMicros, costMicros),
    };
    this.#live.set(member.runId, spent);
  }

  /** What others have spent of which the run knows. */
  #takeAll({ answers = [], asker }: Spending): void {
    if (asker !== undefined) this.#takeAsker(asker);
    const closed = answers.flatMap((answer) => answer.closed ?? []);
    if (closed.length > 0) this.settle(closed);
    for (const { member, ...spent } of answers) if (member !== undefined) this.#takeLive(member, spent);
    for (const { runId, tokens, costMicros } of answers)
      if (!isClosed(this.#db, runId)) this.#live.set(runId, { tokens, costMicros });
  }

  #barred(): Admission | null {
    if (this.#state.cancelled) return refusal("cancelled", "the chain was cancelled by a person");
    return this.#state.frozen === null
      ? null
      : refusal("frozen", `the chain is frozen: ${this.#state.frozen}`);
  }

  #spent(): ChainSpent {
    let { tokens, costMicros } = this.#closed;
    for (const live of this.#live.values()) {
      tokens += live.tokens;
      costMicros += live.costMicros;
    }
    return { runs: this.#closed.runs, tokens, costMicros };
  }

  #save(state: ChainState): void {
    this.#state = state;
    this.#db.transaction(() => saveState(this.#db, state));
  }
}
