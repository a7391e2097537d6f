/**
 * One step's model call with its retries, under one deadline over all attempts. While it waits between two
 * attempts the run stands between two steps: its gate is lent (L1).
 */
import { cutPosition } from "../journal/long-text.ts";
import { noteTrouble } from "../journal/runs.ts";
import type { CallTimes } from "../journal/steps.ts";
import { nextAttempt } from "../model/retry.ts";
import type { ModelAnswer, ModelClient, ModelFailure, ModelRequest, ModelResult } from "../model/types.ts";
import { answerAttributes, chatAttributes, chatSpanName } from "../telemetry/names.ts";
import { type ActiveRun, emit } from "./active-run.ts";
import { scrubDocument } from "./scrub-document.ts";
import { spanAgent } from "./span-agent.ts";
import { timeLimit } from "./time-limit.ts";
import { waitAside } from "./wait-aside.ts";
import type { World } from "./world.ts";

/** What of a provider's complaint is kept. */
const MESSAGE_CHARS = 500;

export type StepResult =
  | { readonly ok: true; readonly answer: ModelAnswer; readonly times: Required<CallTimes> }
  | { readonly ok: false; readonly failure: ModelFailure };

export interface ModelCall {
  readonly client: ModelClient;
  readonly request: ModelRequest;
  readonly step: number;
  /** Epoch milliseconds by which the run must be over. */
  readonly deadline: number;
  /** Longest that one attempt may take. */
  readonly attemptMs: number;
  /** Where the run's spans are told: the header that names this call's. */
  readonly traceparent?: string;
}

/** Never rejects. The answer's texts are scrubbed. */
export function callModel(world: World, run: ActiveRun, call: ModelCall): Promise<StepResult> {
  const model = world.documents()?.agent.model.name ?? "unknown";
  const attributes = { ...chatAttributes(spanAgent(world), model), "parley.step": call.step };
  return world.span({ name: chatSpanName(model), attributes }, async (add) => {
    const result = await attempts(world, run, call);
    add(result.ok ? answerAttributes(result.answer) : { "error.type": result.failure.code });
    return result;
  });
}

async function attempts(world: World, run: ActiveRun, call: ModelCall): Promise<StepResult> {
  const startedAt = world.now();
  for (let attempt = 1; ; attempt += 1) {
    const result = await attemptOnce(world, run, { ...call, attempt });
    if (result.ok) {
      if (attempt > 1) noteTrouble(world.db, run.record.runId, null);
      return { ...result, times: { startedAt, endedAt: world.now() } };
    }
    const { failure } = result;
    // What an attempt has cost that was cut off in the middle, nobody knows.
    if (failure.code === "aborted" || failure.code === "timeout")
      run.totals = { ...run.totals, costMicros: null };
    if (run.abort.signal.aborted || failure.code === "aborted") return result;
    noteTrouble(world.db, run.record.runId, `${failure.code}: ${failure.message}`);
    const next = nextAttempt({
      failure,
      attempt,
      now: world.now(),
      deadline: call.deadline,
      random: world.random(),
    });
    if (!next.retry) return result;
    world
      .runLog(run.record.runId)
      .warn(
        `Model attempt ${attempt} of step ${call.step} failed (${failure.code}); next in ${next.afterMs} ms`,
      );
    await waitAside(world, run, next.afterMs);
    if (run.abort.signal.aborted) return result;
  }
}

async function attemptOnce(
  world: World,
  run: ActiveRun,
  call: ModelCall & { readonly attempt: number },
): Promise<ModelResult> {
  // The run's own deadline aborts through its signal: only what takes too long by itself is a model's time-out.
  const limit = timeLimit(run.abort.signal, call.attemptMs);
  const text = run.listeners.size > 0 ? deltaWriter(world, run, call) : null;
  const result = await call.client.attempt(call.request, {
    signal: limit.signal,
    ...(call.traceparent === undefined ? {} : { traceparent: call.traceparent }),
    ...(text === null ? {} : { onText: text.push }),
  });
  limit.clear();
  text?.end();
  if (result.ok) return { ok: true, answer: scrubAnswer(world, result.answer) };
  return { ok: false, failure: scrubFailure(world, result.failure, limit.expired()) };
}

function deltaWriter(
  world: World,
  run: ActiveRun,
  call: { readonly step: number; readonly attempt: number },
) {
  const stream = world.scrubber.stream();
  const show = (text: string) => {
    if (text !== "") emit(run, { type: "delta", step: call.step, attempt: call.attempt, text });
  };
  return { push: (piece: string) => show(stream.push(piece)), end: () => show(stream.end()) };
}

function scrubAnswer(world: World, answer: ModelAnswer): ModelAnswer {
  const { scrub } = world.scrubber;
  return {
    ...answer,
    text: scrub(answer.text),
    reasoning: scrub(answer.reasoning),
    toolCalls: answer.toolCalls.map((call) => ({
      id: scrub(call.id),
      name: scrub(call.name),
      arguments: scrubDocument(world.scrubber, call.arguments),
    })),
  };
}

function scrubFailure(world: World, failure: ModelFailure, timedOut: boolean): ModelFailure {
  const { scrub } = world.scrubber;
  const message = cutMessage(scrub(failure.message));
  const scrubbed = { ...failure, message, partialText: scrub(failure.partialText) };
  if (failure.code !== "aborted" || !timedOut) return scrubbed;
  return { ...scrubbed, code: "timeout", message: "The model did not answer in time." };
}

function cutMessage(message: string): string {
  const kept = message.slice(0, cutPosition(message, MESSAGE_CHARS));
  return kept.length < message.length ? `${kept} ...` : message;
}
