/**
 * The taskboard of the demo team's walk: the board's own rules and texts, but no storage, no chain and no gate. Runs
 * that it orders wait in `orders` until somebody does them.
 */
import { type BoardCall, isBoardFunction, parseBoardCall } from "../../core/board/functions.ts";
import { type RunOrder, resultText, wakeOrder, workOrder } from "../../core/board/orders.ts";
import { type Act, type Change, decide } from "../../core/board/policy.ts";
import type { Actor, Stage, TaskRow } from "../../core/board/task.ts";
import { assigneeName, HUMAN, isUnderWay, workerObject } from "../../core/board/vocabulary.ts";
import { ownJson } from "../../core/journal/database.ts";

type NewTask = Extract<BoardCall, { name: "task_create" }>["input"];

const AT = "2026-01-01T00:00:00.000Z";

/** Somebody who acts: an agent's object in a run, or a person. */
export function actorOf(objectName: string | null, run: { runId: string; taskId: string | null }): Actor {
  const name = objectName === null ? HUMAN : (objectName.split("@")[0] ?? objectName);
  return { name, objectName, lane: "conversation", parentRunId: null, rootRunId: "root", depth: 1, ...run };
}

export class DemoBoard {
  readonly orders: RunOrder[] = [];
  readonly #tasks = new Map<string, TaskRow>();
  #runs = 0;

  get tasks(): TaskRow[] {
    return [...this.#tasks.values()];
  }

  /** What a call of the taskboard's functions answers; `mayGive` says whom the actor may give work to. */
  call(name: string, args: unknown, by: { actor: Actor; mayGive: (agentId: string) => boolean }): string {
    if (!isBoardFunction(name)) throw new Error(`${name} is no function of the taskboard.`);
    const parsed = parseBoardCall(name, args);
    if (!parsed.ok) throw new Error(`${name}: ${JSON.stringify(parsed.issues)}`);
    const { call } = parsed;
    if (call.name === "task_list") return JSON.stringify({ tasks: this.tasks.map(short), cursor: null });
    if (call.name === "task_create") return this.#give(call.input, by);
    return this.act(call.input.taskId, actOf(call), by.actor);
  }

  act(taskId: string, act: Act, actor: Actor): string {
    const task = this.#tasks.get(taskId);
    if (task === undefined) return "Denied (no_such_task): there is no task with that id";
    const decided = decide(task, act, actor);
    if (!decided.ok) return `Denied (${decided.code}): ${decided.reason}`;
    return JSON.stringify(short(this.#change(task, decided.value, actor)));
  }

  /** A person answers every task that is a person's. */
  answer(result: string): void {
    for (const task of this.tasks)
      if (task.assignee === HUMAN && isUnderWay(task.status))
        this.act(
          task.taskId,
          { kind: "complete", result },
          actorOf(null, { runId: this.#runId(), taskId: null }),
        );
  }

  #give(input: NewTask, by: { actor: Actor; mayGive: (agentId: string) => boolean }): string {
    const { actor } = by;
    const denied = [input, ...input.stages].find(
      ({ assignee }) => assignee !== HUMAN && !by.mayGive(assigneeName(assignee)),
    );
    if (denied !== undefined)
      return `Denied (not_colleague): ${denied.assignee} is not among your colleagues`;
    return JSON.stringify(short(this.#create(input, actor)));
  }

  #create(input: NewTask, creator: Actor): TaskRow {
    const taskId = `t${this.#tasks.size + 1}`;
    const worker = workerObject(input.assignee, taskId);
    const task: TaskRow = {
      ...{ taskId, title: input.title, description: input.description, acceptance: input.acceptance ?? null },
      ...{ creator: creator.name, assignee: input.assignee, priority: input.priority, status: "open" },
      ...{
        dueAt: null,
        result: null,
        reason: null,
        parentTaskId: null,
        stages: JSON.stringify(input.stages),
      },
      ...{ attempts: worker === null ? 0 : 1, rejections: 0, runId: worker === null ? null : this.#runId() },
      ...{ rootRunId: "root", createdAt: AT, updatedAt: AT, worker, creatorObject: creator.objectName },
      ...{ creatorLane: creator.lane, creatorRunId: creator.runId, depth: creator.depth, leaseUntil: null },
      ...{ commentWakes: 0, told: "[]", longTexts: null, version: 1 },
    };
    this.#put(task);
    this.#offer(task, "");
    return task;
  }

  #change(before: TaskRow, change: Change, actor: Actor): TaskRow {
    const again = change.offer === true ? { runId: this.#runId(), attempts: before.attempts + 1 } : {};
    const task: TaskRow = {
      ...before,
      status: change.status ?? before.status,
      result: change.result ?? before.result,
      reason: change.reason === undefined ? before.reason : change.reason,
      rejections: change.rejections ?? before.rejections,
      ...again,
    };
    this.#put(task);
    if (change.offer === true) this.#offer(task, `- ${actor.name} ${change.event}: ${change.text}`);
    if (change.wakeCreator === true) this.#wakeCreator(task, actor);
    if (task.status === "done") this.#nextStage(task);
    return task;
  }

  #offer(task: TaskRow, history: string): void {
    if (task.worker === null || task.runId === null) return;
    this.orders.push(workOrder(task, { worker: task.worker, runId: task.runId, history }));
  }

  #wakeCreator(task: TaskRow, actor: Actor): void {
    if (task.creatorObject === null) return;
    const wake = { objectName: task.creatorObject, lane: task.creatorLane, runId: this.#runId() };
    this.orders.push(wakeOrder(task, { ...wake, text: resultText(task), actor, taskId: null }));
  }

  #nextStage(task: TaskRow): void {
    const [stage, ...later] = ownJson<readonly Stage[]>(task.stages);
    if (stage === undefined) return;
    const attached = `Result of the stage before (${task.title}, task ${task.taskId}):\n${task.result ?? ""}`;
    const description = `${stage.description}\n\n${attached}`;
    const creator = actorOf(task.creatorObject, { runId: "stage", taskId: null });
    this.#create({ ...stage, description, priority: task.priority, stages: later }, creator);
  }

  #put(task: TaskRow): void {
    this.#tasks.set(task.taskId, task);
  }

  #runId(): string {
    this.#runs += 1;
    return `run${this.#runs}`;
  }
}

function actOf(call: Exclude<BoardCall, { name: "task_create" | "task_list" }>): Act {
  switch (call.name) {
    case "task_comment":
      return { kind: "comment", ...call.input };
    case "task_complete":
      return { kind: "complete", ...call.input };
    case "task_block":
      return { kind: "block", ...call.input };
    case "task_review":
      return { kind: "review", ...call.input };
    case "task_cancel":
      return { kind: "cancel", ...call.input };
    case "task_get":
      throw new Error("The walk reads no single task.");
  }
}

const short = ({ taskId, title, assignee, status }: TaskRow) => ({ taskId, title, assignee, status });
