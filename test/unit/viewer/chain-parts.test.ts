import { describe, expect, it } from "vitest";
import { checkNewRun, checkSpent } from "../../../core/chain/budget.ts";
import type { LiveEvent } from "../../../ui/src/api/live.ts";
import { limitReached } from "../../../ui/src/chain/limit-reached.ts";
import { hasArrived, newsOf } from "../../../ui/src/chain/news.ts";
import { buildTree } from "../../../ui/src/chain/tree.ts";
import { keyMove } from "../../../ui/src/chain/tree-keys.ts";
import { readable } from "../../../ui/src/parts/readable.ts";
import { message, run, START } from "./chain-runs.ts";

describe("news of a chain", () => {
  const event = (type: LiveEvent["type"], data: unknown): LiveEvent => ({ type, data });

  it("is what concerns its runs, messages and tasks, and nothing of another's", () => {
    expect(newsOf(event("message", { message: { uid: "u1", rootRunId: "root" } }), "root")).toBe(
      "message u1",
    );
    expect(newsOf(event("run", { runId: "a", rootRunId: "root", state: "ended" }), "root")).toBe(
      "run ended a",
    );
    expect(newsOf(event("task", { task: { taskId: "t", rootRunId: "root" } }), "root")).toBe("task");
    expect(newsOf(event("message", { message: { uid: "u1", rootRunId: "other" } }), "root")).toBeNull();
    for (const data of [null, 7, "x", {}, { message: null }])
      expect(newsOf(event("message", data), "root")).toBeNull();
  });

  it("has arrived when the answer holds it: the feed is quicker than the record", () => {
    const listed = (runId: string, status: "completed" | null) => ({
      runId,
      agentId: "a",
      parentRunId: null,
      depth: 1,
      trigger: "chat" as const,
      admittedAt: "2026-10-01T08:00:00.000Z",
      status,
    });
    const chain = {
      runs: [listed("a", null)],
      messages: [message({ runId: "a", from: "a", to: "b" }, { uid: "u1" })],
    };
    expect(hasArrived("message u1", chain)).toBe(true);
    expect(hasArrived("message u2", chain)).toBe(false);
    expect(hasArrived("run started a", chain)).toBe(true);
    expect(hasArrived("run ended a", chain)).toBe(false);
    expect(hasArrived("run queued b", chain)).toBe(false);
    expect(hasArrived("run ended a", { ...chain, runs: [listed("a", "completed")] })).toBe(true);
    expect(hasArrived("task", chain)).toBe(true);
  });
});

describe("the ceiling that froze a chain", () => {
  it("is read off every sentence that the chain's budget has", () => {
    const limits = { runs: 3, depth: 2, tokens: 100, costUsd: 0.25 };
    const nothing = { runs: 0, tokens: 0, costMicros: 0 };
    const sentences = [
      checkNewRun(limits, nothing, 3),
      checkNewRun(limits, { ...nothing, runs: 3 }, 1),
      checkSpent(limits, { ...nothing, tokens: 100 }, 1),
      checkSpent(limits, { ...nothing, costMicros: 250_000 }, 1),
    ].map((admission) => (admission.ok ? "" : admission.reason));
    expect(sentences.map(limitReached)).toEqual([
      { kind: "depth", limit: 2 },
      { kind: "runs", limit: 3 },
      { kind: "tokens", limit: 100 },
      { kind: "cost", limit: 0.25 },
    ]);
    expect(limitReached("something else")).toBeNull();
  });
});

describe("keys in the tree", () => {
  const rows = buildTree([run("root", null), run("a", "root"), run("a1", "a"), run("b", "root")], START);
  const press = (key: string, runId: string, folded: readonly string[] = []) => {
    const hidden = new Set(folded);
    const page = rows.map((_, index) => index).filter((index) => !(hidden.has("a") && index === 2));
    return keyMove(key, { rows, page, runId, folded: hidden });
  };

  it("go up, down, to the ends, in and out", () => {
    expect(press("ArrowDown", "root")).toEqual({ act: "focus", runId: "a" });
    expect(press("ArrowDown", "a", ["a"])).toEqual({ act: "focus", runId: "b" });
    expect(press("ArrowUp", "b")).toEqual({ act: "focus", runId: "a1" });
    expect(press("End", "root")).toEqual({ act: "focus", runId: "b" });
    expect(press("Home", "b")).toEqual({ act: "focus", runId: "root" });
    expect(press("ArrowRight", "a")).toEqual({ act: "focus", runId: "a1" });
    expect(press("ArrowRight", "a", ["a"])).toEqual({ act: "toggle", runId: "a" });
    expect(press("ArrowLeft", "a")).toEqual({ act: "toggle", runId: "a" });
    expect(press("ArrowLeft", "a1")).toEqual({ act: "focus", runId: "a" });
    expect(press("Enter", "b")).toEqual({ act: "choose", runId: "b" });
  });

  it("mean nothing at the ends, on leaves, and for what is not there", () => {
    expect([press("ArrowDown", "b"), press("ArrowUp", "root"), press("ArrowRight", "b")]).toEqual([
      null,
      null,
      null,
    ]);
    expect([press("x", "root"), press("Enter", "nobody")]).toEqual([null, null]);
  });
});

describe("arguments of a call", () => {
  it("stand on lines of their own where they are JSON, else as they came", () => {
    expect(readable('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(readable('{"a": "cut of')).toBe('{"a": "cut of');
  });
});
