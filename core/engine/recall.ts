/** Brings a run's memory up to its journal: nothing for a fresh run, everything after a restart. */
import { answersOf, readSteps } from "../journal/steps.ts";
import { summaryCosts } from "../journal/summaries.ts";
import { type ActiveRun, addCost } from "./active-run.ts";
import { answeredBy } from "./chain-books.ts";
import { completeStep } from "./complete-step.ts";
import { rememberCalls } from "./repetition.ts";
import { countChars, userMessage } from "./transcript.ts";
import type { World } from "./world.ts";

export function recallRun(world: World, run: ActiveRun, cap: number): void {
  run.messages = [userMessage(run.record.input, cap)];
  run.chars = countChars(run.messages);
  if (run.record.startedAt === null) return;
  for (const cost of summaryCosts(world.db, run.record.runId)) run.totals = addCost(run.totals, cost);
  run.answers = answersOf(world.db, run.record.runId).map(answeredBy);
  for (const step of readSteps(world.db, run.record.runId)) {
    run.steps += 1;
    run.toolCalls += step.answer.toolCalls.length;
    run.totals = addCost(run.totals, step.answer);
    rememberCalls(run, step.answer.toolCalls);
    run.openStep = step;
    if (step.calls.every((call) => call.state === "done")) completeStep(run, cap);
  }
}
