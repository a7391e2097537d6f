import { describe, expect, it } from "vitest";
import { type Line, transcriptLines } from "../../../ui/src/chain/transcript.ts";
import { buildTree } from "../../../ui/src/chain/tree.ts";
import { at, message, run, START } from "./chain-runs.ts";

const unfolded = () => false;
const folded = () => true;

function short(line: Line): string {
  return line.kind === "message"
    ? `${line.level} ${line.message.content}`
    : `${line.level} [${line.row.run.runId}${line.folded ? ` +${line.inner}` : ""}]`;
}

interface Said {
  readonly content: string;
  readonly ms: number;
}

const asked = (from: string, to: string, { content, ms }: Said) =>
  message({ runId: from, from: from, to: to }, { content, occurredAt: at(ms) });
const answered = (to: string, from: string, { content, ms }: Said) =>
  message({ runId: to, from: from, to: to }, { content, occurredAt: at(ms), direction: "response" });

describe("a chain as a conversation", () => {
  const rows = buildTree(
    [
      run("lead", null, { endedAt: at(9_000) }),
      run("expert", "lead", { begunAt: at(100) }),
      run("clerk", "expert", { begunAt: at(200) }),
      run("scout", "lead", { begunAt: at(150) }),
    ],
    START,
  );
  const messages = [
    asked("lead", "expert", { content: "how many?", ms: 110 }),
    asked("lead", "scout", { content: "how far?", ms: 160 }),
    asked("expert", "clerk", { content: "count them", ms: 210 }),
    answered("expert", "clerk", { content: "seven", ms: 300 }),
    answered("lead", "expert", { content: "seven, counted", ms: 400 }),
    answered("lead", "scout", { content: "two miles", ms: 900 }),
  ];

  it("puts what a colleague did between the question and the answer", () => {
    expect(transcriptLines({ rows, messages, tasks: [] }, unfolded).map(short)).toEqual([
      "1 [lead]",
      "2 how many?",
      "2 [expert]",
      "3 count them",
      "3 [clerk]",
      "4 seven",
      "3 seven, counted",
      "2 how far?",
      "2 [scout]",
      "3 two miles",
    ]);
  });

  it("leaves the first and the last line of a folded group, and says how many are between", () => {
    const only = transcriptLines({ rows, messages, tasks: [] }, (row) => row.run.runId === "expert");
    expect(only.map(short).slice(1, 4)).toEqual(["2 how many?", "2 [expert +3]", "3 seven, counted"]);
    expect(transcriptLines({ rows, messages, tasks: [] }, folded).map(short)).toEqual([
      "1 [lead +8]",
      "3 two miles",
    ]);
  });

  it("folds no group that has nothing between its first and its last line", () => {
    const lines = transcriptLines({ rows, messages, tasks: [] }, (row) => row.run.runId === "scout");
    expect(lines.map(short).slice(-3)).toEqual(["2 how far?", "2 [scout]", "3 two miles"]);
  });

  it("keeps denied questions with who asked, and never takes them for what woke a run", () => {
    const denied = asked("lead", "expert", { content: "no", ms: 50 });
    const lines = transcriptLines(
      { rows, messages: [{ ...denied, status: "denied" }, ...messages], tasks: [] },
      unfolded,
    );
    expect(lines.map(short).slice(0, 4)).toEqual(["1 [lead]", "2 no", "2 how many?", "2 [expert]"]);
  });

  it("matches a task's run to its task, and the act of a person stands before what it caused", () => {
    const act = "@human.mx3mk6xma1c2b4ff238643b4";
    const task = (taskId: string, content: string) =>
      message({ runId: act, from: "@human", to: "clerk" }, { channel: "task", taskId, content });
    const runs = buildTree(
      [
        run("clerk", act, { trigger: "task", runId: "clerk.2", agentId: "clerk" }),
        run("clerk", act, { trigger: "task", runId: "clerk.1", agentId: "clerk", begunAt: at(1) }),
      ],
      START,
    );
    const done = message(
      { runId: "clerk.1", from: "clerk", to: "@human" },
      {
        channel: "task_result",
        direction: "response",
        content: "done",
      },
    );
    const lines = transcriptLines(
      {
        rows: runs,
        messages: [task("t1", "first"), task("t2", "second"), done],
        tasks: [
          { taskId: "t1", runId: "clerk.1" },
          { taskId: "t2", runId: "clerk.2" },
        ],
      },
      unfolded,
    );
    expect(lines.map(short)).toEqual(["1 first", "1 [clerk.1]", "2 done", "1 second", "1 [clerk.2]"]);
  });

  it("has every message once, also of runs that are not there", () => {
    const lost = message({ runId: "elsewhere", from: "x", to: "y" }, { content: "lost", occurredAt: at(0) });
    const lines = transcriptLines({ rows, messages: [lost, ...messages], tasks: [] }, unfolded);
    const said = lines.flatMap((line) => (line.kind === "message" ? [line.message.uid] : []));
    expect(said.toSorted()).toEqual([lost, ...messages].map(({ uid }) => uid).toSorted());
    expect(lines.map(short)[0]).toBe("1 lost");
  });
});
