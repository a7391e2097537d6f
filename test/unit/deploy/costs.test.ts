import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { RUN_COSTS } from "../../support/run-costs.ts";

const text = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "deploy.md"), "utf8");

const ROWS = { plain: "answers at once", tool: "makes one tool call", ask: "asks a colleague" } as const;

it.each(["plain", "tool", "ask"] as const)(
  "docs/deploy.md reckons with what was counted for a run: %s",
  (kind) => {
    const row = text.split("\n").find((line) => line.startsWith(`| ${ROWS[kind]}`)) ?? "";
    const numbers = row.split("|").slice(2, -1).map(Number);
    const { objectRequests, objectRows, d1RowsWritten, d1RowsRead } = RUN_COSTS[kind];
    expect(numbers).toEqual([objectRequests, objectRows, d1RowsWritten, d1RowsRead]);
  },
);
