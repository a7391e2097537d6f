/** What an agent's object shows of itself. Built from the journal, so it is there while D1 is away. */
import type { ActiveRun } from "../engine/active-run.ts";
import { auditRow } from "../engine/audit.ts";
import { capText } from "../engine/caps.ts";
import type { World } from "../engine/world.ts";
import { ownJson } from "../journal/database.ts";
import { countOutbox } from "../journal/outbox.ts";
import { closedTurns, endedRun, findRun, type RunRecord } from "../journal/runs.ts";
import { type JournaledStep, loadSteps } from "../journal/steps.ts";
import type { AuditRow, ReceiptRow } from "../record/rows.ts";
import { agentState, currentConversation, isPaused, queueLength } from "./agent.ts";

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

export interface RunDetail {
  readonly run: RunView;
  readonly receipt: ReceiptRow | null;
  readonly audit: readonly AuditRow[];
}

export function runDetail(world: World, runId: string): RunDetail | null {
  const record = findRun(world.db, runId);
  if (record === null) return null;
  const steps = loadSteps(world.db, runId);
  const ended = endedRun(world.db, runId);
  const agentId = world.documents()?.agent.agentId ?? world.objectName;
  return {
    run: runView(record, { agentId, reply: ended?.reply ?? null, steps }),
    receipt: ended === null ? null : ownJson<ReceiptRow>(ended.receipt),
    audit: steps.flatMap((step) => auditOf(record, step, agentId)),
  };
}

function runView(
  record: RunRecord,
  rest: { readonly agentId: string; readonly reply: string | null; readonly steps: readonly JournaledStep[] },
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
    state: record.state,
    input: capText(record.input, VIEW_CHARS),
    reply: rest.reply,
    acceptedAt: iso(record.acceptedAt),
    startedAt: record.startedAt === null ? null : iso(record.startedAt),
    steps: rest.steps.map(stepView),
  };
}

function stepView(step: JournaledStep): StepView {
  return {
    step: step.step,
    text: capText(step.answer.text, VIEW_CHARS),
    calls: step.answer.toolCalls.map((call, index) => ({
      id: call.id,
      name: call.name,
      outcome: step.calls[index]?.result?.outcome ?? null,
      result: capOrNull(step.calls[index]?.result?.content),
    })),
  };
}

function capOrNull(text: string | undefined): string | null {
  return text === undefined ? null : capText(text, VIEW_CHARS);
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

/** The current conversation's newest turns, oldest first, the open one last. */
export function conversationView(world: World): { turns: TurnView[] } {
  const conversation = currentConversation(world);
  const closed = closedTurns(world.db, { conversation, after: 0, limit: SHOWN_TURNS }).map((turn) => {
    const receipt = ownJson<ReceiptRow>(turn.receipt);
    return turnView(world, turn.record, { reply: turn.reply, status: receipt.status });
  });
  const open = [...world.active.values()].filter((run) => isOpenTurn(run, conversation));
  return { turns: [...closed, ...open.map((run) => turnView(world, run.record, null))] };
}

function isOpenTurn(run: ActiveRun, conversation: number): boolean {
  return (
    run.record.lane === "conversation" && run.startedAt !== null && run.record.conversation === conversation
  );
}

function turnView(
  world: World,
  record: RunRecord,
  ended: { reply: string; status: string } | null,
): TurnView {
  const steps = record.lane === "answer" ? [] : loadSteps(world.db, record.runId);
  return {
    runId: record.runId,
    rootRunId: record.lineage.rootRunId,
    trigger: record.trigger,
    state: record.state,
    startedAt: record.startedAt === null ? null : iso(record.startedAt),
    input: capText(record.input, VIEW_CHARS),
    steps: steps.map(stepView),
    reply: ended === null ? null : capText(ended.reply, VIEW_CHARS),
    status: ended?.status ?? null,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
