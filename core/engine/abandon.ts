/** Gives every open call of a run its one result when the run ends before they could be made (L2). */
import { putOutbox } from "../journal/outbox.ts";
import { type CallResult, finishCall } from "../journal/steps.ts";
import type { ActiveRun } from "./active-run.ts";
import { auditRow } from "./audit.ts";
import { markChained } from "./chain-books.ts";
import { agentIdOf, type World } from "./world.ts";

export function abandonCalls(world: World, run: ActiveRun, result: CallResult): void {
  const open = run.openStep;
  if (open === null) return;
  const now = world.now();
  const agentId = agentIdOf(world);
  world.db.transaction(() => {
    open.answer.toolCalls.forEach((call, position) => {
      const journaled = open.calls[position];
      if (journaled === undefined || journaled.state === "done") return;
      const key = { runId: run.record.runId, step: open.step, position };
      // Whoever answers may end later: the chain will hear of that, and must hear of this run too.
      if (journaled.askRunId !== null) markChained(world.db, run);
      finishCall(world.db, key, { ...result, answer: undefined, now });
      const row = auditRow(run, { key, call, journaled, result, now, agentId });
      putOutbox(world.db, { kind: "audit", row }, row.uid);
    });
  });
  run.openStep = {
    ...open,
    calls: open.calls.map((call) => (call.state === "done" ? call : { ...call, state: "done", result })),
  };
}

export function interruptedResult(message: string): CallResult {
  const text = `Interrupted: ${message}`;
  return { outcome: "interrupted", error: text, content: text };
}
