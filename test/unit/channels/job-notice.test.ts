import { describe, expect, it } from "vitest";
import { jobNotice } from "../../../core/channels/job-notice.ts";

/** The kinds of notices that ticks with these outcomes cause, by the number of the tick. */
function told(outcomes: string): string[] {
  let failures = 0;
  return outcomes.split("").flatMap((outcome, tick) => {
    const before = failures;
    failures = outcome === "x" ? failures + 1 : 0;
    const news = {
      agentId: "a",
      jobId: "j",
      uid: `a:j:${tick}`,
      at: "2026-01-01T00:00:00.000Z",
      summary: "why",
    };
    const notice = jobNotice({ ...news, failuresBefore: before, failures });
    return notice === null ? [] : [`${tick} ${notice.kind}`];
  });
}

describe("a person is told of a job", () => {
  it.each([
    ["that works", "......", []],
    ["that fails now and then", ".x..xx..x.", []],
    ["that keeps failing, once", "xxxxxxxx", ["2 job_failing"]],
    ["that works again, once", "xxxx...", ["2 job_failing", "4 job_recovered"]],
    ["that fails anew", "xxx.xxx.", ["2 job_failing", "3 job_recovered", "6 job_failing", "7 job_recovered"]],
  ])("%s", (_name, outcomes, notices) => {
    expect(told(outcomes)).toEqual(notices);
  });
});
