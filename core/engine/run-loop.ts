/** A run from the gate to its receipt: steps of one model call and its tool calls, journaled as they happen. */

import { taskRunStarted } from "../board/after-run.ts";
import { gateEntry } from "../gate/entry.ts";
import { markResumed, markStarted } from "../journal/runs.ts";
import { describeError } from "../log.ts";
import { endAttributes, runAttributes, runSpanName } from "../telemetry/names.ts";
import { abandonCalls, interruptedResult } from "./abandon.ts";
import { type ActiveRun, emit } from "./active-run.ts";
import { announceRun } from "./announce.ts";
import { checkBudgets, type Stop } from "./budgets.ts";
import { completeStep } from "./complete-step.ts";
import { discoverFunctions, hasDiscovery } from "./discovered.ts";
import { type EndInput, endRun } from "./ending.ts";
import { recallRun } from "./recall.ts";
import { spanAgent } from "./span-agent.ts";
import { takeStep } from "./step.ts";
import { groupCalls, openCalls, runGroup, startGroup } from "./step-calls.ts";
import type { StepContext } from "./step-context.ts";
import { waitAside } from "./wait-aside.ts";
import { type Documents, resultChars, type World } from "./world.ts";

/** Takes an accepted run to its end. Never rejects. */
export async function driveRun(world: World, run: ActiveRun): Promise<void> {
  const timer = startDeadline(world, run);
  try {
    const admitted = await world.gate.enter(gateEntry(run, run.record.startedAt !== null));
    if (!admitted || run.cancel !== null) endRun(world, run, endedEarly(world, run));
    else endRun(world, run, await inSpan(world, run, () => workOff(world, run, timer)));
  } catch (error) {
    world.runLog(run.record.runId).error("The run failed inside the engine", error);
    abandon(world, run, "the run failed");
    const text = world.scrubber.scrub(describeError(error));
    endRun(world, run, stop("failed", "internal_error", text));
  } finally {
    timer.clear();
  }
}

/** The runtime's own tracing sees the run from its first step to its end. */
function inSpan(world: World, run: ActiveRun, work: () => Promise<EndInput>): Promise<EndInput> {
  const agent = spanAgent(world);
  const span = { name: runSpanName(agent), attributes: runAttributes(run.record, agent) };
  return world.span(span, async (add) => {
    const end = await work();
    add(endAttributes(end));
    return end;
  });
}

/** Ended before it was its turn. One that was at work before a restart still owes its calls their results. */
function endedEarly(world: World, run: ActiveRun): EndInput {
  recallRun(world, run, resultChars(world));
  abandon(world, run, `the run was ended (${run.cancel?.reason ?? "withdrawn"})`);
  return cancelledEnd(run);
}

function abandon(world: World, run: ActiveRun, why: string): void {
  abandonCalls(world, run, interruptedResult(why));
  completeStep(run, resultChars(world));
}

async function workOff(world: World, run: ActiveRun, timer: DeadlineTimer): Promise<EndInput> {
  begin(world, run);
  recallRun(world, run, resultChars(world));
  const documents = world.documents();
  if (documents === null) return unconfigured(world, run);
  timer.arm(deadlineOf(run, documents));
  await lookAround({ world, run, documents });
  for (;;) {
    const closing = await closeOpenStep({ world, run, documents });
    if (closing !== null) return closing;
    await stepAside(world, run);
    const ending = await nextStep(world, run);
    if (ending !== null) return ending;
  }
}

/** What its tools have to offer may have changed. The gate is lent meanwhile, and an answer does not wait for it (L1). */
async function lookAround({ world, run, documents }: StepContext): Promise<void> {
  if (run.record.lane === "answer" || !hasDiscovery({ world, documents })) return;
  const { runId } = run.record;
  world.gate.lend(runId);
  await discoverFunctions({ world, documents, runId, signal: run.abort.signal });
  if (run.cancel === null) await world.gate.enter(gateEntry(run, true));
}

function begin(world: World, run: ActiveRun): void {
  const { runId, lineage } = run.record;
  if (run.record.startedAt === null) {
    run.startedAt = world.now();
    // A new conversation may have begun while it waited: that is the one it sees, so there it leaves its turn.
    if (run.record.lane !== "isolated") run.conversation = world.conversation().id;
    markStarted(world.db, runId, { now: run.startedAt, conversation: run.conversation });
  } else {
    run.resumes += 1;
    markResumed(world.db, runId);
  }
  emit(run, { type: "run", runId, rootRunId: lineage.rootRunId, state: "started" });
  announceRun(world, run, null);
  if (run.record.taskId !== null) tellBoard(world, run.record.taskId, runId);
}

/** The board learns of it in the background: D1 being away holds no run up, and the scan finds out anyway. */
function tellBoard(world: World, taskId: string, runId: string): void {
  taskRunStarted(world.board, taskId, runId).catch((error: unknown) =>
    world.runLog(runId).warn(`The taskboard does not know yet that it has started: ${describeError(error)}`),
  );
}

/** Makes the calls that the latest step still owes a result, then counts the step as complete. */
async function closeOpenStep(context: StepContext): Promise<EndInput | null> {
  const { world, run } = context;
  for (const group of groupCalls(openCalls(context))) {
    if (run.cancel !== null) break;
    const started = world.db.transaction(() => startGroup(context, group));
    await runGroup(context, started);
  }
  if (run.cancel !== null) {
    abandon(world, run, `the run was ended (${run.cancel.reason})`);
    return cancelledEnd(run);
  }
  completeStep(run, resultChars(world));
  return null;
}

async function nextStep(world: World, run: ActiveRun): Promise<EndInput | null> {
  if (run.cancel !== null) return cancelledEnd(run);
  // The documents may have changed since the last step: the new ones are in force from here on.
  const documents = world.documents();
  if (documents === null) return unconfigured(world, run);
  const limit = Math.min(documents.agent.limits.steps, run.record.maxSteps ?? Number.POSITIVE_INFINITY);
  if (run.steps >= limit) return stop("step_limit", "steps", `The run may take ${limit} steps.`);
  const over = await askLeave(world, run, documents);
  if (run.cancel !== null) return cancelledEnd(run);
  if (over !== null) return over;
  return takeStep(world, run, { documents, deadline: deadlineOf(run, documents) });
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** Chain and hub may be out of reach for a while, as during a deploy: the run waits for them as long as its time lasts. */
async function askLeave(world: World, run: ActiveRun, documents: Documents): Promise<EndInput | null> {
  for (let wait = FIRST_WAIT_MS; run.cancel === null; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      return await checkBudgets(world, run, documents);
    } catch (error) {
      world
        .runLog(run.record.runId)
        .warn(`Chain or hub cannot be reached; next in ${wait} ms: ${describeError(error)}`);
      await waitAside(world, run, wait);
    }
  }
  return null;
}

/** Between two steps the gate goes to a waiting answer, if there is one (L1). */
async function stepAside(world: World, run: ActiveRun): Promise<void> {
  if (!world.gate.isWanted()) return;
  world.gate.lend(run.record.runId);
  await world.gate.enter(gateEntry(run, true));
}

export function deadlineOf(run: ActiveRun, documents: Documents): number {
  const own = (run.startedAt ?? run.record.acceptedAt) + documents.agent.limits.runSeconds * 1000;
  return Math.min(own, run.record.deadlineAt ?? own);
}

interface DeadlineTimer {
  arm(deadline: number): void;
  clear(): void;
}

/** Ends the run with status `timeout` once its time is up, wherever it stands. */
function startDeadline(world: World, run: ActiveRun): DeadlineTimer {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arm = (deadline: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => cancelRun(world, run, OUT_OF_TIME), Math.max(0, deadline - world.now()));
  };
  if (run.record.deadlineAt !== null) arm(run.record.deadlineAt);
  return { arm, clear: () => clearTimeout(timer) };
}

const OUT_OF_TIME = { status: "timeout", reason: "run_time" } as const;

/** Wishes a run ended: aborts what it waits for, the gate too. The first wish stands. */
export function cancelRun(world: World, run: ActiveRun, request: NonNullable<ActiveRun["cancel"]>): void {
  if (run.cancel !== null) return;
  run.cancel = request;
  run.abort.abort();
  world.gate.withdraw(run.record.runId);
}

/** It was taken out of service: what it had begun is closed. */
function unconfigured(world: World, run: ActiveRun): EndInput {
  abandon(world, run, "the agent has no configuration");
  return stop("failed", "not_configured", "The agent has no configuration.");
}

function cancelledEnd(run: ActiveRun): EndInput {
  const cancel = run.cancel ?? { status: "cancelled", reason: "withdrawn" };
  return { ...stop(cancel.status, cancel.reason, null), reply: "" };
}

function stop(status: EndInput["status"], reason: string, error: string | null): Stop {
  return { status, reason, error, reply: "", notice: null };
}
