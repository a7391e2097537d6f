import { describe, expect, it } from "vitest";
import { activeRun } from "../../../core/engine/active-run.ts";
import { rememberCalls, repeatsItself } from "../../../core/engine/repetition.ts";
import { rootLineage } from "../../../core/lineage.ts";

const newRun = () =>
  activeRun({
    runId: "a.0000000000",
    trigger: "chat",
    lane: "conversation",
    priority: 0,
    lineage: rootLineage("a.0000000000"),
    input: "",
    maxSteps: null,
    deadlineAt: null,
    taskId: null,
    seq: 1,
    conversation: 1,
    state: "started",
    acceptedAt: 0,
    startedAt: 0,
    resumes: 0,
    cancel: null,
    chained: false,
  });

/** After which steps a run counts as repeating itself; a step is the arguments of its calls. */
function repeatsAfter(steps: readonly (readonly string[])[]): boolean[] {
  const run = newRun();
  return steps.map((calls, step) => {
    rememberCalls(
      run,
      calls.map((args, n) => ({ id: `c${step}_${n}`, name: "f", arguments: args })),
    );
    return repeatsItself(run);
  });
}

const times = (count: number, ...calls: string[]) => Array.from({ length: count }, () => calls);

describe("a model that makes the same calls again and again", () => {
  it("is noticed at the sixth time, whatever the call ids are", () => {
    expect(repeatsAfter(times(7, "{}"))).toEqual([false, false, false, false, false, true, true]);
  });

  it("is not one that changed its arguments, their number or their order in between", () => {
    const between = [["{}", "{}"], ["1"], ["2", "1"]];
    for (const other of between)
      expect(repeatsAfter([...times(5, "1", "2"), other, ...times(5, "1", "2")])).not.toContain(true);
  });

  it("is noticed again after something else came between", () => {
    expect(repeatsAfter([...times(5, "1"), ["2"], ...times(6, "1")]).at(-1)).toBe(true);
  });

  it("is not one that makes no calls", () => {
    expect(repeatsAfter(times(8))).not.toContain(true);
  });
});
