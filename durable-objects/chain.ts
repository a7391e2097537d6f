import { DurableObject } from "cloudflare:workers";
import { backOffMs } from "../core/back-off.ts";
import type { Admission, ChainLimits, RunSpent, Spending } from "../core/chain/budget.ts";
import { Chain, type ChainView } from "../core/chain/chain.ts";
import type { Member } from "../core/chain/members.ts";
import { silentMembersNotice } from "../core/chain/silent-members.ts";
import type { Permit, SettledRun } from "../core/engine/world.ts";
import type { EraseRequest } from "../core/erase/erase-agent.ts";
import { type ErasedInObject, eraseInObject } from "../core/erase/erase-object.ts";
import { needleOf } from "../core/erase/needle.ts";
import { objectNameOf } from "../core/ids.ts";
import { NO_ROWS } from "../core/record/rows.ts";
import { writeRecord } from "../core/record/write-record.ts";
import type { Env } from "./env.ts";
import { objectDatabase } from "./sqlite.ts";

/** How long cancelled members get before they are told again. */
const WAITS = { firstMs: 5_000, longestMs: 600_000 };
/** After four hours. */
const MAX_TELLINGS = 30;

/** One per chain, named by its RootRunId. */
export class ChainObject extends DurableObject<Env> {
  #made: Chain | null = null;

  /** Made with the first call and not before: so the tables of a new chain and its first members are one commit. */
  get #chain(): Chain {
    this.#made ??= new Chain(objectDatabase(this.ctx.storage), Date.now);
    return this.#made;
  }

  async admit(member: Member, limits: ChainLimits, asker: RunSpent | null): Promise<Admission> {
    return this.#chain.admit(member, limits, asker);
  }

  async permit(member: Member, spent: Spending, limits: ChainLimits): Promise<Permit> {
    return this.#chain.permit(member, spent, limits);
  }

  async settle(closed: readonly SettledRun[]): Promise<void> {
    this.#chain.settle(closed);
  }

  async remove(runId: string): Promise<void> {
    this.#chain.remove(runId);
  }

  async view(): Promise<ChainView> {
    return this.#chain.view();
  }

  async release(): Promise<void> {
    this.#chain.release();
  }

  /** Stops every member, and those that come later; members that cannot be reached are told again. */
  async cancel(): Promise<void> {
    this.#chain.cancel();
    await this.#tellMembers();
  }

  /** A stretch of erasing in the copies of receipts. Nothing is made where no chain is. */
  async erase({ text, ...request }: EraseRequest): Promise<ErasedInObject> {
    const db = objectDatabase(this.ctx.storage);
    return db.transaction(() => eraseInObject(db, needleOf(text), request));
  }

  override async alarm(): Promise<void> {
    await this.#tellMembers();
  }

  /** The notice's Uid is that of the chain: whoever gives up again tells nobody twice. */
  async #giveUp(members: readonly Member[]): Promise<void> {
    const notice = silentMembersNotice(this.ctx.id.name ?? "", members, Date.now());
    await writeRecord(this.env.DB, this.env.TEXTS, { ...NO_ROWS, notices: [notice] });
    await this.ctx.storage.deleteAlarm();
  }

  async #tellMembers(): Promise<void> {
    const telling = this.#chain.tell();
    if (telling === null) return;
    const { members, before } = telling;
    await this.ctx.storage.setAlarm(Date.now() + backOffMs(WAITS, before + 1));
    if (before >= MAX_TELLINGS) return this.#giveUp(members);
    const request = { status: "cancelled", reason: "chain_cancelled" } as const;
    await Promise.allSettled(
      members.map(async (member) => {
        const name = objectNameOf(member.runId);
        if (name === null) return;
        const known = await this.env.AGENTS.get(this.env.AGENTS.idFromName(name)).cancel(
          member.runId,
          request,
        );
        if (known === "unknown") this.#chain.remove(member.runId);
      }),
    );
  }
}
