/**
 * The tool calls of one step. Calls that may run in parallel run together, the others alone and in order;
 * each gets exactly one result, whatever happens (L2). While only asks are open the gate is lent (L1).
 */
import { requestApproval, tooDeepToWait, type WaitingCall, waitsForApproval } from "../approval/request.ts";
import { runAsk } from "../ask/ask.ts";
import { callBoard } from "../board/call.ts";
import { gateEntry } from "../gate/entry.ts";
import { putOutbox } from "../journal/outbox.ts";
import {
  type CallKey,
  type CallResult,
  finishCall,
  type JournaledCall,
  startCall,
} from "../journal/steps.ts";
import type { ToolCall } from "../model/types.ts";
import type { MessageRow, NoticeRow } from "../record/rows.ts";
import { outcomeAttributes, toolAttributes, toolSpanName } from "../telemetry/names.ts";
import { emit } from "./active-run.ts";
import { auditRow, callUid } from "./audit.ts";
import { markChained } from "./chain-books.ts";
import { type PlannedCall, planCall } from "./prepare-call.ts";
import { spanAgent } from "./span-agent.ts";
import type { StepContext } from "./step-context.ts";
import { executeTool, failedResult, type ToolCaller } from "./tool-call.ts";
import type { SettledRun, World } from "./world.ts";

export interface StepCall {
  readonly key: CallKey;
  readonly call: ToolCall;
  readonly journaled: JournaledCall;
  readonly plan: PlannedCall;
}

/** Calls of the run's open step that have no result yet. */
export function openCalls({ world, run, documents }: StepContext): StepCall[] {
  const open = run.openStep;
  if (open === null) return [];
  return open.answer.toolCalls.flatMap((call, position) => {
    const journaled = open.calls[position];
    if (journaled === undefined || journaled.state === "done") return [];
    const key = { runId: run.record.runId, step: open.step, position };
    return [{ key, call, journaled, plan: planCall(call, documents.agent, world.registry) }];
  });
}

/** Neighbours that may run in parallel form one group; every other call is a group of its own. */
export function groupCalls(calls: readonly StepCall[]): StepCall[][] {
  const groups: StepCall[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    if (last !== undefined && isParallel(call) && last.every(isParallel)) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

function isParallel(call: StepCall): boolean {
  if (call.plan.kind === "tool") return call.plan.prepared.traits.parallel;
  return call.plan.kind !== "board";
}

/** Writes down that the group's calls are about to be made. Inside the caller's transaction. */
export function startGroup(context: StepContext, group: readonly StepCall[]): StepCall[] {
  const { world } = context;
  // Of several at once none would know what the others spend.
  const keepsBooks = group.filter(({ plan }) => plan.kind === "ask").length === 1;
  return group.map((item) => {
    if (item.journaled.state === "started" || item.plan.kind === "refused") return item;
    const askRunId = item.plan.kind === "ask" ? askRunIdFor(world, item.plan.args.agentId) : null;
    const at = { now: world.now(), askRunId };
    startCall(world.db, item.key, at);
    const isAlone = item.plan.kind === "tool" || (item.plan.kind === "ask" && keepsBooks);
    if (!isAlone) markChained(world.db, context.run);
    return { ...item, journaled: { ...item.journaled, askRunId, startedAt: at.now } };
  });
}

/** A target that is no agent gets an id of the asker's own object: it will only ever name a refusal. */
function askRunIdFor(world: World, agentId: string): string {
  const known = world.documents()?.directory.some((entry) => entry.agentId === agentId) ?? false;
  return world.newRunId(known ? agentId : world.objectName);
}

/** Makes the group's calls and journals each result as it comes. Never rejects. */
export async function runGroup(context: StepContext, group: readonly StepCall[]): Promise<void> {
  const { world, run } = context;
  const others = group.filter((item) => item.plan.kind !== "ask");
  const asks = group.filter((item) => item.plan.kind === "ask");
  const asking = asks.map((item) => runOne(context, item));
  await Promise.all(others.map((item) => runOne(context, item)));
  if (asking.length === 0) return;
  world.gate.lend(run.record.runId);
  await Promise.all(asking);
  if (run.cancel === null) await world.gate.enter(gateEntry(run, true));
}

async function runOne(context: StepContext, item: StepCall): Promise<void> {
  const { world, run } = context;
  emit(run, {
    type: "tool_call",
    step: item.key.step,
    callId: item.call.id,
    name: item.call.name,
    arguments: item.call.arguments,
  });
  const outcome = await inSpan(context, item);
  finish(context, item, outcome);
  emit(run, {
    type: "tool_result",
    step: item.key.step,
    callId: item.call.id,
    outcome: outcome.result.outcome,
    content: outcome.result.content,
  });
  world.outboxFilled();
}

/** Asks and calls of the taskboard count as tools here, as they do for the model. */
function inSpan(context: StepContext, item: StepCall): Promise<CallOutcome> {
  const { name, id } = item.call;
  const attributes = toolAttributes(spanAgent(context.world), { name, callId: id });
  return context.world.span({ name: toolSpanName(name), attributes }, async (add) => {
    const outcome = await makeCall(context, item);
    add(outcomeAttributes(outcome.result.outcome));
    return outcome;
  });
}

interface CallOutcome {
  readonly result: CallResult;
  readonly rows: readonly MessageRow[];
  readonly notices?: readonly NoticeRow[];
  /** The run that has answered. */
  readonly answer?: SettledRun;
  /** Of a call that a person must allow first. */
  readonly approval?: WaitingCall;
}

async function makeCall(context: StepContext, item: StepCall): Promise<CallOutcome> {
  const { world, run, documents } = context;
  const { plan, journaled } = item;
  if (plan.kind === "refused") return { result: failedResult(plan.message), rows: [] };
  if (plan.kind === "tool")
    return {
      result: await executeTool(callerOf(context), {
        tool: plan.tool,
        prepared: plan.prepared,
        uid: callUid(item.key),
        interrupted: journaled.state === "started",
      }),
      rows: [],
    };
  if (plan.kind === "approval") return waitingCall(context, item, plan.tool);
  if (plan.kind === "board")
    return callBoard({ world, run, documents, call: plan.call, uid: callUid(item.key) });
  const askRunId = journaled.askRunId ?? world.objectName;
  return runAsk(world, run, {
    documents,
    args: plan.args,
    askRunId,
    startedAt: journaled.startedAt ?? world.now(),
    signal: run.abort.signal,
    isRepeated: journaled.state === "started",
    record: (row) => {
      world.db.transaction(() => putOutbox(world.db, { kind: "messages", row }, row.uid));
      world.outboxFilled();
    },
  });
}

function callerOf({ world, run, documents }: StepContext): ToolCaller {
  return { world, documents, runId: run.record.runId, signal: run.abort.signal };
}

function waitingCall({ run, documents }: StepContext, { key, call }: StepCall, tool: string): CallOutcome {
  const { depth } = run.record.lineage;
  if (depth >= documents.instance.perChain.depth) return { result: tooDeepToWait(depth), rows: [] };
  const uid = callUid(key);
  const approval = { uid, tool, functionName: call.name, arguments: call.arguments };
  return { result: waitsForApproval(uid), rows: [], approval };
}

/** The result, its audit entry and its message rows, in one transaction. */
function finish(context: StepContext, item: StepCall, outcome: CallOutcome): void {
  const { world, run } = context;
  const now = world.now();
  world.db.transaction(() => {
    finishCall(world.db, item.key, { ...outcome.result, answer: outcome.answer, now });
    for (const row of outcome.rows) putOutbox(world.db, { kind: "messages", row }, row.uid);
    for (const row of outcome.notices ?? []) putOutbox(world.db, { kind: "notices", row }, row.uid);
    if (outcome.approval !== undefined) requestApproval(world, run, outcome.approval);
    const audit = auditRow(run, {
      ...item,
      result: outcome.result,
      now,
      agentId: context.documents.agent.agentId,
    });
    putOutbox(world.db, { kind: "audit", row: audit }, audit.uid);
  });
  const open = run.openStep;
  if (open === null) return;
  run.openStep = {
    ...open,
    calls: open.calls.map((call) =>
      call.position === item.key.position
        ? { ...call, state: "done", endedAt: now, result: outcome.result }
        : call,
    ),
  };
}
