import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildTree, visibleRows, weightOf } from "../../../ui/src/chain/tree.ts";
import { at, run, START } from "./chain-runs.ts";

const NOW = START + 60_000;
const ids = (rows: readonly { readonly run: { readonly runId: string } }[]) =>
  rows.map((row) => row.run.runId);

describe("the tree of a chain", () => {
  it("stands in reading order: a run, then what it caused, by their beginning", () => {
    const rows = buildTree(
      [
        run("b", "root", { begunAt: at(20) }),
        run("root", null),
        run("a", "root", { begunAt: at(10) }),
        run("a1", "a", { begunAt: at(30) }),
      ],
      NOW,
    );
    expect(rows.map((row) => [row.run.runId, row.level, row.parent, row.end])).toEqual([
      ["root", 1, null, 4],
      ["a", 2, 0, 3],
      ["a1", 3, 1, 3],
      ["b", 2, 0, 4],
    ]);
    expect(rows.map((row) => [row.place, row.siblings])).toEqual([
      [1, 1],
      [1, 2],
      [1, 1],
      [2, 2],
    ]);
  });

  it("sums what a run and all below it took, and says what part of the parent's that is", () => {
    const [root, child, grandchild] = buildTree(
      [
        run("root", null, { costUsd: 0.01, endedAt: at(10_000) }),
        run("child", "root", { costUsd: 0.06, endedAt: at(5_000), status: "failed" }),
        run("grandchild", "child", { costUsd: 0.03, begunAt: at(1_000), endedAt: at(8_000) }),
      ],
      NOW,
    );
    expect(root?.sum).toEqual({
      runs: 3,
      costUsd: expect.closeTo(0.1),
      unpriced: 0,
      failures: 1,
      open: 0,
      wallMs: 10_000,
    });
    expect(child?.sum.wallMs, "a child that outlives its parent").toBe(8_000);
    expect(child?.costShare).toBeCloseTo(0.9);
    expect(child?.timeShare).toBeCloseTo(0.8);
    expect(grandchild?.costShare).toBeCloseTo(1 / 3);
    expect([root?.costShare, weightOf(0.9), weightOf(0.5), weightOf(0.49), weightOf(null)]).toEqual([
      null,
      "most",
      "half",
      "some",
      "some",
    ]);
  });

  it("knows no cost where there is no price, and at least one where some runs have none", () => {
    const [root] = buildTree(
      [run("root", null, { costUsd: null }), run("a", "root", { costUsd: 0.02 })],
      NOW,
    );
    expect(root?.sum).toMatchObject({ costUsd: 0.02, unpriced: 1 });
    expect(buildTree([run("x", null, { costUsd: null })], NOW)[0]?.sum.costUsd).toBeNull();
  });

  it("counts a run under way up to now, and as no failure", () => {
    const open = run("root", null, { status: null, endedAt: null, durationMs: null, costUsd: null });
    expect(buildTree([open], NOW)[0]?.sum).toMatchObject({
      open: 1,
      failures: 0,
      unpriced: 0,
      wallMs: 60_000,
    });
  });

  it("takes runs whose parent is not there as roots, and cuts a ring", () => {
    expect(ids(buildTree([run("a", "@human.act"), run("b", "@human.act")], NOW))).toEqual(["a", "b"]);
    expect(ids(buildTree([run("a", "b"), run("b", "a"), run("c", "c")], NOW)).sort()).toEqual([
      "a",
      "b",
      "c",
    ]);
  });

  it("is as deep as a chain may be", () => {
    const deep = Array.from({ length: 5_000 }, (_, n) => run(`r${n}`, n === 0 ? null : `r${n - 1}`));
    const rows = buildTree(deep, NOW);
    expect(rows.at(-1)?.level).toBe(5_000);
    expect(rows[0]?.sum.runs).toBe(5_000);
  });

  const forests = fc
    .array(fc.tuple(fc.option(fc.nat(60)), fc.nat(10_000), fc.option(fc.nat(1_000))), {
      minLength: 1,
      maxLength: 60,
    })
    .map((specs) =>
      specs.map(([parent, ms, micros], n) =>
        run(`r${n}`, parent === null || parent >= n ? null : `r${parent}`, {
          begunAt: at(ms),
          endedAt: at(ms + 500),
          costUsd: micros === null ? null : micros / 1_000_000,
        }),
      ),
    );

  it("property: holds each run once, below its parent, with subtrees that stand together", () => {
    fc.assert(
      fc.property(forests, (runs) => {
        const rows = buildTree(runs, NOW);
        expect(ids(rows).sort()).toEqual(ids(runs.map((each) => ({ run: each }))).sort());
        for (const [index, row] of rows.entries()) {
          const parent = row.parent === null ? null : rows[row.parent];
          expect(row.run.parentRunId).toBe(parent?.run.runId ?? null);
          expect(row.level).toBe((parent?.level ?? 0) + 1);
          expect(row.end > index && row.end <= (parent?.end ?? rows.length)).toBe(true);
          expect(row.sum.runs).toBe(row.end - index);
        }
      }),
    );
  });

  it("property: the roots' sums together are all that was spent", () => {
    fc.assert(
      fc.property(forests, (runs) => {
        const roots = buildTree(runs, NOW).filter((row) => row.parent === null);
        const spent = runs.reduce((sum, each) => sum + (each.costUsd ?? 0), 0);
        expect(roots.reduce((sum, row) => sum + (row.sum.costUsd ?? 0), 0)).toBeCloseTo(spent, 9);
        const unpriced = runs.filter((each) => each.costUsd === null).length;
        expect(roots.reduce((sum, row) => sum + row.sum.unpriced, 0)).toBe(unpriced);
      }),
    );
  });

  it("property: folding a run hides exactly what is below it", () => {
    fc.assert(
      fc.property(forests, fc.nat(59), (runs, which) => {
        const rows = buildTree(runs, NOW);
        const index = which % rows.length;
        const row = rows[index];
        const shown = visibleRows(rows, new Set([row?.run.runId ?? ""]));
        const hidden = rows.map((_, each) => each).filter((each) => each > index && each < (row?.end ?? 0));
        expect(shown).toEqual(rows.map((_, each) => each).filter((each) => !hidden.includes(each)));
      }),
    );
  });
});
