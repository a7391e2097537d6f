/** Gives work away: checks who may, asks the chain, and writes task, event, row and first run in one batch. */

import type { Admission, ChainLimits, RunSpent } from "../chain/budget.ts";
import type { ChainPort, DirectoryEntry } from "../engine/world.ts";
import type { MessageRow, NoticeRow } from "../record/rows.ts";
import { type Board, boardReader, isoNow } from "./board.ts";
import { deliverOrders } from "./deliver.ts";
import { idsOfAct } from "./ids-of-act.ts";
import { fitTask } from "./long-fields.ts";
import { humanNotice, newTaskParts, requestRow, type TaskParts, taskText } from "./new-task.ts";
import { readTask, taskOfAct } from "./store.ts";
import type { Actor, BoardRefusalCode, NewTask, TaskRow } from "./task.ts";
import { assigneeName, HUMAN, isOver, workerObject } from "./vocabulary.ts";
import { type Written, writeBoard } from "./write-board.ts";

export interface CreateInput {
  readonly uid: string;
  readonly creator: Actor;
  readonly task: NewTask;
  readonly directory: readonly DirectoryEntry[];
  /** Whom the creator may give tasks to: ids, or "*" for everybody. */
  readonly colleagues: readonly string[];
  readonly chain: ChainPort;
  readonly limits: ChainLimits;
  readonly spent: RunSpent;
}

export type CreateResult =
  | { readonly ok: true; readonly task: TaskRow }
  /** The rows tell the record of the refusal; the caller puts them there. */
  | {
      readonly ok: false;
      readonly code: BoardRefusalCode;
      readonly reason: string;
      readonly rows: readonly MessageRow[];
      readonly notice: NoticeRow | null;
    };

/** Rejects only when D1 or the chain does; nothing is half done then. */
export async function createTask(board: Board, input: CreateInput): Promise<CreateResult> {
  const at = isoNow(board);
  const before = await taskOfAct(boardReader(board), input.uid);
  if (before !== null) return { ok: true, task: before };
  const denied = firstDenied(input) ?? (await parentDenied(board, input));
  if (denied !== null) return refusedCreate(input, at, denied);
  const ids = await idsOfAct(input.uid, input.creator);
  const worker = workerObject(input.task.assignee, ids.taskId);
  const firstRunId = worker === null ? null : ids.runId(worker);
  const admission = firstRunId === null ? ADMITTED : await admit(input, firstRunId);
  if (!admission.ok) return refusedCreate(input, at, admission);
  const parts = newTaskParts(board, { ...input, at, taskId: ids.taskId, firstRunId });
  const task = await fitTask(board.texts, parts.task);
  const written = await writeOrWithdraw(board, input, { ...parts, task });
  if (written !== "written")
    return { ok: true, task: (await taskOfAct(boardReader(board), input.uid)) ?? task };
  await deliverOrders(board, parts.orders);
  return { ok: true, task };
}

/** A run that is not ordered after all must not stay a member of its chain. */
async function writeOrWithdraw(board: Board, input: CreateInput, parts: TaskParts): Promise<Written> {
  const { task, events, messages, orders } = parts;
  try {
    return await writeBoard(board, {
      changed: null,
      created: [task],
      events,
      messages,
      notices: humanNotice(task),
      orders,
      at: task.createdAt,
    });
  } catch (error) {
    if (task.runId !== null) await input.chain.remove(task.runId).catch(() => undefined);
    throw error;
  }
}

const ADMITTED: Admission = { ok: true };

function admit(input: CreateInput, runId: string): Promise<Admission> {
  const { creator } = input;
  const member = {
    runId,
    agentId: assigneeName(input.task.assignee),
    parentRunId: creator.runId,
    depth: creator.depth + 1,
    trigger: "task",
  } as const;
  return input.chain.admit(member, input.limits, input.spent);
}

type Denied = { readonly code: BoardRefusalCode; readonly reason: string };

/** The first of the assignees, stages included, that does not exist or may not be given work. */
function firstDenied(input: CreateInput): Denied | null {
  for (const { assignee } of [input.task, ...input.task.stages]) {
    const denied = assigneeDenied(input, assignee);
    if (denied !== null) return denied;
  }
  return null;
}

function assigneeDenied(input: CreateInput, assignee: string): Denied | null {
  if (assignee === HUMAN) return null;
  const name = assigneeName(assignee);
  const { creator, colleagues, directory } = input;
  const offer = `Assignees: ${[...directory.map((entry) => entry.agentId).slice(0, 50), HUMAN].join(", ")}, or @new:<agent>.`;
  if (!directory.some((entry) => entry.agentId === name))
    return {
      code: "unknown_agent",
      reason: `there is no agent ${JSON.stringify(name.slice(0, 63))}. ${offer}`,
    };
  if (
    creator.name === HUMAN ||
    name === creator.name ||
    colleagues.includes("*") ||
    colleagues.includes(name)
  )
    return null;
  return { code: "not_colleague", reason: `${name} is not among your colleagues` };
}

/** A subtask holds its parent up, so the parent must be there, unfinished, and the creator's business. */
async function parentDenied(board: Board, input: CreateInput): Promise<Denied | null> {
  const { creator, task } = input;
  if (task.parentTaskId === undefined || task.parentTaskId === creator.taskId) return null;
  const parent = await readTask(boardReader(board), task.parentTaskId);
  if (parent === null) return { code: "no_such_task", reason: "there is no parent task with that id" };
  if (isOver(parent.status)) return { code: "already_over", reason: `the parent task is ${parent.status}` };
  const involved = [HUMAN, parent.creator, assigneeName(parent.assignee)].includes(creator.name);
  return involved ? null : { code: "not_yours", reason: "the parent task is neither from you nor for you" };
}

function refusedCreate(input: CreateInput, at: string, denied: Denied): CreateResult {
  const to = recordedName(input.task.assignee);
  const content = `${taskText(input.task)}\n\nDenied (${denied.code}): ${denied.reason}`;
  const row = requestRow(
    { uid: input.uid, at, creator: input.creator },
    { to, status: "denied", content, taskId: null },
  );
  return { ok: false, ...denied, rows: [row], notice: limitNotice(input, at, denied) };
}

function recordedName(assignee: string): string {
  const cleaned = assigneeName(assignee)
    .replace(/[|\p{C}]/gu, "")
    .trim();
  return Array.from(cleaned).slice(0, 63).join("") || "unknown";
}

/**
 * A chain that wants to go on beyond its limits is told to a person once: its Uid is that of the chain's first
 * freeze, which is where a chain at its limit often ends.
 */
function limitNotice(input: CreateInput, at: string, denied: Denied): NoticeRow | null {
  if (denied.code !== "depth" && denied.code !== "runs") return null;
  const { rootRunId, name } = input.creator;
  return {
    uid: `frozen:${rootRunId}:0`,
    kind: "chain_limit",
    text: `Chain ${rootRunId} has reached its limit: ${denied.reason}. ${name} could not give a task away. Look at what it did, then release or cancel it.`,
    rootRunId,
    agentId: name,
    occurredAt: at,
  };
}
