import { describe, expect, it } from "vitest";
import {
  hearRunEvent,
  joinTurns,
  replyBesideSteps,
  type ShownTurn,
  turnOfMessage,
} from "../../../ui/src/agents/chat-stream.ts";

const event = (name: string, data: unknown) => ({ id: null, event: name, data: JSON.stringify(data) });
const heard = (...events: readonly [string, unknown][]): ShownTurn =>
  events.reduce((turn, [name, data]) => hearRunEvent(turn, event(name, data)), turnOfMessage("hello"));
const delta = (attempt: number, text: string): [string, unknown] => ["delta", { step: 0, attempt, text }];

describe("a run as it happens", () => {
  it("gets its id and its state from the run's events", () => {
    const turn = heard(["run", { runId: "a.1", rootRunId: "a.1", state: "started" }]);
    expect(turn).toMatchObject({ runId: "a.1", rootRunId: "a.1", state: "started" });
  });

  it("grows its text piece by piece", () => {
    expect(heard(delta(1, "Hel"), delta(1, "lo")).steps[0]?.text).toBe("Hello");
  });

  it("starts a step's text over with a higher attempt, and drops what comes late of the earlier one", () => {
    expect(heard(delta(1, "Hel"), delta(2, "Good"), delta(1, "lo"), delta(2, " day")).steps[0]?.text).toBe(
      "Good day",
    );
  });

  it("shows each call once, first under way and then with its result", () => {
    const call: [string, unknown] = [
      "tool_call",
      { step: 0, callId: "c", name: "ask_agent", arguments: "{}" },
    ];
    expect(heard(call, call).steps[0]?.calls).toMatchObject([{ id: "c", outcome: null, result: null }]);
    const result: [string, unknown] = ["tool_result", { step: 0, callId: "c", outcome: "ok", content: "7" }];
    expect(heard(call, result).steps[0]?.calls).toMatchObject([{ id: "c", outcome: "ok", result: "7" }]);
  });

  it("ends with the reply and the receipt's status", () => {
    expect(heard(["done", { reply: "Bye", receipt: { status: "cancelled" } }])).toMatchObject({
      state: "ended",
      reply: "Bye",
      status: "cancelled",
    });
  });

  it("is not changed by what it does not understand", () => {
    const turn = heard(delta(1, "Hello"));
    expect(hearRunEvent(turn, event("tomorrow", {}))).toEqual(turn);
    expect(hearRunEvent(turn, { id: null, event: "tomorrow", data: "{" })).toEqual(turn);
  });

  it("says its reply once: that of the last step is the same", () => {
    expect(replyBesideSteps(heard(delta(1, "Bye"), ["done", { reply: "Bye", receipt: {} }]))).toBeNull();
    expect(replyBesideSteps(heard(delta(1, "By"), ["done", { reply: "Bye", receipt: {} }]))).toBe("Bye");
  });
});

describe("a conversation of what is on record and what happens", () => {
  const turn = (runId: string, state: ShownTurn["state"]) => ({ ...turnOfMessage(runId), runId, state });
  const ids = (turns: readonly ShownTurn[]) => turns.map(({ input, state }) => `${input} ${state}`);

  it("takes the stream's word while the run is under way, and the record's once it has ended", () => {
    expect(ids(joinTurns([turn("a", "ended"), turn("b", "started")], [turn("b", "started")]))).toEqual([
      "a ended",
      "b started",
    ]);
    expect(joinTurns([turn("b", "ended")], [turn("b", "ended")])).toHaveLength(1);
  });

  it("keeps what was sent a moment ago at the end", () => {
    expect(ids(joinTurns([turn("a", "ended")], [{ ...turnOfMessage("new"), runId: "" }]))).toEqual([
      "a ended",
      "new sending",
    ]);
  });
});
