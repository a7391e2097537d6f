/** The message rows of the taskboard's acts. No I/O, no clock. */
import { type MessageRow, pairKey } from "../record/rows.ts";
import type { Actor } from "./task.ts";

export interface BoardText {
  readonly uid: string;
  readonly from: string;
  readonly to: string;
  readonly channel: "task" | "task_comment" | "task_result";
  readonly direction: MessageRow["direction"];
  readonly content: string;
  readonly status: MessageRow["status"];
  readonly taskId: string | null;
  /** ISO 8601. */
  readonly at: string;
}

/** A row that an act causes carries the lineage of the acting run, or of the person's act in the task's chain. */
export function boardRow(
  text: BoardText,
  actor: Pick<Actor, "runId" | "parentRunId" | "rootRunId">,
): MessageRow {
  return {
    uid: text.uid,
    pairKey: pairKey(text.from, text.to),
    fromAgentId: text.from,
    toAgentId: text.to,
    channel: text.channel,
    direction: text.direction,
    content: text.content,
    runId: actor.runId,
    parentRunId: actor.parentRunId,
    rootRunId: actor.rootRunId,
    taskId: text.taskId,
    status: text.status,
    occurredAt: text.at,
  };
}
