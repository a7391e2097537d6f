import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { RUN_COSTS, type RunCost } from "../../support/run-costs.ts";

const text = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "deploy.md"), "utf8");

const cellsOf = (label: string) =>
  (text.split("\n").find((line) => line.startsWith(`| ${label}`)) ?? "").split("|").slice(2, -1);

const ROWS = { plain: "answers at once", tool: "makes one tool call", ask: "asks a colleague" } as const;

it.each(["plain", "tool", "ask"] as const)(
  "docs/deploy.md reckons with what was counted for a run: %s",
  (kind) => {
    const numbers = cellsOf(ROWS[kind]).map(Number);
    const { objectRequests, objectRows, d1RowsWritten, d1RowsRead } = RUN_COSTS[kind];
    expect(numbers).toEqual([objectRequests, objectRows, d1RowsWritten, d1RowsRead]);
  },
);

/** Of 100 runs 40 answer at once, 40 make a tool call, and 10 ask, which is two runs. */
const aRun = (key: keyof RunCost) =>
  (40 * RUN_COSTS.plain[key] + 40 * RUN_COSTS.tool[key] + 10 * RUN_COSTS.ask[key]) / 100;
const CALLS = aRun("objectRequests") + 2;
const OBJECT_ROWS = aRun("objectRows") + 3;
const D1_WRITTEN = aRun("d1RowsWritten");
const D1_READ = aRun("d1RowsRead");

const CRON = 30 * 24 * 60;
const VIEWER = [60_000, 60_000, 600_000];
const RUNS = [3_000, 45_000, 300_000];

/** The first number of a cell, or its sum where it shows one. */
const amount = (cell: string) =>
  Number((/ = ([\d.,]+)/.exec(cell) ?? /([\d.,]*\d)/.exec(cell))?.[1]?.replaceAll(",", ""));
const dollars = (cell: string) => Number(/([\d.]+) \$/.exec(cell)?.[1]);
const monthly = (row: (runs: number, viewer: number) => number) =>
  RUNS.map((runs, index) => Math.round(row(runs, VIEWER[index] ?? 0)));

it("docs/deploy.md says what the mixed run comes to", () => {
  const said = `a run is ${CALLS} calls, ${OBJECT_ROWS} rows in objects, ${D1_WRITTEN} D1 rows written and ${Math.round(D1_READ)} read`;
  expect(text).toContain(said);
});

it.each([
  ["runs", monthly((runs) => runs)],
  ["Worker requests", monthly((runs, viewer) => 2 * runs + CRON + viewer)],
  ["calls to objects", monthly((runs, viewer) => CALLS * runs + CRON + 1.5 * viewer)],
  ["duration, GB-s", monthly((runs) => 3 * runs + 79_200)],
  ["rows written in objects", monthly((runs) => OBJECT_ROWS * runs)],
  ["D1 rows written", monthly((runs) => D1_WRITTEN * runs)],
])("docs/deploy.md reckons a month's %s from what was counted", (label, expected) => {
  const cells = text
    .split("\n")
    .find((line) => line.startsWith(`| ${label} `) && line.includes(format(expected[0] ?? 0)));
  expect((cells ?? "").split("|").slice(2, -1).map(amount)).toEqual(expected);
});

it("docs/deploy.md reckons a month's D1 rows read from what was counted", () => {
  const read = monthly((runs, viewer) => (Math.round(D1_READ) * runs + 10 * CRON + 100 * viewer) / 100_000);
  expect(text).toContain(
    `| D1 rows read | ${read.map((one) => `${format(one * 100_000)}: 0 $`).join(" | ")} |`,
  );
});

it("docs/deploy.md adds the dollars up", () => {
  const [from, to] = [text.indexOf("| runs | "), text.indexOf("| **together** |")];
  const rows = text
    .slice(from, to)
    .trim()
    .split("\n")
    .map((line) => line.split("|").slice(2, -1));
  const sums = [0, 1, 2].map((column) =>
    rows
      .map((row) => dollars(row[column] ?? ""))
      .filter(Number.isFinite)
      .reduce((sum, one) => sum + one, 0),
  );
  expect(cellsOf("**together**").map(dollars)).toEqual(sums.map((sum) => Number(sum.toFixed(2))));
});

const format = (number: number) => number.toLocaleString("en");
