/** Acts on a task that exists: comment, complete, block, review, cancel. Each happens once and wholly. */

import type { MessageRow, NoticeRow } from "../record/rows.ts";
import { type Board, boardReader, isoNow } from "./board.ts";
import { deliverOrders } from "./deliver.ts";
import { commentText, type RunOrder, wakeOrder } from "./orders.ts";
import { type Act, commentReach, decide, MAX_COMMENT_WAKES } from "./policy.ts";
import { boardRow } from "./rows.ts";
import { readEvents, readTask, taskOfAct } from "./store.ts";
import { type Actor, type BoardResult, refuse, type TaskRow } from "./task.ts";
import { assigneeName } from "./vocabulary.ts";
import { type Written, writeBoard } from "./write-board.ts";
import { writeChange } from "./write-change.ts";

export interface ActInput {
  readonly uid: string;
  readonly taskId: string;
  readonly actor: Actor;
  readonly act: Act;
}

/** Somebody else's change in the same moment makes the act look again, so often: more often than comments wake. */
const TRIES = 10;

/** Rejects only when D1 does. */
export async function actOnTask(board: Board, input: ActInput): Promise<BoardResult<TaskRow>> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const reader = boardReader(board);
    const before = await taskOfAct(reader, input.uid);
    if (before !== null) return { ok: true, value: before };
    const task = await readTask(reader, input.taskId);
    if (task === null) return refuse("no_such_task", "there is no task with that id");
    // A person's act on a task belongs to the task's chain.
    const actor =
      input.actor.objectName === null
        ? { ...input.actor, parentRunId: task.creatorRunId, rootRunId: task.rootRunId, depth: task.depth + 1 }
        : input.actor;
    const decision = decide(task, input.act, actor);
    if (!decision.ok) return decision;
    const outcome =
      input.act.kind === "comment"
        ? await writeComment(board, { ...input, actor, task, text: input.act.text })
        : await writeChange(board, {
            task,
            change: decision.value,
            actor,
            uid: input.uid,
            history: await historyOf(board, task, decision.value.offer === true),
          });
    if (outcome.written !== "written") continue;
    if (input.act.kind === "cancel") await stopRun(board, task);
    return { ok: true, value: outcome.task };
  }
  return refuse("busy", "the task is being changed by others; try again");
}

async function stopRun(board: Board, task: TaskRow): Promise<void> {
  if (task.runId === null) return;
  await board.cancelRun(task.runId, { status: "cancelled", reason: "task_cancelled" }).catch(() => undefined);
}

const HISTORY_CHARS = 8_000;

/** What was said and done so far, for whoever works on it next. */
export async function historyOf(board: Board, task: TaskRow, wanted: boolean): Promise<string> {
  if (!wanted) return "";
  const events = await readEvents(boardReader(board), task.taskId);
  const told = events.filter((event) => event.kind !== "created" && event.text !== "");
  return told
    .map((event) => `- ${event.actor} ${event.kind}: ${event.text}`)
    .join("\n")
    .slice(-HISTORY_CHARS);
}

interface CommentInput extends ActInput {
  readonly task: TaskRow;
  readonly text: string;
}

async function writeComment(board: Board, input: CommentInput): Promise<{ written: Written; task: TaskRow }> {
  const { task, actor, text, uid } = input;
  const at = isoNow(board);
  const reach = commentReach(task, actor, text);
  const orders = commentOrders(board, input);
  const changed = {
    ...task,
    updatedAt: at,
    commentWakes: task.commentWakes + orders.length,
    version: task.version + 1,
  };
  const messages: MessageRow[] = reach.rows.map(({ to, direction }) =>
    boardRow(
      {
        uid: `${uid}:comment:${to}`,
        from: actor.name,
        to,
        channel: "task_comment",
        direction,
        content: text,
        status: "delivered",
        taskId: task.taskId,
        at,
      },
      actor,
    ),
  );
  const event = {
    uid,
    taskId: task.taskId,
    kind: "commented" as const,
    actor: actor.name,
    text,
    runId: actor.runId,
    rootRunId: task.rootRunId,
    occurredAt: at,
  };
  // Only the count of wakes can be raced for.
  const written = await writeBoard(board, {
    ...(orders.length === 0 ? { changed: null, touched: changed } : { changed }),
    created: [],
    events: [event],
    messages,
    notices: pingPongNotice(changed, at),
    orders,
    at,
  });
  if (written !== "written") return { written, task };
  await deliverOrders(board, orders);
  return { written, task: changed };
}

/** The runs that a comment wakes: its author never, the other side while the task is under way. */
function commentOrders(board: Board, input: CommentInput): RunOrder[] {
  const { task, actor } = input;
  const { wakes } = commentReach(task, actor, input.text);
  const text = commentText(task, actor.name, input.text);
  const wake = (objectName: string, lane: TaskRow["creatorLane"], taskId: string | null) =>
    wakeOrder(task, { objectName, lane, runId: board.newRunId(objectName), text, actor, taskId });
  return [
    ...(wakes.creator && task.creatorObject !== null
      ? [wake(task.creatorObject, task.creatorLane, task.parentTaskId)]
      : []),
    ...(wakes.assignee && task.worker !== null ? [wake(task.worker, "conversation", null)] : []),
  ];
}

function pingPongNotice(task: TaskRow, at: string): NoticeRow[] {
  if (task.commentWakes < MAX_COMMENT_WAKES) return [];
  return [
    {
      uid: `task:${task.taskId}:comments`,
      kind: "comment_ping_pong",
      text: `Task ${task.taskId} (${task.title}): ${task.creator} and ${assigneeName(task.assignee)} keep commenting; further comments wake nobody.`,
      rootRunId: task.rootRunId,
      agentId: assigneeName(task.assignee),
      occurredAt: at,
    },
  ];
}
