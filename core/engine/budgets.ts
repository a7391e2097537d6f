/** Asks the chain and the day for leave before each model call (L10). */
import { checkSpent, type RefusalCode, type RunSpent, type Spent } from "../chain/budget.ts";
import type { Database } from "../journal/database.ts";
import type { NoticeRow } from "../record/rows.ts";
import type { ActiveRun } from "./active-run.ts";
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

/**
 * A chain of one run needs no object: its budget is the run's own. The chain's object comes into being with
 * the first run that a run causes, or when the budget is used up and somebody must be able to release it.
 */
async function chainPermit(world: World, run: ActiveRun, documents: Documents): Promise<Permit> {
  const limits = documents.instance.perChain;
  const { lineage } = run.record;
  const alone = { runs: 1, ...spentBy(run) };
  if (!run.chained && checkSpent(limits, alone, lineage.depth).ok) return { ok: true };
  markChained(world.db, run);
  const { answers } = run;
  const spending = { ...spentBy(run), answers };
  const permit = await world.chain(lineage.rootRunId).permit(memberOf(run, documents), spending, limits);
  forgetAnswers(run, answers);
  return permit;
}

/** The chain knows now what they cost. */
export function forgetAnswers(run: ActiveRun, told: ActiveRun["answers"]): void {
  run.answers = run.answers.filter((answer) => !told.includes(answer));
}

/** Written before the chain's object is spoken to, so that the run's end will be told to it. */
export function markChained(db: Database, run: ActiveRun): void {
  if (run.chained) return;
  run.chained = true;
  db.run("UPDATE Runs SET chained = 1 WHERE runId = ?", run.record.runId);
}

/** What the chain must know of a run that causes another. */
export function spendingOf(run: ActiveRun, documents: Documents): RunSpent {
  const { answers } = run;
  return { runId: run.record.runId, member: memberOf(run, documents), ...spentBy(run), answers };
}

function memberOf(run: ActiveRun, documents: Documents) {
  const { lineage, trigger } = run.record;
  return {
    runId: lineage.runId,
    agentId: documents.agent.agentId,
    parentRunId: lineage.parentRunId,
    depth: lineage.depth,
    trigger,
  };
}

/** What the run has used so far; a part of unknown price does not count. */
function spentBy(run: ActiveRun): Spent {
  const { inputTokens, outputTokens, knownMicros } = run.totals;
  return { tokens: (inputTokens ?? 0) + (outputTokens ?? 0), costMicros: knownMicros };
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
