/**
 * The books of a chain. While it is a root and those whom it asks one after the other, the root's run keeps them:
 * it hears what each answer has cost, and hands a question over together with what was spent before. As soon as
 * the chain becomes more than that, or somebody must be able to stop or release it, its own object keeps them.
 */
import type { Answered, ChainSpent, RunSpent, Spent } from "../chain/budget.ts";
import { type Member, spentOf } from "../chain/members.ts";
import type { Database } from "../journal/database.ts";
import type { ActiveRun } from "./active-run.ts";
import { agentIdOf, type SettledRun, type World } from "./world.ts";

/** All that the chain has used as far as the run knows: everything, while the chain has no object. */
export function knownSpent(run: ActiveRun): ChainSpent {
  const { asker } = run.record;
  const before = asker === undefined ? [] : [asker, ...(asker.answers ?? [])];
  const all = [...before, spentBy(run), ...run.answers];
  return {
    runs: all.length,
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
    costMicros: all.reduce((sum, { costMicros }) => sum + costMicros, 0),
  };
}

/** Written before the chain's object is spoken to, so that the run's end will be told to it. */
export function markChained(db: Database, run: ActiveRun): void {
  if (run.chained) return;
  run.chained = true;
  db.run("UPDATE Runs SET chained = 1 WHERE runId = ?", run.record.runId);
}

/** What the chain must know of a run that causes another. */
export function spendingOf(world: World, run: ActiveRun): RunSpent {
  const { runId, asker } = run.record;
  const books = { answers: run.answers, ...(asker === undefined ? {} : { asker }) };
  return { runId, member: memberOf(world, run), ...spentBy(run), ...books };
}

/**
 * The run belongs to a chain with an object from here on, which is told of its end, even when that is past.
 * Written at once, like `markChained`.
 */
export function becomeChained(world: World, runId: string): void {
  const active = world.active.get(runId);
  if (active !== undefined) {
    markChained(world.db, active);
    return;
  }
  world.db.run(
    "UPDATE Runs SET chained = 1, settled = 0 WHERE runId = ? AND chained = 0 AND state = 'ended'",
    runId,
  );
  world.outboxFilled(true);
}

/** What goes along with a question. Who answers needs the sums; the receipts stay here. */
export function bookOf(world: World, run: ActiveRun): RunSpent {
  const answers = run.answers.map(({ closed, ...answer }) =>
    closed === undefined ? answer : { ...answer, member: closed.member },
  );
  return { ...spendingOf(world, run), answers };
}

/** The chain's object knows now what they cost. */
export function forgetAnswers(run: ActiveRun, told: ActiveRun["answers"]): void {
  run.answers = run.answers.filter((answer) => !told.includes(answer));
}

export function answeredBy(closed: SettledRun): Answered {
  return { runId: closed.member.runId, ...spentOf(closed.receipt), closed };
}

export function memberOf(world: World, { record }: Pick<ActiveRun, "record">): Member {
  const { lineage, trigger } = record;
  const { runId, parentRunId, depth } = lineage;
  return { runId, agentId: agentIdOf(world), parentRunId, depth, trigger };
}

/** What the run itself has used so far; a part of unknown price does not count. */
export function spentBy(run: ActiveRun): Spent {
  const { inputTokens, outputTokens, knownMicros } = run.totals;
  return { tokens: (inputTokens ?? 0) + (outputTokens ?? 0), costMicros: knownMicros };
}
