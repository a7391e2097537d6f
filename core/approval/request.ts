/** A call that a person must allow: the model learns at once that it waits, and nothing is done yet. */
import type { ActiveRun } from "../engine/active-run.ts";
import type { World } from "../engine/world.ts";
import { putOutbox } from "../journal/outbox.ts";
import type { CallResult } from "../journal/steps.ts";
import { APPROVAL_HOURS } from "../limits.ts";
import { approvalNotice, approvalRow } from "./rows.ts";
import { insertApproval, type NewApproval } from "./store.ts";

const HOUR_MS = 3_600_000;

export interface WaitingCall {
  /** The call's uid; the approval's id. */
  readonly uid: string;
  readonly tool: string;
  readonly functionName: string;
  /** JSON, masked. */
  readonly arguments: string;
}

/** What the model is told where its chain is so deep already that nobody could be told of the decision. */
export function tooDeepToWait(depth: number): CallResult {
  const error = `Denied (depth): this call needs a person's approval, and after that a run at depth ${depth + 1}, which the chain does not allow. It was not made.`;
  return { outcome: "denied", error, content: error };
}

/** What the model is told. */
export function waitsForApproval(uid: string): CallResult {
  const content =
    `Waiting for approval: a person has to allow this call (${uid}). It has not been made. Do not make it again; ` +
    "go on with other work or end your turn. You will be told what became of it.";
  return { outcome: "approval", error: null, content };
}

/** Writes the request down and tells a person. Inside the transaction that gives the call its result. */
export function requestApproval(world: World, run: ActiveRun, call: WaitingCall): void {
  const now = world.now();
  const { lineage, taskId } = run.record;
  const approval: NewApproval = {
    approvalId: call.uid,
    runId: lineage.runId,
    taskId,
    tool: call.tool,
    functionName: call.functionName,
    arguments: call.arguments,
    requestedAt: now,
    expiresAt: now + APPROVAL_HOURS * HOUR_MS,
  };
  insertApproval(world.db, approval);
  putOutbox(world.db, { kind: "approvals", row: approvalRow(world, approval, lineage) }, call.uid);
  const notice = approvalNotice(world, approval, lineage);
  putOutbox(world.db, { kind: "notices", row: notice }, notice.uid);
}
