/** A taskboard call of a model: from checked arguments to a tool result and, for refusals, rows of the record. */
import type { ActiveRun } from "../engine/active-run.ts";
import { spendingOf } from "../engine/chain-books.ts";
import type { Documents, World } from "../engine/world.ts";
import type { CallResult } from "../journal/steps.ts";
import { describeError } from "../log.ts";
import type { MessageRow, NoticeRow } from "../record/rows.ts";
import { actOnTask } from "./act.ts";
import { type Board, boardReader } from "./board.ts";
import { createTask } from "./create.ts";
import type { BoardCall } from "./functions.ts";
import { listTasks } from "./list.ts";
import { wholeTask } from "./long-fields.ts";
import type { Act } from "./policy.ts";
import { readEvents, readTask } from "./store.ts";
import type { Actor, TaskRow } from "./task.ts";
import { taskView } from "./view.ts";
import { isUnderWay } from "./vocabulary.ts";

export interface BoardCallInput {
  readonly world: World;
  readonly run: ActiveRun;
  readonly documents: Documents;
  readonly call: BoardCall;
  /** Makes the act happen once, also when the call is made again after a restart. */
  readonly uid: string;
}

export interface BoardOutcome {
  readonly result: CallResult;
  readonly rows: readonly MessageRow[];
  readonly notices: readonly NoticeRow[];
}

/** Never rejects: D1 being away is a readable error, and what was asked for is done wholly or not at all. */
export async function callBoard(input: BoardCallInput): Promise<BoardOutcome> {
  try {
    return await dispatchCall(input);
  } catch (error) {
    input.world.log.warn(`The taskboard could not be reached: ${describeError(error)}`);
    return failed(
      "failed",
      "the taskboard cannot be reached right now; look with task_list what was done before you try again later",
    );
  }
}

async function dispatchCall(input: BoardCallInput): Promise<BoardOutcome> {
  const { call, world } = input;
  switch (call.name) {
    case "task_create":
      return create(input, call.input);
    case "task_list":
      return list(input, call.input);
    case "task_get":
      return get(world.board, call.input.taskId);
    case "task_comment":
      return act(input, call.input.taskId, { kind: "comment", text: call.input.text });
    case "task_complete":
      return act(input, call.input.taskId, { kind: "complete", result: call.input.result });
    case "task_block":
      return act(input, call.input.taskId, { kind: "block", reason: call.input.reason });
    case "task_review":
      return act(input, call.input.taskId, {
        kind: "review",
        decision: call.input.decision,
        comment: call.input.comment,
      });
    case "task_cancel":
      return act(input, call.input.taskId, { kind: "cancel", reason: call.input.reason });
  }
}

/** The acting run, as the engine stamps it. */
function actorOf({ world, run, documents }: BoardCallInput): Actor {
  const { lineage, lane, taskId } = run.record;
  return {
    name: documents.agent.agentId,
    objectName: world.objectName,
    lane,
    runId: lineage.runId,
    parentRunId: lineage.parentRunId,
    rootRunId: lineage.rootRunId,
    depth: lineage.depth,
    taskId,
  };
}

async function create(
  input: BoardCallInput,
  task: Extract<BoardCall, { name: "task_create" }>["input"],
): Promise<BoardOutcome> {
  const { world, run, documents } = input;
  const created = await createTask(world.board, {
    uid: input.uid,
    creator: actorOf(input),
    task,
    directory: documents.directory,
    colleagues: documents.agent.colleagues,
    chain: world.chain(run.record.lineage.rootRunId),
    limits: documents.instance.perChain,
    spent: spendingOf(world, run),
  });
  if (created.ok) return done(short(created.task));
  const refused = failed("denied", `${created.code}: ${created.reason}`);
  return { ...refused, rows: created.rows, notices: created.notice === null ? [] : [created.notice] };
}

async function act(input: BoardCallInput, taskId: string, what: Act): Promise<BoardOutcome> {
  const acted = await actOnTask(input.world.board, {
    uid: input.uid,
    taskId,
    actor: actorOf(input),
    act: what,
  });
  return acted.ok ? done(short(acted.value)) : failed("denied", `${acted.code}: ${acted.reason}`);
}

async function list(
  input: BoardCallInput,
  filter: Extract<BoardCall, { name: "task_list" }>["input"],
): Promise<BoardOutcome> {
  const involved = input.documents.agent.agentId;
  const page = await listTasks(boardReader(input.world.board), { ...filter, involved });
  if (page === null) return failed("failed", "that is no cursor of an earlier page");
  return done({ tasks: page.tasks.map(short), cursor: page.cursor });
}

async function get(board: Board, taskId: string): Promise<BoardOutcome> {
  const reader = boardReader(board);
  const task = await readTask(reader, taskId);
  if (task === null) return failed("failed", "there is no task with that id");
  const events = await readEvents(reader, taskId);
  const history = events.map(({ kind, actor, text, occurredAt }) => ({ at: occurredAt, actor, kind, text }));
  return done({ ...taskView(await wholeTask(board.texts, task)), history });
}

function short(task: TaskRow) {
  const { taskId, title, creator, assignee, priority, status, dueAt, updatedAt } = task;
  const next = isUnderWay(status) ? {} : { reason: task.reason };
  return { taskId, title, creator, assignee, priority, status, dueAt, updatedAt, ...next };
}

function done(value: unknown): BoardOutcome {
  return { result: { outcome: "ok", error: null, content: JSON.stringify(value) }, rows: [], notices: [] };
}

function failed(outcome: "failed" | "denied", message: string): BoardOutcome {
  const content =
    outcome === "denied"
      ? `Denied (${message.split(":")[0]}): ${message.slice(message.indexOf(":") + 2)}`
      : `Failed: ${message}`;
  return { result: { outcome, error: content, content }, rows: [], notices: [] };
}
