/** What the record and a person are told of a call that waits for approval. */
import type { World } from "../engine/world.ts";
import { agentIdOf } from "../engine/world.ts";
import { findRun } from "../journal/runs.ts";
import { APPROVAL_ARGUMENT_CHARS, AUDIT_ARGUMENT_CHARS } from "../limits.ts";
import type { Lineage } from "../lineage.ts";
import { iso } from "../record/instant.ts";
import type { ApprovalRow, AuditRow, NoticeRow } from "../record/rows.ts";
import { cutToUnits } from "../record/stored-text.ts";
import type { Approval, NewApproval } from "./store.ts";

const ERROR_CHARS = 2_000;
const NOTICE_ARGUMENT_CHARS = 500;

type Lines = Pick<Lineage, "runId" | "parentRunId" | "rootRunId">;

/** The lineage of the run that asked; it is its own root when the object has forgotten it. */
export function lineageOf(world: World, runId: string): Lineage {
  return (
    findRun(world.db, runId)?.lineage ?? { runId, parentRunId: null, rootRunId: runId, depth: 1, path: [] }
  );
}

export function approvalRow(world: World, approval: NewApproval | Approval, lineage: Lines): ApprovalRow {
  const decided = "decision" in approval ? approval : null;
  return {
    uid: approval.approvalId,
    agentId: agentIdOf(world),
    runId: approval.runId,
    rootRunId: lineage.rootRunId,
    taskId: approval.taskId,
    tool: approval.functionName,
    arguments: cutToUnits(approval.arguments, APPROVAL_ARGUMENT_CHARS),
    truncated: approval.arguments.length > APPROVAL_ARGUMENT_CHARS ? 1 : 0,
    decision: decided?.decision ?? null,
    comment: decided?.comment ?? "",
    outcome: decided?.result?.outcome ?? null,
    requestedAt: iso(approval.requestedAt),
    expiresAt: iso(approval.expiresAt),
    decidedAt: decided?.decidedAt == null ? null : iso(decided.decidedAt),
  };
}

export function approvalNotice(world: World, approval: NewApproval, lineage: Lines): NoticeRow {
  const { approvalId, functionName, requestedAt } = approval;
  const shown = cutToUnits(approval.arguments, NOTICE_ARGUMENT_CHARS);
  return {
    uid: `approval:${approvalId}`,
    kind: "approval",
    text: `${agentIdOf(world)} asks for leave to call ${functionName}: ${shown}`,
    rootRunId: lineage.rootRunId,
    agentId: agentIdOf(world),
    occurredAt: iso(requestedAt),
  };
}

/** The call's second audit entry: what became of it after the decision. */
export function decidedAudit(world: World, approval: Approval, lineage: Lines): AuditRow {
  const begun = approval.startedAt ?? approval.decidedAt ?? approval.requestedAt;
  const error = approval.result?.error ?? null;
  return {
    uid: `${approval.approvalId}:decided`,
    runId: lineage.runId,
    parentRunId: lineage.parentRunId,
    rootRunId: lineage.rootRunId,
    agentId: agentIdOf(world),
    tool: approval.functionName,
    arguments: cutToUnits(approval.arguments, AUDIT_ARGUMENT_CHARS),
    outcome: approval.result?.outcome ?? "denied",
    error: error === null ? null : cutToUnits(error, ERROR_CHARS),
    durationMs: approval.startedAt === null ? 0 : Math.max(0, world.now() - approval.startedAt),
    occurredAt: iso(begun),
  };
}
