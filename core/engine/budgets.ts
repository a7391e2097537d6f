/** Asks the chain and the day for leave before each model call (L10). */
import { checkSpent, type RefusalCode } from "../chain/budget.ts";
import type { NoticeRow } from "../record/rows.ts";
import type { ActiveRun } from "./active-run.ts";
import { forgetAnswers, knownSpent, markChained, memberOf, spendingOf } from "./chain-books.ts";
import type { EndInput } from "./ending.ts";
import { agentIdOf, type Documents, type Permit, type World } from "./world.ts";

export type Stop = EndInput;

/** Null when the run may go on. */
export async function checkBudgets(world: World, run: ActiveRun, documents: Documents): Promise<Stop | null> {
  const { lineage } = run.record;
  const { instance } = documents;
  const [chain, day] = await Promise.all([
    chainPermit(world, run, documents),
    world.day.permit(lineage.runId, run.totals.knownMicros, instance.perDay),
  ]);
  if (!chain.ok) {
    if (chain.code === "cancelled") return over("cancelled", chain, null);
    const notice =
      chain.freeze === null ? null : frozenNotice(world, run, { ...chain, freeze: chain.freeze });
    return over("budget", chain, notice);
  }
  return day.ok ? null : over("budget", day, dayNotice(world, day.reason));
}

/** Without the chain's object while it has none; that comes into being once the budget is used up, so that somebody can release it. */
async function chainPermit(world: World, run: ActiveRun, documents: Documents): Promise<Permit> {
  const limits = documents.instance.perChain;
  const { lineage } = run.record;
  if (!run.chained && checkSpent(limits, knownSpent(run), lineage.depth).ok) return { ok: true };
  markChained(world.db, run);
  const { answers } = run;
  const chain = world.chain(lineage.rootRunId);
  const permit = await chain.permit(memberOf(world, run), spendingOf(world, run), limits);
  forgetAnswers(run, answers);
  return permit;
}

function over(
  status: "budget" | "cancelled",
  refused: { readonly code: RefusalCode; readonly reason: string },
  notice: NoticeRow | null,
): Stop {
  return { status, reason: refused.code, error: refused.reason, reply: "", notice };
}

/** Its Uid names the freeze, so that however many runs meet it a person is told once. */
function frozenNotice(
  world: World,
  run: ActiveRun,
  refused: { readonly reason: string; readonly freeze: number },
): NoticeRow {
  const { rootRunId } = run.record.lineage;
  return {
    uid: `frozen:${rootRunId}:${refused.freeze}`,
    kind: "chain_frozen",
    text: `Chain ${rootRunId} is frozen: ${refused.reason}. Look at what it did, then release or cancel it.`,
    rootRunId,
    agentId: agentIdOf(world),
    occurredAt: new Date(world.now()).toISOString(),
  };
}

function dayNotice(world: World, reason: string): NoticeRow {
  const occurredAt = new Date(world.now()).toISOString();
  return {
    uid: `day:${occurredAt.slice(0, 10)}`,
    kind: "day_budget",
    text: `No more model calls today: ${reason}.`,
    rootRunId: null,
    agentId: null,
    occurredAt,
  };
}
