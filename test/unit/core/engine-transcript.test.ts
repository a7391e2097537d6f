import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  answeredTurn,
  closingNote,
  countChars,
  elideOldResults,
  stepMessages,
} from "../../../core/engine/transcript.ts";
import type { JournaledCall, JournaledStep } from "../../../core/journal/steps.ts";
import type { ChatMessage, ToolCall } from "../../../core/model/types.ts";

const CAP = 1_000;

function journaledCall(position: number, content: string | null): JournaledCall {
  const result = content === null ? null : { outcome: "ok" as const, error: null, content };
  return { position, state: "done", askRunId: null, startedAt: 0, endedAt: 0, result };
}

function stepOf(calls: readonly ToolCall[], results: readonly (string | null)[], text = ""): JournaledStep {
  return {
    step: 0,
    answer: {
      text,
      reasoning: "",
      toolCalls: calls,
      finish: "tool_calls",
      usage: null,
      costMicros: null,
      priceSource: null,
    },
    calls: calls.map((_, position) => journaledCall(position, results[position] ?? null)),
  };
}

const anyText = fc.string({ unit: "binary", maxLength: 2_500 });
const anyStep = fc
  .record({
    calls: fc.uniqueArray(fc.record({ id: fc.string({ minLength: 1 }), name: anyText, arguments: anyText }), {
      selector: (call) => call.id,
      maxLength: 6,
    }),
    results: fc.array(fc.option(anyText), { maxLength: 6 }),
    text: anyText,
  })
  .map(({ calls, results, text }) => stepOf(calls, results, text));

/** Every call has one result, in the calls' order and right behind them. */
function expectPairs(messages: readonly ChatMessage[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") expect(message.callId).toBe(open.shift());
    else expect(open).toEqual([]);
    if (message.role === "assistant") open = message.toolCalls.map((call) => call.id);
  }
  expect(open).toEqual([]);
}

describe("the transcript", () => {
  it("L2: property: gives every call exactly one result, in its order, whatever was journaled", () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 4 }), (steps) => {
        expectPairs(steps.flatMap((step) => stepMessages(step, CAP)));
      }),
    );
  });

  it("property: holds a step's results together within the cap, but for the notes of what was cut", () => {
    fc.assert(
      fc.property(anyStep, (step) => {
        const results = stepMessages(step, CAP).filter((message) => message.role === "tool");
        const chars = results.reduce((sum, message) => sum + message.content.length, 0);
        expect(chars).toBeLessThanOrEqual(CAP + 120 * results.length);
      }),
    );
  });

  it("L2: gives every call its own result", () => {
    const calls = ["one", "two"].map((id) => ({ id, name: "f", arguments: "{}" }));
    const results = stepMessages(stepOf(calls, ["first", "second"]), CAP).slice(1);
    expect(results).toEqual([
      { role: "tool", callId: "one", content: "first" },
      { role: "tool", callId: "two", content: "second" },
    ]);
  });

  it("shortens the results of all steps but the latest ones", () => {
    const step = (id: string) =>
      stepMessages(stepOf([{ id, name: "f", arguments: "{}" }], ["x".repeat(900)]), CAP);
    const messages = elideOldResults(["a", "b", "c"].flatMap(step), 2);
    const lengths = messages.filter(({ role }) => role === "tool").map(({ content }) => content.length);
    expect(lengths.map((length) => length < 250)).toEqual([true, false, false]);
  });

  it("L2: says so where a call has no result", () => {
    const [, result] = stepMessages(stepOf([{ id: "c", name: "f", arguments: "{}" }], [null]), CAP);
    expect(result).toEqual({ role: "tool", callId: "c", content: "No result." });
  });

  it("cuts a function's name that no function has", () => {
    const [answer] = stepMessages(
      stepOf([{ id: "c", name: "f".repeat(9_000), arguments: "{}" }], ["x"]),
      CAP,
    );
    expect(answer).toMatchObject({ toolCalls: [{ id: "c", name: "f".repeat(128) }] });
  });

  it("L2: property: keeps the pairs when old results are shortened, and the latest steps whole", () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 5 }), (steps) => {
        const messages = steps.flatMap((step) => stepMessages(step, CAP));
        const elided = elideOldResults(messages, 2);
        expectPairs(elided);
        expect(countChars(elided)).toBeLessThanOrEqual(countChars(messages));
        const latest = steps.slice(-2).flatMap((step) => stepMessages(step, CAP));
        expect(elided.slice(elided.length - latest.length)).toEqual(latest);
      }),
    );
  });

  it("closes a turn that ended early with a note, a completed one with none", () => {
    expect(closingNote({ status: "completed", reason: null })).toEqual([]);
    expect(closingNote({ status: "timeout", reason: "run_time" })).toMatchObject([
      { role: "assistant", content: expect.stringContaining("timeout, run_time") },
    ]);
  });

  it("keeps question and answer of an ask as a turn of two messages, both capped", () => {
    const turn = answeredTurn("q".repeat(5_000), "a".repeat(5_000), CAP);
    expect(turn.map(({ role }) => role)).toEqual(["user", "assistant"]);
    for (const { content } of turn) expect(content.length).toBeLessThanOrEqual(CAP);
  });
});
