import { describe, expect, it } from "vitest";
import { readArguments } from "../../scripts/demo/arguments.mjs";
import { createScreen } from "../../scripts/demo/screen.mjs";
import { textsIn } from "../../scripts/demo/texts.mjs";
import { chainTree } from "../../scripts/demo/tree.mjs";

describe("the demo's arguments", () => {
  it.each([
    [[], {}, { language: "en", keep: false }],
    [[], { LANG: "de_AT.UTF-8" }, { language: "de", keep: false }],
    [[], { LANG: "fr_FR.UTF-8" }, { language: "en", keep: false }],
    [["--lang", "en", "--keep"], { LANG: "de_DE" }, { language: "en", keep: true }],
    [["--lang=de"], {}, { language: "de", keep: false }],
  ])("%j with %j", (args, environment, expected) => {
    expect(readArguments(args, environment)).toEqual(expected);
  });

  it.each([[["--lang", "fr"]], [["--lang"]], [["--loud"]]])("are refused when unknown: %j", (args) => {
    expect(() => readArguments(args, {})).toThrow();
  });
});

describe("the demo's screen", () => {
  function screenOn(out: { isTTY?: boolean; columns?: number }, environment = {}) {
    const written: string[] = [];
    const screen = createScreen({ ...out, write: (text: string) => written.push(text) }, environment);
    return { screen, text: () => written.join("") };
  }

  it("has colours on a terminal, unless NO_COLOR says otherwise", () => {
    const paint = (isTTY: boolean, environment: { NO_COLOR?: string }) =>
      screenOn({ isTTY }, environment).screen.paint("red", "word");
    expect(paint(true, {})).toBe("\u001b[31mword\u001b[0m");
    expect(paint(true, { NO_COLOR: "1" })).toBe("word");
    expect(paint(false, {})).toBe("word");
  });

  it("breaks lines at spaces and indents what follows", () => {
    const { screen, text } = screenOn({ columns: 60 });
    screen.event(1.24, "a: ", `${"word ".repeat(12)}end\nnext`);
    const lines = text().split("\n");
    expect(lines[0]).toBe(`   1.2 s  a: ${"word ".repeat(9)}`.trimEnd());
    expect(lines.slice(1)).toEqual(["          word word word end", "          next", ""]);
    expect(lines.every((line) => line.length <= 60)).toBe(true);
  });

  it("lets no agent's text steer the terminal", () => {
    const { screen, text } = screenOn({ isTTY: true }, { NO_COLOR: "1" });
    screen.event(0, "a: ", "\u001b[2Jred\u001b[31m\rover\u0007");
    screen.paragraph("\u001b]0;title\u0007said");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must be absent
    expect(text()).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(text()).toContain("red over");
  });
});

describe("the tree of a chain", () => {
  const run = (runId: string, parentRunId: string | null, more = {}) => ({
    runId,
    parentRunId,
    agentId: runId,
    trigger: "ask",
    model: "scripted",
    status: "completed",
    admittedAt: "2026-01-01T00:00:00.000Z",
    startedAt: `2026-01-01T00:00:0${runId.length}.000Z`,
    durationMs: 1_234,
    costUsd: 0.000_65,
    ...more,
  });

  it("shows each run below its parent, in the order of their start", () => {
    const runs = [run("ccc", "a"), run("a", null), run("bb", "a"), run("dddd", "bb"), run("lost", "gone")];
    const names = chainTree(runs, textsIn("en")).map((line) => /^.*?\w+/.exec(line)?.[0]);
    expect(names).toEqual(["agent", "a", "|-- bb", "|   `-- dddd", "`-- ccc", "lost"]);
  });

  it("says unknown, never nothing, where the cost is not known", () => {
    const [, priced, unpriced] = chainTree(
      [run("a", null), run("bb", "a", { costUsd: null })],
      textsIn("en"),
    );
    expect(priced).toMatch(/ask +scripted +completed +1\.2 s +\$0\.000650$/);
    expect(unpriced).toMatch(/unknown$/);
  });

  it("shows a run that is under way without an end", () => {
    const waiting = { runId: "a", parentRunId: null, agentId: "a", trigger: "chat", status: null };
    const lines = chainTree([{ ...waiting, admittedAt: "2026-01-01T00:00:00.000Z" }], textsIn("de"));
    expect(lines[1]).toMatch(/^a +Chat +läuft$/);
  });
});
