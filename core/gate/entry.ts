import type { RunRecord } from "../journal/runs.ts";
import type { GateEntry } from "./policy.ts";

/** A run as the gate sees it. */
export function gateEntry(run: { readonly record: RunRecord }, started: boolean): GateEntry {
  const { record } = run;
  return {
    runId: record.runId,
    isAnswer: record.lane === "answer",
    priority: record.priority,
    seq: record.seq,
    started,
  };
}
