/** What may become of a task, and by whom (L9). No I/O, no clock, no `this`. */
import { type Actor, type BoardResult, refuse, type TaskRow } from "./task.ts";
import {
  assigneeName,
  HUMAN,
  isOver,
  isUnderWay,
  type TaskEventKind,
  type TaskStatus,
} from "./vocabulary.ts";

/** More rejections than this block the task. */
export const MAX_REJECTIONS = 3;
/** Runs that may be started for a task without a rejection in between. */
export const MAX_ATTEMPTS = 2;
/** Comments that wake somebody, per task; after that a person is told. */
export const MAX_COMMENT_WAKES = 6;

export type Act =
  | { readonly kind: "comment"; readonly text: string }
  | { readonly kind: "complete"; readonly result: string }
  | { readonly kind: "block"; readonly reason: string }
  | { readonly kind: "review"; readonly decision: "accept" | "reject"; readonly comment: string }
  | { readonly kind: "cancel"; readonly reason: string };

/** What an act changes. Absent fields stay. */
export interface Change {
  readonly event: TaskEventKind;
  /** The event's text. */
  readonly text: string;
  readonly status?: TaskStatus;
  readonly result?: string;
  readonly reason?: string | null;
  readonly rejections?: number;
  /** The run that may finish it from now on. */
  readonly runId?: string;
  /** The task goes to its assignee (again). */
  readonly offer?: boolean;
  /** Its creator hears of it in a run. */
  readonly wakeCreator?: boolean;
  /** What a person is told. */
  readonly notice?: "rejected_too_often";
}

export function decide(task: TaskRow, act: Act, actor: Actor): BoardResult<Change> {
  switch (act.kind) {
    case "comment":
      return { ok: true, value: { event: "commented", text: act.text } };
    case "complete":
      return asHolder(task, actor, () => complete(task, act.result));
    case "block":
      return asHolder(task, actor, () => blocked(act.reason));
    case "review":
      return review(task, act, actor);
    case "cancel":
      return cancel(task, act.reason, actor);
  }
}

/** Only who holds the task may finish it; a run that lost it to a later one may not. */
function asHolder(task: TaskRow, actor: Actor, change: () => Change): BoardResult<Change> {
  if (actor.name !== assigneeName(task.assignee))
    return refuse("not_yours", `the task is ${task.assignee}'s`);
  if (actor.objectName !== task.worker) return refuse("not_yours", "another worker has this task");
  if (actor.taskId === task.taskId && isLost(task, actor))
    return refuse("lost_lease", "a later run has taken this task over");
  if (!isUnderWay(task.status)) return refuse("wrong_status", `the task is ${task.status}`);
  return { ok: true, value: change() };
}

/**
 * Runs of one object execute one after the other and their ids sort by time: a later one than the task's, such as
 * one that a subtask has woken, comes after it. While the task waits, any of those may finish it.
 */
function isLost(task: TaskRow, actor: Actor): boolean {
  return task.status !== "waiting" && task.runId !== null && actor.runId < task.runId;
}

function complete(task: TaskRow, result: string): Change {
  const status = task.acceptance === null ? "done" : "review";
  return { event: "completed", text: result, status, result, reason: null, wakeCreator: true };
}

function blocked(reason: string): Change {
  return { event: "blocked", text: reason, status: "blocked", reason, wakeCreator: true };
}

function review(task: TaskRow, act: Extract<Act, { kind: "review" }>, actor: Actor): BoardResult<Change> {
  if (!isCreator(task, actor)) return refuse("not_creator", "only its creator or a person reviews a task");
  if (task.status !== "review") return refuse("wrong_status", `the task is ${task.status}, not in review`);
  if (act.decision === "accept")
    return { ok: true, value: { event: "accepted", text: act.comment, status: "done" } };
  const rejections = task.rejections + 1;
  if (rejections <= MAX_REJECTIONS)
    return {
      ok: true,
      value: { event: "rejected", text: act.comment, status: "open", rejections, offer: true },
    };
  const reason = `rejected ${rejections} times, last: ${act.comment}`;
  return {
    ok: true,
    value: {
      event: "rejected",
      text: act.comment,
      status: "blocked",
      reason,
      rejections,
      notice: "rejected_too_often",
    },
  };
}

function cancel(task: TaskRow, reason: string, actor: Actor): BoardResult<Change> {
  if (!isCreator(task, actor)) return refuse("not_creator", "only its creator or a person cancels a task");
  if (isOver(task.status)) return refuse("already_over", `the task is ${task.status}`);
  return { ok: true, value: { event: "cancelled", text: reason, status: "cancelled", reason } };
}

/** A fresh worker bears its agent's name but is not the one who gave the task, so it cannot accept its own work. */
function isCreator(task: TaskRow, actor: Actor): boolean {
  return actor.name === HUMAN || (actor.name === task.creator && actor.objectName === task.creatorObject);
}

export interface EndedRunFacts {
  readonly status: string;
  readonly reason: string | null;
  /** Children of the task, and calls of its runs that wait for a person, that are not over. */
  readonly openChildren: number;
  /** A run that a child's end has woken meanwhile, which may still finish the task. */
  readonly nextRunId: string | null;
}

/** What becomes of a task whose run has ended without finishing it; null when nothing does. */
export function afterRun(task: TaskRow, ended: EndedRunFacts): Change | null {
  if (!isUnderWay(task.status)) return null;
  if (ended.status === "cancelled") return blocked(`its run was cancelled (${ended.reason ?? "no reason"})`);
  if (ended.reason === "not_configured")
    return blocked(`there is no agent ${assigneeName(task.assignee)} any more`);
  if (ended.openChildren > 0 || ended.nextRunId !== null)
    return task.status === "waiting" ? null : waits(ended);
  const why = `the run ended with status ${ended.status}${ended.reason === null ? "" : ` (${ended.reason})`} without completing the task`;
  if (ended.status === "budget" || task.attempts >= MAX_ATTEMPTS + task.rejections) return blocked(why);
  return { event: "offered_again", text: why, status: "open", offer: true };
}

function waits(ended: EndedRunFacts): Change {
  return {
    event: "waiting",
    text: "waits for its open subtasks or for a person's approval",
    status: "waiting",
    ...(ended.nextRunId === null ? {} : { runId: ended.nextRunId }),
  };
}

export interface CommentReach {
  /** Who gets a row, with its direction. */
  readonly rows: readonly { readonly to: string; readonly direction: "request" | "response" }[];
  readonly wakes: { readonly creator: boolean; readonly assignee: boolean };
}

/**
 * Whom a comment reaches: the other side, or both sides when it comes from a third party. Never its author.
 * Rows go by names, wakes by objects: an agent and its fresh worker share a name but no conversation.
 */
export function commentReach(task: TaskRow, actor: Actor, text: string): CommentReach {
  const assignee = assigneeName(task.assignee);
  const bySelf = task.creator === assignee;
  const isAssignee = actor.name === assignee && !bySelf;
  const isAuthorCreator = actor.name === task.creator;
  const rows = [
    ...(isAuthorCreator
      ? []
      : [{ to: task.creator, direction: isAssignee ? ("response" as const) : ("request" as const) }]),
    ...(isAssignee || bySelf ? [] : [{ to: assignee, direction: "request" as const }]),
  ];
  const wakes = !isOver(task.status) && !isAcknowledgement(text) && task.commentWakes < MAX_COMMENT_WAKES;
  const started = task.status !== "open" && task.status !== "blocked";
  return {
    rows,
    wakes: {
      creator: wakes && actor.objectName !== task.creatorObject,
      assignee: wakes && started && task.worker !== task.creatorObject && actor.objectName !== task.worker,
    },
  };
}

const ACKNOWLEDGEMENT =
  /^\s*(ok|okay|k|thanks|thank you|thx|noted|got it|understood|will do|sounds good|danke|vielen dank|verstanden|alles klar|passt|erledigt|done|\p{Emoji_Presentation}+)[\s.!]*$/iu;

/** A comment that says nothing but that it was read wakes nobody. */
export function isAcknowledgement(text: string): boolean {
  return ACKNOWLEDGEMENT.test(text);
}
