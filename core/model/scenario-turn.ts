/** What a scenario can see of a request: the part since the last user message, sorted by step. */
import type { ChatMessage } from "./types.ts";

interface TurnCall {
  readonly name: string;
  /** Null while the call has no result in the request. */
  readonly result: string | null;
}

export interface Turn {
  /** All system messages, joined by line breaks. */
  readonly system: string;
  /** The last user message; empty when there is none. */
  readonly user: string;
  /** User messages before the last one. */
  readonly turn: number;
  /** Assistant messages since the last user message: 0 for the first answer to it. */
  readonly step: number;
  /** The calls of each of those assistant messages, in the order they were asked for. */
  readonly calls: readonly (readonly TurnCall[])[];
  /** The last tool result since the last user message. */
  readonly lastResult: { readonly name: string; readonly text: string } | null;
}

/** Reads a request. It depends on nothing but the messages, so a replayed request reads the same. */
export function readTurn(messages: readonly ChatMessage[]): Turn {
  const start = messages.findLastIndex((message) => message.role === "user");
  const userMessages = messages.filter((message) => message.role === "user");
  const calls = callsByStep(messages.slice(start + 1));
  return {
    system: messages.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n"),
    user: messages[start]?.content ?? "",
    turn: Math.max(userMessages.length - 1, 0),
    step: calls.length,
    calls,
    lastResult: findLastResult(calls),
  };
}

/** The last result of one function since the last user message, or null. */
export function lastResultOf(turn: Turn, name: string): string | null {
  return turn.calls.flat().findLast((call) => call.name === name && call.result !== null)?.result ?? null;
}

// Call ids are unique within one step only, so a result belongs to the nearest step before it.
function callsByStep(messages: readonly ChatMessage[]): TurnCall[][] {
  const bounds = messages.flatMap((message, index) => (message.role === "assistant" ? [index] : []));
  return bounds.map((from, step) => {
    const assistant = messages[from];
    if (assistant?.role !== "assistant") return [];
    const results = resultsById(messages.slice(from + 1, bounds[step + 1]));
    return assistant.toolCalls.map((call) => ({ name: call.name, result: results.get(call.id) ?? null }));
  });
}

function resultsById(messages: readonly ChatMessage[]): Map<string, string> {
  return new Map(
    messages.flatMap((message) =>
      message.role === "tool" ? [[message.callId, message.content] as const] : [],
    ),
  );
}

function findLastResult(calls: readonly (readonly TurnCall[])[]): Turn["lastResult"] {
  const last = calls.flat().findLast((call) => call.result !== null);
  return last === undefined || last.result === null ? null : { name: last.name, text: last.result };
}
