/** Brings a run's memory up to its journal: nothing for a fresh run, everything after a restart. */
import { loadSteps } from "../journal/steps.ts";
import { summaryCosts } from "../journal/summaries.ts";
import { type ActiveRun, addCost } from "./active-run.ts";
import { completeStep } from "./complete-step.ts";
import { rememberCalls } from "./repetition.ts";
import { countChars, userMessage } from "./transcript.ts";
import type { Documents, World } from "./world.ts";

export function recallRun(world: World, run: ActiveRun, documents: Documents): void {
  run.messages = [userMessage(run.record.input, documents.agent.limits.toolResultChars)];
  run.chars = countChars(run.messages);
  if (run.record.startedAt === null) return;
  for (const cost of summaryCosts(world.db, run.record.runId)) run.totals = addCost(run.totals, cost);
  for (const step of loadSteps(world.db, run.record.runId)) {
    run.steps += 1;
    run.toolCalls += step.answer.toolCalls.length;
    run.totals = addCost(run.totals, step.answer);
    rememberCalls(run, step.answer.toolCalls);
    run.openStep = step;
    if (step.calls.every((call) => call.state === "done")) completeStep(run, documents);
  }
}
