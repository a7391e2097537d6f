/** What an agent's object shows of itself. Built from the journal, so it is there while D1 is away. */
import type { MemberView } from "../chain/members.ts";
import type { ActiveRun } from "../engine/active-run.ts";
import { auditRow } from "../engine/audit.ts";
import { capText } from "../engine/caps.ts";
import { agentIdOf, type World } from "../engine/world.ts";
import { ownJson } from "../journal/database.ts";
import { countOutbox } from "../journal/outbox.ts";
import { closedTurns, endedRun, findRun, type RunRecord } from "../journal/runs.ts";
import { countTexts, type JournaledStep, readSteps } from "../journal/steps.ts";
import { iso } from "../record/instant.ts";
import type { AuditRow, ReceiptRow } from "../record/rows.ts";
import { agentState, currentConversation, isPaused, queueLength } from "./agent.ts";
import { askedMembers } from "./asked-members.ts";

export interface AgentStatus {
  readonly model: string;
  readonly provider: string;
  /** Names as in the config. */
  readonly tools: readonly string[];
  readonly paused: boolean;
  readonly state: "idle" | "running" | "suspended";
  readonly queued: number;
  /** Rows that wait for D1. */
  readonly unsent: number;
}

export function agentStatus(world: World): AgentStatus {
  const agent = world.documents()?.agent;
  return {
    model: agent?.model.name ?? "",
    provider: agent?.model.provider ?? "",
    tools: Object.keys(agent?.tools ?? {}),
    paused: isPaused(world),
    state: agentState(world),
    queued: queueLength(world),
    unsent: countOutbox(world.db),
  };
}

export interface RunView {
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly rootRunId: string;
  readonly depth: number;
  readonly agentId: string;
  readonly trigger: RunRecord["trigger"];
  readonly lane: RunRecord["lane"];
  /** Whether its chain has an object of its own. */
  readonly chained: boolean;
  readonly state: RunRecord["state"];
  readonly input: string;
  readonly reply: string | null;
  readonly acceptedAt: string;
  readonly startedAt: string | null;
  readonly steps: readonly StepView[];
}

export interface StepView {
  readonly step: number;
  readonly text: string;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly outcome: string | null;
    readonly result: string | null;
  }[];
}

/** Texts in views of a run; the messages themselves read back whole from the record. */
const VIEW_CHARS = 20_000;
/** Characters of one view: a call between objects carries 32 MiB at most. */
const MAX_VIEW_CHARS = 4_000_000;
/** Audit entries in one view, as when they are read from D1. */
const MAX_AUDIT_ROWS = 1_000;

export interface RunDetail {
  readonly run: RunView;
  /** Runs that it has asked. */
  readonly asked: readonly MemberView[];
  readonly receipt: ReceiptRow | null;
  readonly audit: readonly AuditRow[];
}

export function runDetail(world: World, runId: string): RunDetail | null {
  const record = findRun(world.db, runId);
  if (record === null) return null;
  const ended = endedRun(world.db, runId);
  const agentId = agentIdOf(world);
  const steps: StepView[] = [];
  const audit: AuditRow[] = [];
  const cap = textShare(world, runId);
  for (const step of readSteps(world.db, runId)) {
    steps.push(stepView(step, cap));
    if (audit.length < MAX_AUDIT_ROWS) audit.push(...auditOf(record, step, agentId));
  }
  return {
    run: runView(record, { agentId, reply: ended?.reply ?? null, steps }),
    asked: askedMembers(world.db, record),
    receipt: ended === null ? null : ownJson<ReceiptRow>(ended.receipt),
    audit: audit.slice(0, MAX_AUDIT_ROWS),
  };
}

/** Characters that each text of a run's journal may take in a view, so that all of them fit. */
function textShare(world: World, runId: string): number {
  return Math.min(VIEW_CHARS, Math.floor(MAX_VIEW_CHARS / Math.max(1, countTexts(world.db, runId))));
}

function runView(
  record: RunRecord,
  rest: { readonly agentId: string; readonly reply: string | null; readonly steps: readonly StepView[] },
): RunView {
  const { lineage } = record;
  return {
    runId: record.runId,
    parentRunId: lineage.parentRunId,
    rootRunId: lineage.rootRunId,
    depth: lineage.depth,
    agentId: rest.agentId,
    trigger: record.trigger,
    lane: record.lane,
    chained: record.chained,
    state: record.state,
    input: capText(record.input, VIEW_CHARS),
    reply: rest.reply,
    acceptedAt: iso(record.acceptedAt),
    startedAt: record.startedAt === null ? null : iso(record.startedAt),
    steps: rest.steps,
  };
}

function stepView(step: JournaledStep, cap: number): StepView {
  return {
    step: step.step,
    text: capText(step.answer.text, cap),
    calls: step.answer.toolCalls.map((call, index) => ({
      id: call.id,
      name: call.name,
      outcome: step.calls[index]?.result?.outcome ?? null,
      result: capOrNull(step.calls[index]?.result?.content, cap),
    })),
  };
}

function capOrNull(text: string | undefined, cap: number): string | null {
  return text === undefined ? null : capText(text, cap);
}

function auditOf(record: RunRecord, step: JournaledStep, agentId: string): AuditRow[] {
  return step.answer.toolCalls.flatMap((call, position) => {
    const journaled = step.calls[position];
    if (journaled?.result == null) return [];
    const key = { runId: record.runId, step: step.step, position };
    const now = journaled.endedAt ?? record.acceptedAt;
    return [auditRow({ record }, { agentId, key, call, journaled, result: journaled.result, now })];
  });
}

export interface TurnView {
  readonly runId: string;
  readonly rootRunId: string;
  readonly trigger: RunRecord["trigger"];
  readonly state: RunRecord["state"];
  readonly startedAt: string | null;
  readonly input: string;
  readonly steps: readonly StepView[];
  /** The final message; null while the turn is open. */
  readonly reply: string | null;
  readonly status: string | null;
}

const SHOWN_TURNS = 200;

/** The current conversation's newest turns, as many as fit, oldest first, the open one last. */
export function conversationView(world: World): { turns: TurnView[] } {
  const conversation = currentConversation(world);
  const open = [...world.active.values()].filter((run) => isOpenTurn(run, conversation));
  const turns = open.map((run) => turnView(world, run.record, null)).reverse();
  let chars = turns.reduce((sum, turn) => sum + turnChars(turn), 0);
  for (const turn of closedTurns(world.db, { conversation, after: 0, limit: SHOWN_TURNS })) {
    const { status } = ownJson<ReceiptRow>(turn.receipt);
    const view = turnView(world, turn.record, { reply: turn.reply, status });
    chars += turnChars(view);
    if (chars > MAX_VIEW_CHARS) break;
    turns.push(view);
  }
  return { turns: turns.reverse() };
}

function turnChars(turn: TurnView): number {
  const steps = turn.steps.flatMap((step) => [step.text, ...step.calls.map((call) => call.result ?? "")]);
  return [turn.input, turn.reply ?? "", ...steps].reduce((sum, text) => sum + text.length, 0);
}

function isOpenTurn(run: ActiveRun, conversation: number): boolean {
  return run.record.lane === "conversation" && run.startedAt !== null && run.conversation === conversation;
}

function turnView(
  world: World,
  record: RunRecord,
  ended: { reply: string; status: string } | null,
): TurnView {
  const cap = textShare(world, record.runId);
  const steps: StepView[] = [];
  // Of an answer only the question and the reply belong to the conversation.
  if (record.lane !== "answer")
    for (const step of readSteps(world.db, record.runId)) steps.push(stepView(step, cap));
  return {
    runId: record.runId,
    rootRunId: record.lineage.rootRunId,
    trigger: record.trigger,
    state: record.state,
    startedAt: record.startedAt === null ? null : iso(record.startedAt),
    input: capText(record.input, VIEW_CHARS),
    steps,
    reply: ended === null ? null : capText(ended.reply, VIEW_CHARS),
    status: ended?.status ?? null,
  };
}
