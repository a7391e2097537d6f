import type { ActiveRun } from "./active-run.ts";
import { countChars, stepMessages } from "./transcript.ts";
import type { Documents } from "./world.ts";

/** Takes the open step, whose calls all have results, into the run's own messages. */
export function completeStep(run: ActiveRun, documents: Documents): void {
  if (run.openStep === null) return;
  const messages = stepMessages(run.openStep, documents.agent.limits.toolResultChars);
  run.messages = [...run.messages, ...messages];
  run.chars += countChars(messages);
  run.openStep = null;
}
