/**
 * Ids of traces and spans. They follow from the ids that the engine minted, so every object names a span alike
 * without asking another one, and sending it twice leaves one.
 */
import { sha256Hex } from "../sha256.ts";

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

/** One chain is one trace. 32 hex digits. */
export function traceIdOf(rootRunId: string): Promise<string> {
  return digest(`trace ${rootRunId}`, TRACE_DIGITS);
}

/** 16 hex digits. */
export function spanIdOf(key: SpanKey): Promise<string> {
  return digest(keyText(key), SPAN_DIGITS);
}

export type SpanKey =
  | { readonly kind: "run"; readonly runId: string }
  | { readonly kind: "step"; readonly runId: string; readonly step: number }
  | { readonly kind: "call"; readonly runId: string; readonly step: number; readonly position: number }
  /** The call of `ask_agent` that this run answers: the one id that both of its sides know. */
  | { readonly kind: "ask"; readonly runId: string }
  /** A condensing of older turns, counted within its run. */
  | { readonly kind: "summary"; readonly runId: string; readonly index: number };

function keyText(key: SpanKey): string {
  switch (key.kind) {
    case "run":
    case "ask":
      return `${key.kind} ${key.runId}`;
    case "step":
      return `step ${key.runId} ${key.step}`;
    case "call":
      return `call ${key.runId} ${key.step} ${key.position}`;
    case "summary":
      return `summary ${key.runId} ${key.index}`;
  }
}

/** The W3C header `traceparent` of a step's model call. */
export async function stepTraceparent(call: TracedCall): Promise<string> {
  const { runId, step } = call;
  const [traceId, spanId] = await Promise.all([
    traceIdOf(call.rootRunId),
    spanIdOf({ kind: "step", runId, step }),
  ]);
  return `00-${traceId}-${spanId}-${isSampled(traceId, call.sampleRatio) ? "01" : "00"}`;
}

interface TracedCall {
  readonly runId: string;
  readonly rootRunId: string;
  readonly step: number;
  readonly sampleRatio: number;
}

const RATIO_DIGITS = 8;

/** The same for each span of a trace, whichever object decides. `ratio` is the part that is told, 0 to 1. */
export function isSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-RATIO_DIGITS), 16) < ratio * 16 ** RATIO_DIGITS;
}

async function digest(text: string, digits: number): Promise<string> {
  return (await sha256Hex(text)).slice(0, digits);
}
