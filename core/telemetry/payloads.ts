/** Bodies of spans: what was said, called and answered, as the conventions' JSON. Only where the config asks for them. */

import type { JournaledAnswer, JournaledStep } from "../journal/steps.ts";
import { cutToUnits } from "../record/stored-text.ts";
import type { Scrubber } from "../scrub/index.ts";
import type { Attributes } from "./span.ts";

/** Of each text, in characters. */
const TEXT_CHARS = 4_000;
/** Of one attribute; a step may hold many calls. */
const MAX_PARTS = 20;

export type Show = (text: string) => string;

/** Masked as the secrets are known now, and only then cut. */
export function shownText({ scrub }: Scrubber): Show {
  return (text) => {
    const masked = scrub(text);
    return masked.length <= TEXT_CHARS ? masked : `${cutToUnits(masked, TEXT_CHARS)} [cut]`;
  };
}

export function runPayload(run: { readonly input: string; readonly reply: string }, show: Show): Attributes {
  return {
    "gen_ai.input.messages": messages("user", [textPart(run.input, show)]),
    "gen_ai.output.messages": messages("assistant", [textPart(run.reply, show)]),
  };
}

/** What was new in the request: the run's message, or the results of the step before. */
export function chatPayload(answer: JournaledAnswer, before: JournaledStep | string, show: Show): Attributes {
  const said = [
    textPart(answer.text, show),
    ...answer.toolCalls.map(({ id, name, arguments: given }) => ({
      type: "tool_call",
      id,
      name,
      arguments: show(given),
    })),
  ];
  return {
    "gen_ai.input.messages":
      typeof before === "string"
        ? messages("user", [textPart(before, show)])
        : messages("tool", resultParts(before, show)),
    "gen_ai.output.messages": messages("assistant", said),
  };
}

export function callPayload(given: string, result: string | undefined, show: Show): Attributes {
  return {
    "gen_ai.tool.call.arguments": show(given),
    "gen_ai.tool.call.result": result === undefined ? null : show(result),
  };
}

function resultParts({ answer, calls }: JournaledStep, show: Show): Part[] {
  return calls.map(({ position, result }) => ({
    type: "tool_call_response",
    id: answer.toolCalls[position]?.id ?? "",
    response: show(result?.content ?? ""),
  }));
}

type Part = Readonly<Record<string, string>>;

function textPart(text: string, show: Show): Part {
  return { type: "text", content: show(text) };
}

function messages(role: "user" | "assistant" | "tool", parts: readonly Part[]): string {
  return JSON.stringify([{ role, parts: parts.slice(0, MAX_PARTS) }]);
}
