import { describe, expect, it } from "vitest";
import type { Task } from "../../../ui/src/api/types.ts";
import { hear, merge, taskOf } from "../../../ui/src/tasks/gathered.ts";
import { EMPTY_TASK, readDraft, taskBody } from "../../../ui/src/tasks/new-task.ts";
import {
  allowedActs,
  byUrgency,
  COLUMNS,
  isOverdue,
  matches,
  STATUSES_OF,
  waitsForPerson,
} from "../../../ui/src/tasks/rules.ts";

const task = (changes: Partial<Task> = {}): Task => ({
  taskId: "t1",
  title: "Count the beans",
  description: "All sorts",
  acceptance: null,
  creator: "@human",
  assignee: "clerk",
  priority: "normal",
  status: "open",
  dueAt: null,
  result: null,
  reason: null,
  parentTaskId: null,
  stages: [],
  attempts: 1,
  rejections: 0,
  runId: "clerk.1",
  rootRunId: "@human.1",
  createdAt: "2026-11-30T10:00:00.000Z",
  updatedAt: "2026-11-30T10:00:00.000Z",
  truncated: false,
  ...changes,
});
const only = (changes: Partial<Task> = {}) => merge(new Map(), [task(changes)]);
const run = (state: string, runId = "clerk.1") => ({ type: "run", data: { runId, state } }) as const;

describe("what a person may do with a task", () => {
  it.each([
    ["open", "@human", ["complete", "block", "comment", "cancel"]],
    ["open", "clerk", ["comment", "cancel"]],
    ["running", "clerk", ["comment", "cancel"]],
    ["review", "clerk", ["accept", "reject", "comment", "cancel"]],
    ["blocked", "@human", ["comment", "cancel"]],
    ["done", "clerk", ["comment"]],
    ["cancelled", "@human", ["comment"]],
  ] as const)("%s, for %s: %j", (status, assignee, acts) => {
    expect(allowedActs(task({ status, assignee }))).toEqual(acts);
  });
});

describe("the board", () => {
  it("has exactly one column for each status", () => {
    const statuses = COLUMNS.flatMap((column) => STATUSES_OF[column]);
    expect(new Set(statuses).size).toBe(statuses.length);
    expect(statuses).toHaveLength(8);
  });

  it("counts as waiting for a person what nobody else will do", () => {
    expect(waitsForPerson(task({ assignee: "@human" }))).toBe(true);
    expect(waitsForPerson(task({ status: "review" }))).toBe(true);
    expect(waitsForPerson(task({ status: "review", creator: "lead" }))).toBe(false);
    expect(waitsForPerson(task({ status: "blocked", assignee: "@human" }))).toBe(false);
  });

  it("puts the urgent first, then what has waited longest", () => {
    const older = task({ taskId: "old", createdAt: "2026-11-01T10:00:00.000Z" });
    const newer = task({ taskId: "new" });
    const urgent = task({ taskId: "urgent", priority: "urgent" });
    expect([newer, older, urgent].sort(byUrgency).map(({ taskId }) => taskId)).toEqual([
      "urgent",
      "old",
      "new",
    ]);
  });

  it("calls overdue what is late and not over", () => {
    const dueAt = "2026-11-30T10:00:00.000Z";
    expect(isOverdue(task({ dueAt }), Date.parse(dueAt) + 1)).toBe(true);
    expect(isOverdue(task({ dueAt }), Date.parse(dueAt) - 1)).toBe(false);
    expect(isOverdue(task({ dueAt, status: "done" }), Date.parse(dueAt) + 1)).toBe(false);
  });

  it("finds a task by all words of its texts, whatever their case", () => {
    const found = (text: string, assignee = "") => matches(task({ result: "412 kg" }), { assignee, text });
    expect(found("BEANS 412")).toBe(true);
    expect(found("beans pears")).toBe(false);
    expect(found("", "clerk")).toBe(true);
    expect(found("", "@new:clerk")).toBe(false);
  });
});

describe("what is heard of tasks", () => {
  it("keeps the later of two states, in whatever order they come", () => {
    const later = task({ status: "done", updatedAt: "2026-11-30T11:00:00.000Z" });
    expect(merge(only(), [later]).get("t1")?.status).toBe("done");
    expect(merge(merge(new Map(), [later]), [task()]).get("t1")?.status).toBe("done");
  });

  it("takes the start of the task's run for the task's start, and of no other run", () => {
    expect(hear(only(), run("queued")).get("t1")?.status).toBe("dispatched");
    expect(hear(only({ status: "dispatched" }), run("started")).get("t1")?.status).toBe("running");
    expect(hear(only(), run("started", "clerk.2")).get("t1")?.status).toBe("open");
    expect(hear(only({ status: "done" }), run("started")).get("t1")?.status).toBe("done");
  });

  it("takes nothing for a task that is none", () => {
    for (const data of [null, {}, { task: null }, { task: { taskId: 1 } }, "task"])
      expect(taskOf(data)).toBeNull();
    expect(taskOf({ task: task() })?.taskId).toBe("t1");
  });
});

describe("a task that is being written", () => {
  const written = { ...EMPTY_TASK, title: "A", description: "B", assignee: "clerk" };

  it("leaves out what is empty", () => {
    expect(taskBody(written)).toEqual({
      title: "A",
      description: "B",
      assignee: "clerk",
      priority: "normal",
      stages: [],
    });
  });

  it("sends the due time of the viewer's zone as a moment", () => {
    const { dueAt } = taskBody({ ...written, due: "2026-12-01T12:00" });
    expect(dueAt).toBe(new Date(2026, 11, 1, 12).toISOString());
  });

  it("is the same after it was kept as a draft", () => {
    const stage = { title: "C", description: "D", assignee: "@human", acceptance: "E" };
    const whole = {
      ...written,
      priority: "high",
      due: "2026-12-01T12:00",
      parentTaskId: "t0",
      stages: [stage],
    };
    expect(readDraft(JSON.stringify(whole))).toEqual(whole);
  });

  it.each(["", "{", "null", "[]", '{"title":1,"stages":"x"}', '{"stages":[null]}'])(
    "is empty or nearly so after a draft that is none: %s",
    (draft) => {
      const { stages, ...rest } = readDraft(draft);
      expect({ ...rest, stages: [] }).toEqual(EMPTY_TASK);
      for (const stage of stages) expect(stage.title).toBe("");
    },
  );
});
