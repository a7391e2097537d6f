/**
 * One ask from its asker's side: decide, admit to the chain, hand over, wait, and put both rows on record.
 * Safe to run again after a restart: the answering run's id was journaled before anything was sent.
 */

import { type Admission, checkNewRun } from "../chain/budget.ts";
import type { Member } from "../chain/members.ts";
import type { ActiveRun } from "../engine/active-run.ts";
import {
  answeredBy,
  bookOf,
  forgetAnswers,
  knownSpent,
  markChained,
  spendingOf,
} from "../engine/chain-books.ts";
import type { AskArguments } from "../engine/prepare-call.ts";
import type { RunResult } from "../engine/run-result.ts";
import { type TimeLimit, timeLimit, unlessAborted } from "../engine/time-limit.ts";
import type { Asked, Documents, ExpireResult, SettledRun, World } from "../engine/world.ts";
import type { NewRun } from "../journal/runs.ts";
import type { CallResult } from "../journal/steps.ts";
import { askLineage } from "../lineage.ts";
import { describeError } from "../log.ts";
import type { MessageRow, MessageStatus } from "../record/rows.ts";
import { decideAsk, recordedTarget } from "./policy.ts";
import { type AskParties, requestRow, responseRow } from "./rows.ts";

export interface AskInput {
  readonly documents: Documents;
  readonly args: AskArguments;
  /** Journaled before the first attempt. */
  readonly askRunId: string;
  /** Epoch milliseconds; waiting counts. */
  readonly startedAt: number;
  readonly signal: AbortSignal;
  /** Whether it may have been sent before a restart: then it was decided already. */
  readonly isRepeated: boolean;
  /** Puts the request row on record, durably, before the answer is waited for. */
  readonly record: (row: MessageRow) => void;
}

export interface AskOutcome {
  readonly result: CallResult;
  /** Rows to be written together with the result. */
  readonly rows: readonly MessageRow[];
  /** The run that has answered; missing where none has, or where it is not over. */
  readonly answer?: SettledRun;
}

/** Never rejects. */
export async function runAsk(world: World, run: ActiveRun, input: AskInput): Promise<AskOutcome> {
  const { documents, args } = input;
  const decision = decideAsk({
    askingAgentId: documents.agent.agentId,
    trigger: run.record.trigger,
    lineage: run.record.lineage,
    enabled: documents.agent.tools.AskAgent !== undefined,
    colleagues: documents.agent.colleagues,
    directory: documents.directory,
    targetAgentId: args.agentId,
  });
  const context = askContext(world, run, input);
  if (!decision.ok) return context.refuse("denied", decision.code, decision.reason);
  try {
    const admission = await admit(context);
    if (!admission.ok) return context.refuse("denied", admission.code, admission.reason);
    return await exchange(context);
  } catch (error) {
    await leaveChain(context);
    return context.refuse("failed", "unreachable", world.scrubber.scrub(describeError(error)));
  }
}

type AskContext = ReturnType<typeof askContext>;

function askContext(world: World, run: ActiveRun, input: AskInput) {
  const { agent, instance } = input.documents;
  const to = recordedTarget(input.args.agentId, world.scrubber.scrub);
  const parties: AskParties = { askRunId: input.askRunId, from: agent.agentId, to };
  const lineage = askLineage(run.record.lineage, input.askRunId, agent.agentId);
  const request = (status: MessageStatus) =>
    requestRow(parties, {
      content: input.args.question,
      status,
      at: input.startedAt,
      lineage: run.record.lineage,
    });
  const refuse = (status: "denied" | "failed", code: string, reason: string): AskOutcome => {
    const content = `${status === "denied" ? "Denied" : "Failed"} (${code}): ${reason}`;
    const response = responseRow(parties, { content, status, at: world.now(), lineage: run.record.lineage });
    return { result: { outcome: status, error: content, content }, rows: [request(status), response] };
  };
  return {
    world,
    run,
    input,
    parties,
    lineage,
    refuse,
    request,
    deadline: input.startedAt + agent.limits.askSeconds * 1000,
    colleague: world.colleague(to),
    chain: world.chain(run.record.lineage.rootRunId),
    limits: instance.perChain,
  };
}

/** The asking run decides by itself while it keeps the chain's books. */
async function admit(context: AskContext): Promise<Admission> {
  const { world, run, limits } = context;
  const member = memberOf(context);
  if (!run.chained)
    return context.input.isRepeated ? { ok: true } : checkNewRun(limits, knownSpent(run), member.depth);
  const { answers } = run;
  const admission = await context.chain.admit(member, limits, spendingOf(world, run));
  forgetAnswers(run, answers);
  return admission;
}

function memberOf({ lineage, parties }: AskContext): Member {
  const { parentRunId, depth } = lineage;
  return { runId: parties.askRunId, agentId: parties.to, parentRunId, depth, trigger: "ask" };
}

/**
 * The colleague has not taken the question: its run must not stay a member that never comes to be. Should it be
 * taken after all, its end makes it a member again. A chain that is out of reach forgets it when it is cancelled.
 */
async function leaveChain({ chain, parties, run, world }: AskContext): Promise<void> {
  if (!run.chained) return;
  await chain
    .remove(parties.askRunId)
    .catch((error: unknown) =>
      world.log.warn(
        `${parties.askRunId} stays in its chain although it never began: ${describeError(error)}`,
      ),
    );
}

async function exchange(context: AskContext): Promise<AskOutcome> {
  const { world, input, parties, deadline } = context;
  const limit = timeLimit(input.signal, Math.max(1, deadline - world.now()));
  try {
    const asked = await untilReached(context, limit.signal, () =>
      handOver(context, limit, {
        runId: parties.askRunId,
        trigger: "ask",
        lane: "answer",
        priority: 0,
        lineage: context.lineage,
        input: questionText(context),
        maxSteps: input.documents.agent.limits.askSteps,
        deadlineAt: deadline,
        taskId: null,
        ...(context.run.chained ? {} : { asker: bookOf(world, context.run) }),
      }),
    );
    if (asked === null) return await giveUp(context, limit.expired(), false);
    const { accepted } = asked;
    if (!accepted.ok) {
      await leaveChain(context);
      return context.refuse("failed", accepted.code, accepted.reason);
    }
    input.record(context.request("delivered"));
    const result =
      asked.result ??
      (await untilReached(context, limit.signal, () => context.colleague.result(parties.askRunId)));
    // At the deadline the answering run ends by itself too: either may come to know of it first.
    const timeUp = limit.expired() || (result?.status === "timeout" && world.now() >= deadline);
    return result === null || timeUp ? await giveUp(context, timeUp, true) : answered(context, result);
  } finally {
    limit.clear();
  }
}

/** A question that is taken only after its asker has given up is ended there too. */
async function handOver(context: AskContext, limit: TimeLimit, question: NewRun): Promise<Asked> {
  const asked = await context.colleague.ask(question);
  if (limit.signal.aborted && asked.accepted.ok) await expire(context, limit.expired());
  return asked;
}

function questionText(context: AskContext): string {
  const { agent } = context.input.documents;
  return `Question from your colleague ${agent.agentId} (${agent.name}):\n${context.input.args.question}`;
}

/** Calls again while the colleague's object cannot be reached; null once the time is up or the run is ended. */
async function untilReached<T>(
  context: AskContext,
  signal: AbortSignal,
  call: () => Promise<T | null>,
): Promise<T | null> {
  for (let wait = 50; !signal.aborted; wait = Math.min(wait * 2, 1_000)) {
    const reached = await unlessAborted(
      call().then(
        (value) => ({ value }),
        (error: unknown) => {
          context.world.log.warn(`${context.parties.to} cannot be reached: ${describeError(error)}`);
          return null;
        },
      ),
      signal,
      () => null,
    );
    if (reached !== null && reached.value !== null) return reached.value;
    if (!signal.aborted) await context.world.sleep(wait, signal);
  }
  return null;
}

function answered(context: AskContext, result: RunResult): AskOutcome {
  const { world, parties } = context;
  const answer = takeAnswer(context, result);
  const at = world.now();
  const row = (status: MessageStatus, content: string) =>
    responseRow(parties, { content, status, at, lineage: context.lineage });
  if (result.status === "completed") {
    const content = result.reply === "" ? "(The colleague's answer is empty.)" : result.reply;
    const rows = [row("delivered", result.reply)];
    return { result: { outcome: "ok", error: null, content }, rows, answer };
  }
  const status = result.status === "timeout" ? "timeout" : "failed";
  const content = `${status === "timeout" ? "Timed out" : "Failed"}: ${failureText(result)}`;
  return { result: { outcome: status, error: content, content }, rows: [row(status, content)], answer };
}

/** Whatever became of the answer, it has its cost. */
function takeAnswer(context: AskContext, { receipt, chained }: RunResult): SettledRun {
  const { world, run } = context;
  const answer = { member: memberOf(context), receipt };
  run.answers = [...run.answers, answeredBy(answer)];
  if (chained) markChained(world.db, run);
  return answer;
}

function failureText(result: RunResult): string {
  const { reason, error } = result.receipt;
  const why = [reason, error].filter((part) => part !== null).join(", ");
  return `the colleague's run ended with status ${result.status}${why === "" ? "" : ` (${why})`}`;
}

/** No answer came: the time is up, or the asking run itself is being ended. A late answer is delivered to nobody. */
async function giveUp(context: AskContext, timeUp: boolean, delivered: boolean): Promise<AskOutcome> {
  const { world, input, parties } = context;
  const seconds = input.documents.agent.limits.askSeconds;
  const late = await expire(context, timeUp);
  if (!late.accepted) await leaveChain(context);
  // Its end will be told to the chain's object, which must know of this run too.
  if (late.result === null) markChained(world.db, context.run);
  if (late.result !== null && cameInTime(context, late.result)) {
    const known = answered(context, late.result);
    // The colleague has it, though its word of that was lost.
    return delivered ? known : { ...known, rows: [context.request("delivered"), ...known.rows] };
  }
  const trouble = timeUp ? late.trouble : null;
  const status = timeUp && trouble === null ? "timeout" : "failed";
  const content = !timeUp
    ? "Failed: the asking run was ended before the answer came"
    : trouble === null
      ? `Timed out: no answer within ${seconds} s`
      : `Failed: no answer within ${seconds} s, because the colleague's model failed (${trouble})`;
  const response = responseRow(parties, { content, status, at: world.now(), lineage: context.lineage });
  const request = context.request(late.accepted ? "delivered" : "failed");
  const rows = delivered ? [response] : [request, response];
  const answer = late.result === null ? {} : { answer: takeAnswer(context, late.result) };
  return { result: { outcome: status, error: content, content }, rows, ...answer };
}

/** The asker may have been down when the answer came: what had come in time counts, an answer or a failure. */
function cameInTime(context: AskContext, result: RunResult): boolean {
  if (result.status === "cancelled" || result.status === "timeout") return false;
  return Date.parse(result.receipt.finishedAt) <= context.deadline;
}

const NOTHING_KNOWN: ExpireResult = { accepted: false, trouble: null, result: null };

/** Ends the answering run; being unreachable now must not hold the asker any longer. */
async function expire(context: AskContext, timeUp: boolean): Promise<ExpireResult> {
  const request = timeUp
    ? ({ status: "timeout", reason: "ask_deadline" } as const)
    : ({ status: "cancelled", reason: "asker_ended" } as const);
  const grace = timeLimit(new AbortController().signal, 2_000);
  const ended = context.colleague.expire(context.parties.askRunId, request).catch(() => NOTHING_KNOWN);
  const late = await unlessAborted(ended, grace.signal, () => NOTHING_KNOWN);
  grace.clear();
  return late;
}
