import { describe, expect, it } from "vitest";
import { readArguments } from "../../scripts/demo/arguments.mjs";
import { taskBoard } from "../../scripts/demo/board.mjs";
import { type Reading, waitForQuiet } from "../../scripts/demo/quiet.mjs";
import { createScreen } from "../../scripts/demo/screen.mjs";
import { createTaskNews } from "../../scripts/demo/task-news.mjs";
import { textsIn } from "../../scripts/demo/texts.mjs";
import { chainTree, personActs } from "../../scripts/demo/tree.mjs";

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

  it("puts what came of a person's act below it", () => {
    const at = { occurredAt: "2026-01-01T00:00:09.000Z" };
    const acts = personActs([
      { runId: "@human.1", parentRunId: "a", ...at },
      { runId: "@human.1", parentRunId: "a", ...at },
      { runId: "a", parentRunId: null, ...at },
    ]);
    const lines = chainTree([run("a", null), run("bb", "@human.1"), ...acts], textsIn("en"));
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/^`-- @human +act$/),
      expect.stringMatching(/^ {4}`-- bb +ask/),
    ]);
  });
});

describe("the board of a chain", () => {
  const task = (title: string, more = {}) => ({
    ...{ title, creator: "desk", assignee: "worker", status: "done", attempts: 1, rejections: 0 },
    ...{
      result: "Here it is.",
      reason: null,
      stages: [],
      createdAt: `2026-01-01T00:00:0${title.length}.000Z`,
    },
    ...more,
  });

  it("shows a stage below the task that it follows, each task with what came of it", () => {
    const second = { title: "ccc", assignee: "books" };
    const tasks = [
      task("bb", { status: "blocked", result: null, reason: "No van." }),
      task("ccc", { assignee: "books" }),
      task("a", { stages: [second], attempts: 2, rejections: 1 }),
    ];
    expect(taskBoard(tasks, textsIn("en"))).toEqual([
      "task     from  to      status   runs  sent back",
      "a        desk  worker  done        2          1",
      "  result: Here it is.",
      "`-- ccc  desk  books   done        1          0",
      "      result: Here it is.",
      "bb       desk  worker  blocked     1          0",
      "  reason: No van.",
    ]);
  });

  it("takes each stage once, also when two tasks have equal ones", () => {
    const stages = [{ title: "next", assignee: "worker" }];
    const tasks = [task("a", { stages }), task("bb", { stages }), task("next"), task("next")];
    const titles = taskBoard(tasks, textsIn("de")).filter((line) => !line.includes("Ergebnis"));
    expect(titles.slice(1).map((line) => line.slice(0, 8).trim())).toEqual([
      "a",
      "`-- next",
      "bb",
      "`-- next",
    ]);
  });
});

describe("the demo's wait for the end of a chain", () => {
  const run = (status: string | null) => ({ runId: "r", status });
  const task = (status: string, assignee = "worker") => ({ taskId: assignee, assignee, status });
  const reading = (runs: Reading["chain"]["runs"], tasks: Reading["chain"]["tasks"] = [], queued = 0) => ({
    chain: { runs, tasks },
    agents: [{ state: "idle", queued }],
  });

  /** Plays the readings, the last one for ever. */
  async function waitThrough(readings: readonly Reading[]) {
    const left = [...readings];
    const answered: string[] = [];
    let reads = 0;
    const open = await waitForQuiet({
      read: async () => {
        reads += 1;
        const next = left.length > 1 ? left.shift() : left[0];
        return next ?? reading([]);
      },
      onReading: () => undefined,
      answer: async ({ taskId }) => {
        answered.push(taskId);
      },
      pause: async () => undefined,
    });
    return { open, answered, reads };
  }

  it("goes on while a run is open, a task moves or an agent has something in its queue", async () => {
    const ended = [run("completed")];
    const busy = [
      reading([run(null)]),
      reading(ended, [task("running")]),
      reading(ended, [task("done")], 1),
      reading(ended, [task("done")]),
    ];
    expect(await waitThrough(busy)).toEqual({ open: [], answered: [], reads: 5 });
  });

  it("does not take the moment between two runs for the end", async () => {
    const { reads } = await waitThrough([
      reading([run("completed")]),
      reading([run("completed"), { runId: "later", status: "completed" }]),
    ]);
    expect(reads).toBe(3);
  });

  it("answers for the person only when everything else rests, and hears what comes of it", async () => {
    const asked = (other: string) => reading([run("completed")], [task(other), task("open", "@human")]);
    const after = [task("blocked"), task("done", "@human")];
    const quiet = await waitThrough([
      asked("running"),
      asked("blocked"),
      asked("blocked"),
      reading([run("completed"), { runId: "wake", status: null }], after),
      reading([run("completed"), { runId: "wake", status: "completed" }], after),
    ]);
    expect(quiet).toEqual({ open: [], answered: ["@human"], reads: 6 });
  });

  it("names the tasks that nobody goes on with", async () => {
    const { open } = await waitThrough([reading([run("completed")], [task("review"), task("blocked")])]);
    expect(open).toEqual([task("review")]);
  });

  it("gives up on a task that never comes to an end", async () => {
    const { open, reads } = await waitThrough([reading([run("completed")], [task("running")])]);
    expect(open).toEqual([task("running")]);
    expect(reads).toBeGreaterThan(100);
  });
});

describe("the demo's news of tasks", () => {
  const event = (kind: string, actor: string, text: string) => ({ kind, actor, text });
  const created = event("created", "desk", "Letter");
  const task = (more = {}) => ({
    ...{ taskId: "t1", title: "Letter", description: "Write it.\n\nMore.", assignee: "worker" },
    ...{ status: "open", updatedAt: "1", stages: [], events: [created] },
    ...more,
  });

  function newsFrom(read: (path: string) => unknown) {
    const written: string[] = [];
    const screen = createScreen({ columns: 100, write: (text: string) => written.push(text) }, {});
    const context = { screen, texts: textsIn("en"), scripted: new Set(["desk"]), elapsed: () => 1 };
    const news = createTaskNews(
      { ...context, whenSilent: (print) => print() },
      { get: async (path) => read(path) },
    );
    return { news, lines: () => written.map((line) => line.trim().replace("1.0 s  ", "")) };
  }

  it("tells each event once, however often it hears of the task", async () => {
    const states = [
      task(),
      task({ status: "review", updatedAt: "2", events: [created, event("completed", "worker", "Dear all")] }),
    ];
    let now = task();
    const { news, lines } = newsFrom(() => now);
    for (const state of states) {
      now = state;
      news.task(state);
      news.task(state);
      await news.settled();
    }
    expect(lines()).toEqual([
      "desk (scripted) gives worker a task: Letter. Write it.",
      'worker hands in "Letter": Dear all',
    ]);
  });

  it("says that a stage was made by the engine", async () => {
    const tasks = new Map([
      ["/api/tasks/t1", task({ status: "done", stages: [{ title: "Booking", assignee: "books" }] })],
      ["/api/tasks/t2", task({ taskId: "t2", title: "Booking", assignee: "books" })],
    ]);
    const { news, lines } = newsFrom((path) => tasks.get(path));
    news.task(task({ status: "done" }));
    news.task(task({ taskId: "t2" }));
    await news.settled();
    expect(lines()[1]).toBe("Next stage, made by the engine: desk -> books: Booking. Write it.");
  });

  it("reads again later what could not be read, and tells an ended run's words once", async () => {
    const answers: unknown[] = [null, { run: { reply: "All is well." } }];
    const { news, lines } = newsFrom(() => answers.shift());
    const run = { runId: "r", agentId: "desk", status: "completed" };
    news.run({ ...run, status: null });
    for (let times = 0; times < 3; times += 1) news.run(run);
    await news.settled();
    expect(lines()).toEqual(["desk (scripted): All is well."]);
  });
});
