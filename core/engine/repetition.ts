/** Stops a model that makes the same calls again and again. No I/O, no clock. */
import type { ToolCall } from "../model/types.ts";
import type { ActiveRun } from "./active-run.ts";

/** So many steps in a row with the same calls end the run. */
const SAME_STEPS = 6;

/** Remembers what a step called, arguments included. */
export function rememberCalls(run: ActiveRun, calls: readonly ToolCall[]): void {
  run.recentCalls.push(JSON.stringify(calls.map((call) => [call.name, call.arguments])));
  if (run.recentCalls.length > SAME_STEPS) run.recentCalls.shift();
}

/** Whether the latest steps all made the same calls. */
export function repeatsItself(run: ActiveRun): boolean {
  const { recentCalls } = run;
  return recentCalls.length === SAME_STEPS && new Set(recentCalls).size === 1 && recentCalls[0] !== "[]";
}
