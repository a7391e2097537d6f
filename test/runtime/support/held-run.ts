/** A run that is under way, with a text wherever its memory can hold one and its journal does not. */
import { type ActiveRun, activeRun } from "../../../core/engine/active-run.ts";
import type { JournaledStep } from "../../../core/journal/steps.ts";
import { rootLineage } from "../../../core/lineage.ts";

export function heldRun(text: string): ActiveRun {
  const run = activeRun({
    runId: "held",
    trigger: "chat",
    lane: "isolated",
    priority: 0,
    lineage: rootLineage("held"),
    input: text,
    maxSteps: null,
    deadlineAt: null,
    taskId: null,
    seq: 1,
    conversation: 1,
    state: "started",
    acceptedAt: 1,
    startedAt: 1,
    resumes: 0,
    cancel: null,
    chained: false,
  });
  run.messages = [{ role: "user", content: text }];
  run.chars = text.length;
  run.openStep = openStep(text);
  run.recentCalls.push(text);
  return run;
}

function openStep(text: string): JournaledStep {
  return {
    step: 0,
    answer: {
      text,
      reasoning: "",
      toolCalls: [{ id: "c1", name: "MailSend", arguments: JSON.stringify({ to: text }) }],
      finish: "tool_calls",
      usage: null,
      costMicros: null,
      priceSource: null,
    },
    calls: [
      {
        position: 0,
        state: "done",
        askRunId: null,
        startedAt: 1,
        endedAt: 2,
        result: { outcome: "ok", error: null, content: text },
      },
    ],
  };
}
