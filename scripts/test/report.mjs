import { readFileSync } from "node:fs";

/**
 * Counts of a vitest JSON report. A file that could not be loaded counts as one failure, and so does a run
 * that failed without any failing test (an unhandled error, or no report at all).
 * @param exitCode of the runner
 */
export function countTests(report, exitCode) {
  const broken = (report?.testResults ?? []).filter(
    ({ status, assertionResults }) =>
      status === "failed" && assertionResults.every((test) => test.status !== "failed"),
  );
  const failed = (report?.numFailedTests ?? 0) + broken.length;
  return {
    passed: report?.numPassedTests ?? 0,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
  };
}

/** The report that the runner wrote, or null when it came to none. */
export function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/** The sum over several runners. */
export function addCounts(counts) {
  const sum = (name) => counts.reduce((total, count) => total + count[name], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}
