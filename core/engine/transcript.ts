/**
 * The transcript as a model sees it. Every call has exactly one result and every text is capped, so any
 * provider accepts it whatever was journaled. No I/O, no clock, no `this`.
 */
import type { JournaledStep } from "../journal/steps.ts";
import type { ChatMessage } from "../model/types.ts";
import { cutToUnits } from "../record/stored-text.ts";
import { capArguments, capText, capTogether } from "./caps.ts";

/** Longer than any function's name; a model may invent a longer one. */
const NAME_CHARS = 128;

/** The messages of a complete step: the answer, then one result for each of its calls, in order. */
export function stepMessages(step: JournaledStep, cap: number): ChatMessage[] {
  const { answer, calls } = step;
  const results = capTogether(
    calls.map((call) => call.result?.content ?? "No result."),
    cap,
  );
  return [
    {
      role: "assistant",
      content: capText(answer.text, cap),
      reasoning: answer.reasoning,
      toolCalls: answer.toolCalls.map((call) => ({
        ...call,
        name: cutToUnits(call.name, NAME_CHARS),
        arguments: capArguments(call.arguments, cap),
      })),
    },
    ...answer.toolCalls.map(
      (call, index): ChatMessage => ({ role: "tool", callId: call.id, content: results[index] ?? "" }),
    ),
  ];
}

export function userMessage(text: string, cap: number): ChatMessage {
  return { role: "user", content: capText(text, cap) };
}

/** A turn that ended without a final answer closes with a note, so that the next message finds an answered one. */
export function closingNote(ending: {
  readonly status: string;
  readonly reason: string | null;
}): ChatMessage[] {
  if (ending.status === "completed") return [];
  const why = ending.reason === null ? ending.status : `${ending.status}, ${ending.reason}`;
  return [{ role: "assistant", content: `(This run ended early: ${why}.)`, reasoning: "", toolCalls: [] }];
}

/** Question and answer of an ask, as they stay in the answering agent's conversation. */
export function answeredTurn(question: string, answer: string, cap: number): ChatMessage[] {
  return [
    userMessage(question, cap),
    { role: "assistant", content: capText(answer, cap), reasoning: "", toolCalls: [] },
  ];
}

/** Characters that the messages put into a context, about four to a token. */
export function countChars(messages: readonly ChatMessage[]): number {
  let chars = 0;
  for (const message of messages) {
    chars += message.content.length + 8;
    if (message.role !== "assistant") continue;
    for (const call of message.toolCalls) chars += call.name.length + call.arguments.length + 16;
  }
  return chars;
}

/** Shortens the tool results of all but the last `keep` steps: the pairs stay, their bulk goes. */
export function elideOldResults(messages: readonly ChatMessage[], keep: number): ChatMessage[] {
  const answers = messages.flatMap((message, index) => (message.role === "assistant" ? [index] : []));
  const border = answers[answers.length - keep] ?? 0;
  return messages.map((message, index) =>
    index < border && message.role === "tool"
      ? { ...message, content: capText(message.content, 200) }
      : message,
  );
}
