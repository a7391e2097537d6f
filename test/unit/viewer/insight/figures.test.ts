import { describe, expect, it, vi } from "vitest";
import type { Finding } from "../../../../ui/src/api/types.ts";
import { costLayers, dearestAgents } from "../../../../ui/src/insight/cost-layers.ts";
import { costOf } from "../../../../ui/src/insight/facts.ts";
import { readFilters, statsQuery } from "../../../../ui/src/insight/filters.ts";
import { targetsOf } from "../../../../ui/src/insight/finding-targets.ts";

const NOW = Date.parse("2026-11-30T23:30:00.000Z");

describe("the filters of the figures", () => {
  it("are the last thirty days, today included, when nothing is chosen", () => {
    expect(statsQuery(readFilters({}), NOW)).toEqual({
      a: "",
      b: "",
      channel: "",
      since: "2026-11-01",
      until: "",
    });
  });

  it("take a span or a period of one's own, never both", () => {
    expect(statsQuery(readFilters({ days: "7" }), NOW).since).toBe("2026-11-24");
    expect(statsQuery(readFilters({ days: "all" }), NOW).since).toBe("");
    const own = readFilters({ days: "7", until: "2026-10-05" });
    expect(own.span).toBe("own");
    expect(statsQuery(own, NOW)).toMatchObject({ since: "", until: "2026-10-05" });
  });

  it("never hold what the API would refuse", () => {
    const junk = readFilters({ days: "8", since: "2026-02-30", until: "tomorrow", channel: "smoke" });
    expect(junk).toEqual({ a: "", b: "", channel: "", span: "30", since: "", until: "" });
  });

  it("make one agent the first, and of twice the same agent one", () => {
    expect(readFilters({ b: "clerk" })).toMatchObject({ a: "clerk", b: "" });
    expect(readFilters({ a: "clerk", b: "clerk" })).toMatchObject({ a: "clerk", b: "" });
  });
});

describe("costs", () => {
  it("are unknown, not nothing, where no price is known, and at least where some are", () => {
    expect(costOf([{ costUsd: null, unpricedRuns: 3 }])).toEqual({ usd: null, atLeast: false });
    expect(
      costOf([
        { costUsd: 0.5, unpricedRuns: 0 },
        { costUsd: null, unpricedRuns: 1 },
      ]),
    ).toEqual({ usd: 0.5, atLeast: true });
    expect(costOf([{ costUsd: 0, unpricedRuns: 0 }])).toEqual({ usd: 0, atLeast: false });
  });

  it("over time are shared out among the dearest agents, with the others on top", () => {
    expect(
      dearestAgents([
        { agentId: "free", costUsd: 0 },
        { agentId: "low", costUsd: 1 },
        { agentId: "unknown", costUsd: null },
        { agentId: "high", costUsd: 2 },
      ]),
    ).toEqual(["high", "low"]);
    const series = [
      { at: "1", runs: 3, costUsd: 0.3 },
      { at: "3", runs: 1, costUsd: null },
    ];
    const own = [{ agentId: "high", series: [{ at: "1", runs: 1, costUsd: 0.1 }] }];
    const [high, others] = costLayers(["1", "2", "3"], series, own);
    expect(high).toEqual({ agentId: "high", values: [0.1, 0, 0] });
    expect(others?.agentId).toBeNull();
    expect(others?.values[0]).toBeCloseTo(0.2);
    expect(others?.values.slice(1)).toEqual([0, null]);
  });

  it("over time have no layer of others where there are none", () => {
    const series = [{ at: "1", runs: 2, costUsd: 0.1 + 0.2 }];
    const own = [
      { agentId: "a", series: [{ at: "1", runs: 1, costUsd: 0.1 }] },
      { agentId: "b", series: [{ at: "1", runs: 1, costUsd: 0.2 }] },
    ];
    expect(costLayers(["1"], series, own).map(({ agentId }) => agentId)).toEqual(["a", "b"]);
  });
});

describe("a finding's links", () => {
  const finding: Finding = {
    id: "failing_pair:a|b|ask",
    code: "failing_pair",
    cause: "failing_colleague",
    text: "",
    causeText: "",
    count: 2,
    numbers: {},
    agents: ["a", "@new:b"],
    channel: "ask",
    taskId: null,
    firstAt: null,
    lastAt: null,
    messageIds: [2_048_000, 4_096_000],
    rootRunIds: ["x", "y"],
    example: null,
  };

  it("lead to the pair's conversation at the newest message, and to each message with its time", () => {
    const { conversation, messages } = targetsOf(finding);
    expect(conversation).toEqual({ view: "communication", query: { a: "a", b: "b", m: "4096000" } });
    expect(messages.map(({ at }) => at)).toEqual([2_000, 1_000]);
  });

  it("lead to the chains alone where nobody in particular is concerned", () => {
    const { conversation, messages, chains } = targetsOf({ ...finding, agents: [] });
    expect(conversation).toBeNull();
    expect(messages).toEqual([]);
    expect(chains[0]).toEqual({ rootRunId: "y", target: { view: "chain", id: "y" } });
  });

  it("lead into the chain where one chain is what was found: its messages are anybody's", () => {
    const { conversation, messages } = targetsOf({ ...finding, agents: ["a"], rootRunIds: ["x"] });
    expect(conversation).toBeNull();
    expect(messages[0]?.target).toEqual({ view: "chain", id: "x", query: { m: "4096000" } });
  });

  it("lead to the task where it is about one", () => {
    expect(targetsOf({ ...finding, taskId: "t1" }).task).toEqual({ view: "tasks", query: { task: "t1" } });
    expect(targetsOf(finding).task).toBeNull();
  });
});

// The browser's memory of the language; there is none here.
vi.stubGlobal("localStorage", { getItem: () => "en" });
const { findingSentence } = await import("../../../../ui/src/insight/finding-texts.ts");

describe("a finding's sentence", () => {
  const finding: Finding = {
    ...{ id: "x", code: "repeated_question", cause: "unclear_responsibility", text: "", causeText: "" },
    ...{ count: 3, numbers: {}, agents: ["a", "b"], channel: "ask", taskId: null },
    ...{ firstAt: null, lastAt: null, messageIds: [], rootRunIds: [], example: null },
  };
  const repeated = (answered: number, sameAnswers: number) =>
    findingSentence({ ...finding, numbers: { answered, sameAnswers } });

  it("says of repeated questions that none, one, or how many answers came, and how these differ", () => {
    expect(repeated(0, 0)).toContain("none was answered");
    expect(repeated(1, 0)).toContain("one was answered");
    expect(repeated(3, 0)).toContain("each in another way");
    expect(repeated(3, 1)).toContain("1 of them like the one before");
  });

  it("says when more was asked than is known", () => {
    const numbers = { answered: 2, sameAnswers: 2, atLeast: 1 };
    expect(findingSentence({ ...finding, code: "answered_before", count: 100, numbers })).toContain(
      "at least 100 times",
    );
  });

  it("speaks of one hour as of one", () => {
    expect(findingSentence({ ...finding, code: "silted_task", count: 1 })).toMatch(/for an hour\.$/);
  });
});
