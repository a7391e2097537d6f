import { expect, it } from "vitest";
import { withArchived } from "../../core/archive/archived-totals.ts";
import { type ChainView, totalsOf } from "../../core/record/chain-of.ts";
import { receiptView } from "../../core/record/run-view.ts";
import { at, receiptRow } from "../support/record-rows.ts";

const ROWS = Array.from({ length: 6 }, (_, n) =>
  receiptRow(`run-${n}`, {
    parentRunId: n === 0 ? null : `run-${n - 1}`,
    costMicros: n === 3 ? null : 100_001,
    startedAt: at(n * 1_000),
    finishedAt: at(n * 1_000 + 900),
  }),
);

/** What D1 tells of these when its list holds only the first few of them. */
function inD1(rows: typeof ROWS, listed: number): ChainView {
  return {
    runs: rows.slice(0, listed).map(receiptView),
    messages: [],
    messageCount: 0,
    totals: totalsOf(rows),
  };
}

it.each([4, 2])(
  "a chain's totals are the same whatever of it is archived (%i of 4 runs in D1 are listed)",
  (listed) => {
    const [kept, archived] = [ROWS.slice(0, 4), ROWS.slice(4)];
    const { depth, ...totals } = withArchived(inD1(kept, listed), archived.map(receiptView));
    const { depth: whole, ...expected } = totalsOf(ROWS);
    expect(totals).toEqual(expected);
    // Along runs that are not listed nobody can walk.
    expect(depth).toBe(listed === 4 ? whole : 4);
  },
);
