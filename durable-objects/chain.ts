import { DurableObject } from "cloudflare:workers";
import type { Admission, ChainLimits, RunSpent, Spending } from "../core/chain/budget.ts";
import { Chain, type ChainView } from "../core/chain/chain.ts";
import type { Member } from "../core/chain/members.ts";
import type { Permit, SettledRun } from "../core/engine/world.ts";
import { objectNameOf } from "../core/ids.ts";
import type { Env } from "./env.ts";
import { objectDatabase } from "./sqlite.ts";

/** How long cancelled members get before they are told again. */
const TELL_AGAIN_MS = 5_000;

/** One per chain, named by its RootRunId. */
export class ChainObject extends DurableObject<Env> {
  #made: Chain | null = null;

  /** Made with the first call and not before: so the tables of a new chain and its first members are one commit. */
  get #chain(): Chain {
    this.#made ??= new Chain(objectDatabase(this.ctx.storage), Date.now);
    return this.#made;
  }

  async admit(member: Member, limits: ChainLimits, asker: RunSpent): Promise<Admission> {
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
    await this.#tellMembers();
  }

  override async alarm(): Promise<void> {
    if (this.#chain.isCancelled) await this.#tellMembers();
  }

  async #tellMembers(): Promise<void> {
    const members = this.#chain.cancel();
    if (members.length === 0) return;
    await this.ctx.storage.setAlarm(Date.now() + TELL_AGAIN_MS);
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
