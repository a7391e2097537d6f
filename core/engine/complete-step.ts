import type { ActiveRun } from "./active-run.ts";
import { countChars, stepMessages } from "./transcript.ts";

/** Takes the open step, whose calls all have results, into the run's own messages; each capped to `cap` characters. */
export function completeStep(run: ActiveRun, cap: number): void {
  if (run.openStep === null) return;
  const messages = stepMessages(run.openStep, cap);
  run.messages = [...run.messages, ...messages];
  run.chars += countChars(messages);
  run.openStep = null;
}
