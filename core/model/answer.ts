/** Judges what a provider sent: an answer the engine can rely on, or a failure that says why not. Pure. */
import type { RawAnswer, RawCall } from "./accumulator.ts";
import { modelFailure } from "./failure.ts";
import type { FinishReason, ModelErrorCode, ModelRequest, ModelResult, ToolCall } from "./types.ts";

/** OpenAI refuses longer ids when they come back in the history. */
const MAX_ID_CHARS = 64;

/**
 * Turns a complete raw answer into a result. Call ids come out non-empty, at most 64 characters and unique in
 * the answer and against the request's history; an id made here follows from the call's position alone.
 * An empty text without calls is an answer; no message at all is `bad_response`.
 */
export function settleAnswer(raw: RawAnswer, request: ModelRequest): ModelResult {
  if (!raw.seen) return badAnswer("The provider's answer has no message", raw);
  if (raw.finishReason === "error") return badAnswer("The provider broke off with an error", raw);
  const finish = finishOf(raw);
  if (raw.finishReason === null && raw.calls.some((call) => !isJsonOrEmpty(call.arguments))) {
    return badAnswer("The provider's answer ends within a tool call", raw);
  }
  return {
    ok: true,
    answer: {
      text: raw.text === "" ? raw.refusal : raw.text,
      reasoning: raw.reasoning,
      toolCalls: withUniqueIds(raw.calls, request),
      finish,
      usage: raw.usage,
    },
  };
}

/** A `bad_response` (or `network`, where the connection ended) that keeps what had been said so far. */
export function badAnswer(
  message: string,
  raw: RawAnswer,
  code: ModelErrorCode = "bad_response",
): ModelResult {
  return { ok: false, failure: modelFailure(code, message, { partialText: raw.text }) };
}

/**
 * What was cut or filtered wins over calls, for the calls may be cut too; calls win over what the provider
 * says, for many say `stop` beside calls.
 */
function finishOf(raw: RawAnswer): FinishReason {
  const reason = raw.finishReason?.toLowerCase() ?? "stop";
  if (reason === "length" || reason === "max_tokens" || reason === "model_length") return "length";
  if (reason === "content_filter" || reason === "safety") return "content_filter";
  if (raw.refusal !== "" || reason === "refusal") return "refusal";
  return raw.calls.length > 0 ? "tool_calls" : "stop";
}

function withUniqueIds(calls: readonly RawCall[], request: ModelRequest): ToolCall[] {
  if (calls.length === 0) return [];
  const taken = new Set(
    request.messages.flatMap((message) =>
      message.role === "assistant" ? message.toolCalls.map(({ id }) => id) : [],
    ),
  );
  const wanted = new Set(calls.map(({ id }) => id));
  return calls.map((call, position) => {
    const usable = call.id !== "" && call.id.length <= MAX_ID_CHARS && !taken.has(call.id);
    const id = usable
      ? call.id
      : freeId(position, (candidate) => taken.has(candidate) || wanted.has(candidate));
    taken.add(id);
    return { ...call, id };
  });
}

function freeId(position: number, isTaken: (id: string) => boolean): string {
  let number = position + 1;
  while (isTaken(`call_${number}`)) number += 1;
  return `call_${number}`;
}

function isJsonOrEmpty(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
