import { beforeAll, describe, expect, it } from "vitest";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { capturedLog } from "./support/exposure.ts";
import { jsonResults, type ProbeCall, probe } from "./support/probe.ts";
import { team } from "./support/team.ts";

const log = capturedLog();

beforeAll(() => team([]));

const tools = (own: string, other: string) => ({
  Probe: { mark: own, loose: { deep: [`${own}-deep`] } },
  OtherProbe: { mark: other, token: { $secret: "TEST_SECRET_A" } },
});
const MARKS = ["mark-a", "mark-b", "mark-x", "mark-y", "told-a", "told-b"];

describe("L8 a tool sees its own", () => {
  const look = (tool: string, marks: readonly string[]): ProbeCall => ({
    tool,
    action: "look",
    value: marks.join(","),
  });

  it("L8 reaches its own config from its context, and nothing of another tool or agent", async () => {
    await probe("a", [{ action: "set", key: "told-a", value: "told-a" }], {
      tools: tools("mark-a", "mark-x"),
    });
    await probe("b", [{ action: "set", key: "told-b", value: "told-b" }], {
      tools: tools("mark-b", "mark-y"),
    });
    const { TEST_SECRET_B } = TEST_SECRETS;
    const marks = [...MARKS, TEST_SECRET_B.slice(0, 9), "test-token", "You are a", "AgentMessages"];
    const seenByA = await probe("a", [look("Probe", marks), look("OtherProbe", marks)], {
      tools: tools("mark-a", "mark-x"),
    });
    const keys = [
      "agentId",
      "channels",
      "fetch",
      "instanceId",
      "logger",
      "mailHeader",
      "seconds",
      "signal",
      "state",
      "toolConfig",
    ];
    expect(jsonResults(seenByA)).toEqual([
      { keys, found: ["mark-a"] },
      { keys, found: ["mark-x"] },
    ]);
  });

  it("L8 gets its secret's value, and only the tool that refers to it", async () => {
    const { TEST_SECRET_C } = TEST_SECRETS;
    const parts = [TEST_SECRET_C.slice(0, 6), TEST_SECRET_C.slice(-6)];
    const seen = await probe("a", [look("Probe", parts), look("OtherProbe", parts)], {
      tools: { Probe: { token: { $secret: "TEST_SECRET_C" } }, OtherProbe: {} },
    });
    expect(jsonResults(seen)).toMatchObject([{ found: parts.toSorted() }, { found: [] }]);
  });

  it("L8 finds its config as it was, whatever an earlier call did to it", async () => {
    const spec = { tools: tools("mark-a", "mark-x") };
    const marks = ["mark-a", "mark-a-deep", "spoilt"];
    const { calls } = await probe("a", [{ action: "spoil" }, look("Probe", marks)], spec);
    expect(calls[0]).toMatchObject({ outcome: "failed", result: "Failed: spoilt" });
    expect(JSON.parse(calls[1]?.result ?? "")).toMatchObject({ found: ["mark-a", "mark-a-deep"] });
    const later = await probe("a", [look("Probe", marks), { action: "get", key: "none" }], spec);
    expect(jsonResults(later)).toMatchObject([{ found: ["mark-a", "mark-a-deep"] }, null]);
  });
});

describe("L8 a tool's state", () => {
  it("L8 is not another tool's, nor another agent's, under whatever key", async () => {
    await probe("a", [
      { action: "set", key: "x", value: "of a" },
      { action: "set", key: "OtherProbe:x", value: "of a" },
      { action: "set", key: "", value: "of a, without a key" },
    ]);
    const others = ["x", "Probe:x", "state:Probe:x", "%", "' OR 1=1 --", ""];
    const reads = others.map((key) => ({ tool: "OtherProbe", action: "get", key }));
    const otherTool = await probe("a", [...reads, { tool: "OtherProbe", action: "list" }]);
    expect(jsonResults(otherTool)).toEqual([null, null, null, null, null, null, []]);
    const otherAgent = await probe("b", [{ action: "get", key: "x" }, { action: "list" }]);
    expect(jsonResults(otherAgent)).toEqual([null, ["told-b"]]);
    const own = await probe("a", [{ action: "get", key: "x" }, { action: "list" }]);
    expect(jsonResults(own)).toEqual(["of a", ["", "OtherProbe:x", "told-a", "x"]]);
  });

  it("L8 keeps another tool's values when it deletes or replaces its own", async () => {
    await probe("c", [
      { action: "set", key: "k", value: "mine" },
      { tool: "OtherProbe", action: "set", key: "k", value: "other" },
      { tool: "OtherProbe", action: "delete", key: "k" },
      { tool: "OtherProbe", action: "delete", key: "Probe:k" },
    ]);
    const read = { action: "get", key: "k" };
    expect(jsonResults(await probe("c", [read, { ...read, tool: "OtherProbe" }]))).toEqual(["mine", null]);
  });

  it("keeps any text, and lists by the beginning of keys, whatever characters they have", async () => {
    const long = "ä".repeat(700_000);
    await probe("d", [
      { action: "set", key: "🎉one", value: "@state:Probe:long" },
      { action: "set", key: "🎊two", value: "=x" },
      { action: "set", key: "long", value: "{{repeat:ä:700000}}" },
    ]);
    const listed = await probe("d", [
      { action: "get", key: "🎉one" },
      { action: "get", key: "🎊two" },
      { action: "list", key: "🎉" },
      { action: "list", key: "%" },
    ]);
    expect(jsonResults(listed)).toEqual(["@state:Probe:long", "=x", ["🎉one"], []]);
    const read = await probe("d", [{ action: "get", key: "long" }]);
    expect(read.calls[0]?.result).toContain(long.slice(0, 5_000));
  });
});

describe("L5 what a tool says", () => {
  it("L5 is logged with the tool, its agent and its run, and without its secret", async () => {
    const { answer, calls } = await probe("logging", [{ action: "log", value: "the token is" }], {
      tools: { Probe: { token: { $secret: "TEST_SECRET_B" } } },
    });
    expect(calls).toEqual([{ outcome: "ok", result: "It is [secret:TEST_SECRET_B]" }]);
    const line = log.find((text) => text.includes("the token is"));
    expect(JSON.parse(line ?? "{}")).toMatchObject({
      module: "Tool_Probe",
      level: "error",
      agentId: "logging",
      runId: answer.runId,
      text: "the token is [secret:TEST_SECRET_B]: [secret:TEST_SECRET_B]",
    });
  });
});
