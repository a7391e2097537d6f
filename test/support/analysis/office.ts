/** An office at work: chains with runs, questions and tasks, written down as the engine does. */
import type { TaskRow } from "../../../core/board/task.ts";
import { type MessageRow, pairKey, type ReceiptRow } from "../../../core/record/rows.ts";
import type { MessageStatus, RunStatus } from "../../../core/record/vocabulary.ts";
import { receiptRow } from "../record-rows.ts";
import { type Random, randomOf } from "./random.ts";

export interface Corpus {
  readonly messages: MessageRow[];
  readonly receipts: ReceiptRow[];
  readonly tasks: TaskRow[];
}

export interface Run {
  readonly runId: string;
  readonly rootRunId: string;
  readonly parentRunId: string | null;
  readonly agentId: string;
  readonly at: number;
}

export const MODELS: Readonly<Record<string, string>> = { ops: "local-llm", legal: "gpt-large" };

/** Writes down what happens. */
export class Office {
  readonly corpus: Corpus = { messages: [], receipts: [], tasks: [] };
  readonly random: Random;
  readonly name: string;
  #ids = 0;

  constructor(seed: number) {
    this.random = randomOf(seed);
    this.name = `s${seed}`;
  }

  /** A run that begins a chain. */
  root(agentId: string, at: number): Run {
    const runId = this.#runId(agentId);
    return { runId, rootRunId: runId, parentRunId: null, agentId, at };
  }

  child(parent: Run, agentId: string, at: number): Run {
    return {
      runId: this.#runId(agentId),
      rootRunId: parent.rootRunId,
      parentRunId: parent.runId,
      agentId,
      at,
    };
  }

  /** The run's end; `times` is how many times as much as usual it cost. */
  close(
    run: Run,
    trigger: ReceiptRow["trigger"],
    over: { readonly status?: RunStatus; readonly times?: number } = {},
  ): void {
    const model = MODELS[run.agentId] ?? "gpt-small";
    const cost = Math.round(
      2_000 * Math.exp(0.8 * this.random.normal()) * (model === "gpt-large" ? 4 : 1) * (over.times ?? 1),
    );
    const durationMs = this.random.whole(1_000, 20_000);
    this.corpus.receipts.push(
      receiptRow(run.runId, {
        rootRunId: run.rootRunId,
        parentRunId: run.parentRunId,
        agentId: run.agentId,
        trigger,
        model,
        status: over.status ?? "completed",
        costMicros: model === "local-llm" ? null : cost,
        durationMs,
        startedAt: iso(run.at),
        finishedAt: iso(run.at + durationMs),
      }),
    );
  }

  /** Question and answer with the run that answered. Answers the uid of the question. */
  ask(
    run: Run,
    to: string,
    said: {
      readonly question: string;
      readonly answer: string;
      readonly status?: MessageStatus;
      readonly at?: number;
    },
  ): string {
    const at = said.at ?? run.at + this.random.whole(500, 3_000);
    const answering = this.child(run, to, at);
    const status = said.status ?? "delivered";
    const uid = `ask:${answering.runId}`;
    const row = {
      channel: "ask",
      status,
      runId: run.runId,
      rootRunId: run.rootRunId,
      parentRunId: run.parentRunId,
    } as const;
    const request = { ...row, status: status === "denied" ? status : ("delivered" as const) };
    this.#say({
      ...request,
      uid: `${uid}:request`,
      from: run.agentId,
      to,
      direction: "request",
      content: said.question,
      at,
    });
    this.#say({
      ...row,
      uid: `${uid}:response`,
      from: to,
      to: run.agentId,
      direction: "response",
      content: said.answer,
      at: at + this.random.whole(800, 30_000),
    });
    if (status !== "denied")
      this.close(answering, "ask", { status: status === "delivered" ? "completed" : status });
    return `${uid}:request`;
  }

  /** A task with the run that works on it. Its result follows unless `status` says otherwise. */
  task(
    run: Run,
    to: string,
    given: {
      readonly title: string;
      readonly status: TaskRow["status"];
      readonly updatedAt?: number;
      readonly rejections?: number;
    },
  ): Run {
    const taskId = `t${this.name}x${this.#ids++}`;
    const at = run.at + this.random.whole(1_000, 60_000);
    const work = this.child(run, to, at + this.random.whole(500, 60_000));
    const end = work.at + this.random.whole(60_000, 7_200_000);
    const row = {
      taskId,
      runId: run.runId,
      rootRunId: run.rootRunId,
      parentRunId: run.parentRunId,
      status: "delivered",
    } as const;
    this.#say({
      ...row,
      uid: `task:${taskId}`,
      from: run.agentId,
      to,
      channel: "task",
      direction: "request",
      content: given.title,
      at,
    });
    if (given.status === "done" || given.status === "blocked")
      this.#say({
        ...row,
        uid: `result:${taskId}`,
        from: to,
        to: run.agentId,
        channel: "task_result",
        direction: "response",
        content: "Erledigt.",
        at: end,
      });
    this.corpus.tasks.push(
      taskRow({
        taskId,
        title: given.title,
        creator: run.agentId,
        assignee: to,
        status: given.status,
        rejections: given.rejections ?? 0,
        rootRunId: run.rootRunId,
        creatorRunId: run.runId,
        createdAt: iso(at),
        updatedAt: iso(given.updatedAt ?? end),
      }),
    );
    return work;
  }

  comment(
    run: Run,
    ends: readonly [from: string, to: string],
    said: { readonly content: string; readonly at: number; readonly taskId: string },
  ): void {
    const [from, to] = ends;
    this.#say({
      uid: `comment:${this.name}:${this.#ids++}`,
      from,
      to,
      channel: "task_comment",
      direction: "request",
      content: said.content,
      at: said.at,
      taskId: said.taskId,
      runId: run.runId,
      rootRunId: run.rootRunId,
      parentRunId: run.parentRunId,
      status: "delivered",
    });
  }

  #runId(agentId: string): string {
    return `${agentId}.${this.name}${String(this.#ids++).padStart(9, "0")}`;
  }

  #say(
    said: Omit<MessageRow, "pairKey" | "fromAgentId" | "toAgentId" | "occurredAt" | "taskId"> & {
      readonly from: string;
      readonly to: string;
      readonly at: number;
      readonly taskId?: string;
    },
  ): void {
    const { from, to, at, taskId = null, ...row } = said;
    this.corpus.messages.push({
      ...row,
      taskId,
      fromAgentId: from,
      toAgentId: to,
      pairKey: pairKey(from, to),
      occurredAt: iso(at),
    });
  }
}

export const iso = (ms: number) => new Date(ms).toISOString();

export function taskRow(over: Partial<TaskRow>): TaskRow {
  return {
    taskId: "t",
    title: "",
    description: "",
    acceptance: null,
    creator: "",
    assignee: "",
    priority: "normal",
    status: "open",
    dueAt: null,
    result: null,
    reason: null,
    parentTaskId: null,
    stages: "[]",
    attempts: 1,
    rejections: 0,
    runId: null,
    rootRunId: "",
    createdAt: "",
    updatedAt: "",
    worker: null,
    creatorObject: null,
    creatorLane: "isolated",
    creatorRunId: "",
    depth: 1,
    leaseUntil: null,
    commentWakes: 0,
    told: "[]",
    longTexts: null,
    version: 1,
    ...over,
  };
}
