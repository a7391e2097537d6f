import { describe, expect, it } from "vitest";
import { diffConfig, diffDocuments } from "../../core/config/diff.ts";
import { changeLines } from "../../scripts/config/show-changes.mjs";

const instance = { id: "demo" };
const agent = (agentId: string, more: Record<string, unknown> = {}) => ({ agentId, ...more });
const lines = (before: Record<string, unknown>, after: Record<string, unknown>) =>
  changeLines(
    diffConfig({ instance, agents: [agent("a", before)] }, { instance, agents: [agent("a", after)] }),
  );

describe("the difference of two configs", () => {
  it("is none when only the order of keys differs", () => {
    const before = { instance: { id: "x", a: { b: 1, c: 2 } }, agents: [agent("a"), agent("b")] };
    const after = { instance: { a: { c: 2, b: 1 }, id: "x" }, agents: [agent("b"), agent("a")] };
    expect(diffConfig(before, after)).toEqual([]);
  });

  it("names each key that came, went or changed, and items of lists by their id", () => {
    const before = {
      tools: { Mail: { from: "a" } },
      scheduler: [{ id: "morning", cron: "0 8 * * *" }, { id: "old" }],
    };
    const after = { tools: { Notify: {} }, scheduler: [{ id: "new" }, { id: "morning", cron: "0 9 * * *" }] };
    expect(diffDocuments(before, after).map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      "changed scheduler[morning].cron",
      "added scheduler[new]",
      "removed scheduler[old]",
      "removed tools.Mail",
      "added tools.Notify",
    ]);
  });

  it("tells that only the order of a list is another one, and what changes in it besides", () => {
    const [one, two, three] = [{ id: "one", cron: "1" }, { id: "two" }, { id: "three" }];
    expect(diffDocuments({ scheduler: [one, two] }, { scheduler: [two, one] })).toEqual([
      { path: "scheduler", kind: "changed", before: '["one","two"]', after: '["two","one"]' },
    ]);
    const paths = (before: unknown[], after: unknown[]) =>
      diffDocuments({ scheduler: before }, { scheduler: after }).map(({ kind, path }) => `${kind} ${path}`);
    expect(paths([one, two], [two, { ...one, cron: "2" }])).toEqual([
      "changed scheduler",
      "changed scheduler[one].cron",
    ]);
    expect(paths([one, two], [three, one])).toEqual(["added scheduler[three]", "removed scheduler[two]"]);
  });

  it("shows a secret by its name", () => {
    const change = diffDocuments({ key: { $secret: "OLD" } }, { key: { $secret: "NEW" } });
    expect(change).toEqual([
      { path: "key", kind: "changed", before: '{"$secret":"OLD"}', after: '{"$secret":"NEW"}' },
    ]);
  });

  it("tells agents that come and go", () => {
    const documents = diffConfig(
      { instance, agents: [agent("goes")] },
      { instance, agents: [agent("comes")] },
    );
    expect(changeLines(documents)).toEqual([
      "+ agent comes",
      "    + agentId: comes",
      "- agent goes: taken out of service",
    ]);
  });
});

describe("changes on a terminal", () => {
  it("show short values whole and of long ones where they differ", () => {
    expect(lines({ limits: { steps: 1 } }, { limits: { steps: 2 } })).toEqual([
      "~ agent a",
      "    ~ limits.steps: 1 -> 2",
    ]);
    const long = "x".repeat(500);
    const [, head, old, fresh] = lines({ text: `${long}old` }, { text: `${long}new` });
    expect([head, old, fresh]).toEqual([
      "    ~ text:",
      `        - ...${"x".repeat(30)}old`,
      `        + ...${"x".repeat(30)}new`,
    ]);
  });

  it("show of texts with lines only those that differ, and not too many", () => {
    const shared = (middle: string) => `first\n${middle}\nlast`;
    expect(lines({ prompt: shared("old") }, { prompt: shared("new\nmore") }).slice(2)).toEqual([
      "        - old",
      "        + new",
      "        + more",
    ]);
    const many = Array.from({ length: 100 }, (_, n) => `line ${n}`).join("\n");
    expect(lines({ prompt: "a\nb" }, { prompt: many }).at(-1)).toBe("        + ... 60 more lines");
    expect(lines({ prompt: "a\na" }, { prompt: "a\na\na" }).slice(2)).toEqual(["        + a"]);
  });

  it("do not steer the terminal", () => {
    expect(lines({ name: "a" }, { name: "\u001b[2Jb" })[1]).toBe("    ~ name: a -> ?[2Jb");
  });
});
