/** A turn of a conversation, out of the record of it or out of the stream of its run. Pure. */

import type { ServerEvent } from "../api/server-events.ts";
import type { Turn } from "../api/types.ts";

export interface ShownCall {
  readonly id: string;
  readonly name: string;
  /** Empty until they are known: the conversation does not carry them. */
  readonly arguments: string;
  /** Null while the call is under way. */
  readonly outcome: string | null;
  readonly result: string | null;
}

export interface ShownStep {
  readonly step: number;
  /** Which try of the model call the text is from. */
  readonly attempt: number;
  readonly text: string;
  readonly calls: readonly ShownCall[];
}

export interface ShownTurn {
  /** Empty until the instance has accepted the message. */
  readonly runId: string;
  readonly rootRunId: string;
  readonly trigger: string;
  readonly state: "sending" | "queued" | "started" | "ended";
  readonly startedAt: string | null;
  readonly input: string;
  readonly steps: readonly ShownStep[];
  readonly reply: string | null;
  /** Of the receipt; null while the turn is open. */
  readonly status: string | null;
}

export function turnOfRecord(turn: Turn): ShownTurn {
  return {
    ...turn,
    // A turn is in the conversation from its start on.
    state: turn.state === "ended" ? "ended" : "started",
    steps: turn.steps.map(({ step, text, calls }) => ({
      step,
      text,
      attempt: 1,
      calls: calls.map((call) => ({ ...call, arguments: "" })),
    })),
  };
}

export function turnOfMessage(input: string): ShownTurn {
  const nothing = { runId: "", rootRunId: "", startedAt: null, reply: null, status: null };
  return { ...nothing, trigger: "chat", state: "sending", input, steps: [] };
}

/** The turn after an event of its run's stream; what is not understood changes nothing. */
export function hearRunEvent(turn: ShownTurn, { event, data }: ServerEvent): ShownTurn {
  const value = parse(data);
  const text = (name: string) => textOf(value[name]);
  switch (event) {
    case "run":
      return {
        ...turn,
        runId: text("runId"),
        rootRunId: text("rootRunId"),
        state: text("state") === "started" ? "started" : "queued",
      };
    case "delta":
      return changeStep(turn, value, (step) => addText(step, numberOf(value.attempt), text("text")));
    case "tool_call": {
      const call = { id: text("callId"), name: text("name"), arguments: text("arguments") };
      return changeStep(turn, value, (step) => addCall(step, { ...call, outcome: null, result: null }));
    }
    case "tool_result":
      return changeStep(turn, value, (step) => ({
        ...step,
        calls: step.calls.map((call) =>
          call.id === text("callId") ? { ...call, outcome: text("outcome"), result: text("content") } : call,
        ),
      }));
    case "done":
      return {
        ...turn,
        state: "ended",
        reply: text("reply"),
        status: textOf(recordOf(value.receipt).status),
      };
    default:
      return turn;
  }
}

/** A model call that was made again starts its text over; a late piece of an earlier try is dropped. */
function addText(step: ShownStep, attempt: number, text: string): ShownStep {
  if (attempt < step.attempt) return step;
  return attempt > step.attempt ? { ...step, attempt, text } : { ...step, text: step.text + text };
}

function addCall(step: ShownStep, call: ShownCall): ShownStep {
  return step.calls.some(({ id }) => id === call.id) ? step : { ...step, calls: [...step.calls, call] };
}

function changeStep(
  turn: ShownTurn,
  value: Readonly<Record<string, unknown>>,
  change: (step: ShownStep) => ShownStep,
): ShownTurn {
  const number = numberOf(value.step);
  const before = turn.steps.find(({ step }) => step === number);
  const after = change(before ?? { step: number, attempt: 1, text: "", calls: [] });
  const others = turn.steps.filter(({ step }) => step !== number);
  return { ...turn, steps: [...others, after].sort((a, b) => a.step - b.step) };
}

/** The turns on record, and after them those that the record does not have as far as they have come. */
export function joinTurns(recorded: readonly ShownTurn[], own: readonly ShownTurn[]): ShownTurn[] {
  const open = own.filter(
    ({ runId }) => runId === "" || !recorded.some((turn) => turn.runId === runId && turn.state === "ended"),
  );
  const shown = recorded.filter(({ runId }) => !open.some((turn) => turn.runId === runId));
  return [...shown, ...open];
}

/** The final message where no step has it already: that of the last step is the reply. */
export function replyBesideSteps({ steps, reply }: ShownTurn): string | null {
  return reply === null || reply.trim() === "" || steps.at(-1)?.text.trim() === reply.trim() ? null : reply;
}

function parse(data: string): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(data));
  } catch {
    return {};
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
