/** One step: the model call and the journal entry of its answer. */
import { type CallTimes, insertStep, type JournaledAnswer, type JournaledStep } from "../journal/steps.ts";
import type { ModelAnswer, ModelFailure } from "../model/types.ts";
import { stepTraceparent } from "../telemetry/ids.ts";
import { abandonCalls } from "./abandon.ts";
import { type ActiveRun, addCost } from "./active-run.ts";
import type { Stop } from "./budgets.ts";
import { compactIfNeeded, pricedModel } from "./compaction.ts";
import { completeStep } from "./complete-step.ts";
import { buildRequest } from "./context.ts";
import { callModel, type ModelCall, type StepResult } from "./model-call.ts";
import { rememberCalls, repeatsItself } from "./repetition.ts";
import { failedResult } from "./tool-call.ts";
import type { Documents, World } from "./world.ts";

export interface StepInput {
  readonly documents: Documents;
  /** Epoch milliseconds. */
  readonly deadline: number;
}

/** Each refusal of the provider halves the room that the messages may take. */
const SQUEEZES = [1, 0.5, 0.25];

/** Returns how the run ends, or null when it goes on with the step's calls or was ended from outside. */
export async function takeStep(world: World, run: ActiveRun, input: StepInput): Promise<Stop | null> {
  const result = await answerWithin(world, run, input);
  if (!result.ok) return run.cancel === null ? modelStop(result.failure) : null;
  const { answer, times } = result;
  // Also one that comes too late was paid for.
  journalStep(world, run, { documents: input.documents, answer, times });
  if (run.cancel !== null) return null;
  if (answer.toolCalls.length === 0 || answer.finish === "refusal" || answer.finish === "content_filter") {
    refuseCalls(world, run, "the answer was held back, so none of its calls was made");
    completeStep(run, input.documents.agent.limits.toolResultChars);
    return finalStop(answer);
  }
  if (repeatsItself(run)) {
    refuseCalls(world, run, "the same calls were made again and again");
    return ended("failed", {
      reason: "repetition",
      error: "The model repeats the same calls.",
      reply: answer.text,
    });
  }
  if (answer.finish === "length")
    refuseCalls(
      world,
      run,
      "the answer was cut at the model's output limit, so none of its calls was made; write less",
    );
  return null;
}

async function answerWithin(world: World, run: ActiveRun, input: StepInput): Promise<StepResult> {
  const call = modelCall(world, run, input);
  const traced = await tracedBy(run, input.documents);
  let result: StepResult | null = null;
  for (const squeeze of SQUEEZES) {
    const compacted = await compactIfNeeded(world, run, { documents: input.documents, call, squeeze });
    if (!compacted.ok) return compacted;
    const request = buildRequest(world, run, input.documents);
    result = await callModel(world, run, { ...call, ...traced, request });
    if (result.ok || result.failure.code !== "context_overflow") return result;
    world
      .runLog(run.record.runId)
      .warn(`The model's context overflowed; trying with ${squeeze / 2} of the room`);
  }
  return result ?? { ok: false, failure: NO_ATTEMPT };
}

async function tracedBy(run: ActiveRun, { instance }: Documents): Promise<Pick<ModelCall, "traceparent">> {
  if (instance.telemetry === undefined) return {};
  const { runId, rootRunId } = run.record.lineage;
  const { sampleRatio } = instance.telemetry;
  return { traceparent: await stepTraceparent({ runId, rootRunId, step: run.steps, sampleRatio }) };
}

const NO_ATTEMPT: ModelFailure = {
  code: "context_overflow",
  message: "No attempt was made.",
  status: null,
  retryAfterMs: null,
  partialText: "",
};

function modelCall(world: World, run: ActiveRun, input: StepInput): Omit<ModelCall, "request"> {
  const { agent } = input.documents;
  return {
    client: world.modelClient(agent),
    step: run.steps,
    deadline: input.deadline,
    attemptMs: agent.limits.modelSeconds * 1000,
  };
}

/** The answer and its price become part of the journal before anything follows from them. */
function journalStep(
  world: World,
  run: ActiveRun,
  input: {
    readonly documents: Documents;
    readonly answer: ModelAnswer;
    readonly times: Required<CallTimes>;
  },
): void {
  const price = world.price({ ...pricedModel(input.documents), usage: input.answer.usage });
  const answer: JournaledAnswer = {
    ...input.answer,
    ...input.times,
    costMicros: price.costMicros,
    priceSource: price.source,
  };
  const step = run.steps;
  world.db.transaction(() => insertStep(world.db, { runId: run.record.runId, step }, answer));
  run.steps += 1;
  run.toolCalls += answer.toolCalls.length;
  run.totals = addCost(run.totals, answer);
  rememberCalls(run, answer.toolCalls);
  run.openStep = openStep(step, answer);
}

function openStep(step: number, answer: JournaledAnswer): JournaledStep {
  const calls = answer.toolCalls.map((_, position) => ({
    position,
    state: "pending" as const,
    askRunId: null,
    startedAt: null,
    endedAt: null,
    result: null,
  }));
  return { step, answer, calls };
}

function refuseCalls(world: World, run: ActiveRun, message: string): void {
  abandonCalls(world, run, failedResult(message));
}

function finalStop(answer: ModelAnswer): Stop {
  switch (answer.finish) {
    case "stop":
    case "tool_calls":
      return ended("completed", { reason: null, error: null, reply: answer.text });
    case "length":
      return ended("failed", {
        reason: "length",
        error: "The answer was cut at the model's output limit.",
        reply: answer.text,
      });
    case "refusal":
      return ended("failed", {
        reason: "refusal",
        error: "The model refused to answer.",
        reply: answer.text,
      });
    case "content_filter":
      return ended("failed", {
        reason: "content_filter",
        error: "The provider's filter held the answer back.",
        reply: answer.text,
      });
  }
}

function modelStop(failure: ModelFailure): Stop {
  return ended("failed", { reason: failure.code, error: failure.message, reply: "" });
}

function ended(status: Stop["status"], rest: Pick<Stop, "reason" | "error" | "reply">): Stop {
  return { status, ...rest, notice: null };
}
