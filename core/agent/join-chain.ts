import { becomeChained, forgetAnswers, memberOf, spendingOf } from "../engine/chain-books.ts";
import type { World } from "../engine/world.ts";
import { askedMembers, openAsks } from "./asked-members.ts";

/**
 * Hands the books of a run's chain over to the chain's object, so that it reaches all that is under way; of a run that
 * is over it hears with the next delivery. Safe to repeat. Rejects when the object cannot be reached.
 */
export async function joinChain(world: World, runId: string): Promise<void> {
  becomeChained(world, runId);
  const run = world.active.get(runId);
  const limits = world.documents()?.instance.perChain;
  if (run === undefined || limits === undefined) return;
  const chain = world.chain(run.record.lineage.rootRunId);
  const { answers } = run;
  await chain.permit(memberOf(world, run), spendingOf(world, run), limits);
  forgetAnswers(run, answers);
  for (const member of openAsks(world.db, run.record)) {
    await chain.admit(member, limits, null);
    const isRefused = !askedMembers(world.db, run.record).some((asked) => asked.runId === member.runId);
    if (isRefused) await chain.remove(member.runId);
  }
}
