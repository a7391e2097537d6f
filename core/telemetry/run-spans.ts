/** A run that is over as spans: one for itself, one for each model call, one for each tool call. From the journal alone. */
import type { Documents } from "../engine/world.ts";
import { type Database, ownJson } from "../journal/database.ts";
import { endedRun, findRun, type RunRecord } from "../journal/runs.ts";
import { type JournaledCall, type JournaledStep, readSteps } from "../journal/steps.ts";
import { summaryCosts } from "../journal/summaries.ts";
import type { ToolCall } from "../model/types.ts";
import type { ReceiptRow } from "../record/rows.ts";
import type { Scrubber } from "../scrub/index.ts";
import { isSampled, type SpanKey, spanIdOf, traceIdOf } from "./ids.ts";
import {
  chatAttributes,
  chatSpanName,
  isFailure,
  type NamedAgent,
  outcomeAttributes,
  receiptAttributes,
  runAttributes,
  runSpanName,
  toolAttributes,
  toolSpanName,
  usageAttributes,
} from "./names.ts";
import { callPayload, chatPayload, runPayload, type Show, shownText } from "./payloads.ts";
import { scrubbed } from "./scrubbed-span.ts";
import { present, type Span } from "./span.ts";

export interface Telling {
  readonly db: Database;
  readonly objectName: string;
  readonly documents: Documents;
  readonly scrubber: Scrubber;
  readonly sampleRatio: number;
  readonly payloads: boolean;
}

interface Told {
  readonly record: RunRecord;
  readonly receipt: ReceiptRow;
  readonly reply: string;
  readonly agent: NamedAgent;
  readonly traceId: string;
  /** The run's own span. */
  readonly runSpanId: string;
  /** Null without payloads. */
  readonly show: Show | null;
}

/**
 * The spans of a run, its own first. One at a time: together, those of a long run would not fit into memory.
 * None for a run that is unknown, under way, or of a chain that is left out. Scrubbed.
 */
export async function* spansOfRun(telling: Telling, runId: string): AsyncGenerator<Span> {
  const told = await toldRun(telling, runId);
  if (told === null || !isSampled(told.traceId, telling.sampleRatio)) return;
  const { scrubber } = telling;
  yield scrubbed(await runSpan(telling, told), scrubber);
  for (const [index, summary] of summaryCosts(telling.db, runId).entries()) {
    if (summary.startedAt === undefined || summary.endedAt === undefined) continue;
    const times = { startedAt: summary.startedAt, endedAt: summary.endedAt };
    const span = await childSpan(told, { kind: "summary", runId, index }, times);
    const attributes = { ...chatAttributes(told.agent, told.receipt.model), ...usageAttributes(summary) };
    const named = { "parley.purpose": "condense", ...attributes };
    yield scrubbed({ ...span, ...chat(told), attributes: present(named) }, scrubber);
  }
  let before: JournaledStep | string = told.record.input;
  for (const step of readSteps(telling.db, runId)) {
    yield scrubbed(await stepSpan(told, step, before), scrubber);
    for (const [position, call] of step.answer.toolCalls.entries()) {
      const journaled = step.calls[position];
      if (journaled?.result == null) continue;
      yield scrubbed(await callSpan(told, step.step, { call, journaled }), scrubber);
    }
    before = step;
  }
}

async function toldRun(telling: Telling, runId: string): Promise<Told | null> {
  const { db, documents, scrubber } = telling;
  const record = findRun(db, runId);
  const ended = endedRun(db, runId);
  if (record === null || ended === null) return null;
  const { agentId, name, model } = documents.agent;
  return {
    record,
    receipt: ownJson<ReceiptRow>(ended.receipt),
    reply: ended.reply,
    agent: { agentId, name, provider: model.provider },
    traceId: await traceIdOf(record.lineage.rootRunId),
    runSpanId: await spanIdOf({ kind: "run", runId }),
    show: telling.payloads ? shownText(scrubber) : null,
  };
}

async function runSpan({ objectName }: Telling, told: Told): Promise<Span> {
  const { record, receipt, agent, show } = told;
  const conversation = record.lane === "isolated" ? null : `${objectName}/${record.conversation}`;
  return {
    traceId: told.traceId,
    spanId: told.runSpanId,
    parentSpanId: await parentOf(record),
    name: runSpanName(agent),
    kind: "internal",
    startedAt: Date.parse(receipt.startedAt),
    endedAt: Date.parse(receipt.finishedAt),
    attributes: present({
      ...runAttributes(record, agent),
      "gen_ai.conversation.id": conversation,
      ...receiptAttributes(receipt),
      ...(show === null ? {} : runPayload({ input: record.input, reply: told.reply }, show)),
    }),
    failed: receipt.status !== "completed",
  };
}

/** What a person does has an id and no run: what it causes begins a trace of its own. */
const PERSON = "@human.";

/** Of an answer: the call that asked. Of everything else: the run that caused it. */
async function parentOf({ runId, trigger, lineage }: RunRecord): Promise<string | null> {
  const { parentRunId } = lineage;
  if (parentRunId === null || parentRunId.startsWith(PERSON)) return null;
  return trigger === "ask" ? spanIdOf({ kind: "ask", runId }) : spanIdOf({ kind: "run", runId: parentRunId });
}

interface Times {
  readonly startedAt: number;
  readonly endedAt: number;
}

async function childSpan(told: Told, key: SpanKey, times: Times) {
  return {
    traceId: told.traceId,
    spanId: await spanIdOf(key),
    parentSpanId: told.runSpanId,
    ...times,
    failed: false,
  };
}

function chat({ receipt }: Told) {
  return { name: chatSpanName(receipt.model), kind: "client" as const };
}

async function stepSpan(told: Told, { step, answer }: JournaledStep, before: JournaledStep | string) {
  const { record, receipt, agent, show } = told;
  // Steps of an older version have no times: they stand where the run began.
  const startedAt = answer.startedAt ?? Date.parse(receipt.startedAt);
  const times = { startedAt, endedAt: answer.endedAt ?? startedAt };
  const attributes = present({
    ...chatAttributes(agent, receipt.model),
    ...usageAttributes(answer),
    "parley.step": step,
    ...(show === null ? {} : chatPayload(answer, before, show)),
  });
  const span = await childSpan(told, { kind: "step", runId: record.runId, step }, times);
  const finish = { "gen_ai.response.finish_reasons": [answer.finish] };
  return { ...span, ...chat(told), attributes: { ...attributes, ...finish } };
}

interface MadeCall {
  readonly call: ToolCall;
  readonly journaled: JournaledCall;
}

async function callSpan(told: Told, step: number, { call, journaled }: MadeCall): Promise<Span> {
  const { record, receipt, agent, show } = told;
  const { position, askRunId, result } = journaled;
  const key: SpanKey =
    askRunId === null
      ? { kind: "call", runId: record.runId, step, position }
      : { kind: "ask", runId: askRunId };
  const startedAt = journaled.startedAt ?? Date.parse(receipt.finishedAt);
  const span = await childSpan(told, key, { startedAt, endedAt: journaled.endedAt ?? startedAt });
  const outcome = result?.outcome ?? "interrupted";
  return {
    ...span,
    name: toolSpanName(call.name),
    kind: "internal",
    attributes: present({
      ...toolAttributes(agent, { name: call.name, callId: call.id }),
      ...outcomeAttributes(outcome),
      "parley.step": step,
      ...(show === null ? {} : callPayload(call.arguments, result?.content, show)),
    }),
    failed: isFailure(outcome),
  };
}
