/** Tool calls that wait for a person, as the agent's object keeps them. Callers make the transactions. */
import {
  type Database,
  first,
  int,
  intOrNull,
  ownJson,
  type Row,
  text,
  textOrNull,
} from "../journal/database.ts";
import { dropText, packText, unpackText } from "../journal/long-text.ts";
import type { CallResult } from "../journal/steps.ts";
import type { ApprovalDecision } from "../record/vocabulary.ts";

/**
 * `pending`: a person is to decide; `approved`: the call is to be made, or being made; `known`: what came of it
 * is known and the agent is to be woken; `closed`: it has been.
 */
export type ApprovalState = "pending" | "approved" | "known" | "closed";

export interface NewApproval {
  /** The call's uid. */
  readonly approvalId: string;
  /** The run whose model asked for the call. */
  readonly runId: string;
  readonly taskId: string | null;
  readonly tool: string;
  readonly functionName: string;
  /** JSON as the model wrote it, masked and whole. */
  readonly arguments: string;
  /** Epoch milliseconds, here and below. */
  readonly requestedAt: number;
  readonly expiresAt: number;
}

export interface Approval extends NewApproval {
  readonly state: ApprovalState;
  readonly decision: ApprovalDecision | null;
  readonly comment: string;
  readonly decidedAt: number | null;
  /** When the approved call was begun. */
  readonly startedAt: number | null;
  /** What came of the call, or why it was not made. */
  readonly result: CallResult | null;
  /** The run that tells the agent; its id is fixed with the decision. */
  readonly wakeRunId: string | null;
  /** Names the decision, so that the same one twice is one. */
  readonly mark: string | null;
}

export function createApprovalSchema(db: Database): void {
  db.run(`
    CREATE TABLE IF NOT EXISTS Approvals (
      approvalId TEXT PRIMARY KEY, runId TEXT NOT NULL, taskId TEXT, tool TEXT NOT NULL, functionName TEXT NOT NULL,
      arguments TEXT NOT NULL, requestedAt INTEGER NOT NULL, expiresAt INTEGER NOT NULL, state TEXT NOT NULL,
      decision TEXT, comment TEXT NOT NULL DEFAULT '', decidedAt INTEGER, startedAt INTEGER, result TEXT, wakeRunId TEXT, mark TEXT
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS ApprovalsOpen ON Approvals (state, taskId) WHERE state <> 'closed';
    CREATE INDEX IF NOT EXISTS ApprovalsClosed ON Approvals (decidedAt) WHERE state = 'closed';
  `);
}

export function insertApproval(db: Database, approval: NewApproval): void {
  const { approvalId, runId, taskId, tool, functionName, requestedAt, expiresAt } = approval;
  db.run(
    `INSERT INTO Approvals (approvalId, runId, taskId, tool, functionName, arguments, requestedAt, expiresAt, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending')`,
    approvalId,
    runId,
    taskId,
    tool,
    functionName,
    packText(db, `approval:${approvalId}:arguments`, approval.arguments),
    requestedAt,
    expiresAt,
  );
}

export interface Decided {
  readonly decision: ApprovalDecision;
  readonly comment: string;
  readonly now: number;
  readonly wakeRunId: string;
  readonly mark: string;
}

/** Writes the decision down; what follows from it is made afterwards. */
export function storeDecision(db: Database, approvalId: string, decided: Decided): void {
  db.run(
    "UPDATE Approvals SET state = 'approved', decision = ?, comment = ?, decidedAt = ?, wakeRunId = ?, mark = ? WHERE approvalId = ?",
    decided.decision,
    decided.comment,
    decided.now,
    decided.wakeRunId,
    decided.mark,
    approvalId,
  );
}

/** The approved call is about to be made. Written before it is, so that a restart knows it may have happened. */
export function markBegun(db: Database, approvalId: string, now: number): void {
  db.run("UPDATE Approvals SET startedAt = ? WHERE approvalId = ?", now, approvalId);
}

export function storeResult(db: Database, approvalId: string, result: CallResult): void {
  const packed = packText(db, `approval:${approvalId}:result`, JSON.stringify(result));
  db.run("UPDATE Approvals SET state = 'known', result = ? WHERE approvalId = ?", packed, approvalId);
}

/** The agent has been told: its texts are in the run that told it. */
export function closeApproval(db: Database, approvalId: string): void {
  const row = first(db, "SELECT arguments, result FROM Approvals WHERE approvalId = ?", approvalId);
  if (row === null) return;
  dropText(db, text(row, "arguments"));
  dropText(db, textOrNull(row, "result") ?? "=");
  db.run(
    "UPDATE Approvals SET state = 'closed', arguments = '=', result = NULL WHERE approvalId = ?",
    approvalId,
  );
}

export function readApproval(db: Database, approvalId: string): Approval | null {
  const row = first(db, "SELECT * FROM Approvals WHERE approvalId = ?", approvalId);
  return row === null ? null : approvalOf(db, row);
}

/** Drops a batch of closed ones that were decided before that (epoch milliseconds): the record has what came of them. */
export function forgetApprovals(db: Database, before: number, limit: number): void {
  db.run(
    `DELETE FROM Approvals WHERE approvalId IN (
       SELECT approvalId FROM Approvals WHERE state = 'closed' AND decidedAt < ? ORDER BY decidedAt LIMIT ?)`,
    before,
    limit,
  );
}

/** Decided ones that have not come to their end. The open ones' index serves only who names its condition word for word. */
export function unfinishedApprovals(db: Database): string[] {
  return db
    .all("SELECT approvalId FROM Approvals WHERE state <> 'closed' AND state IN ('approved', 'known')")
    .map((row) => text(row, "approvalId"));
}

/** Calls for the task that have not come to their end: it waits for them as for its subtasks. */
export function openApprovalsOf(db: Database, taskId: string): number {
  const row = first(
    db,
    `SELECT count(*) AS n FROM Approvals
     WHERE state <> 'closed' AND state IN ('pending', 'approved', 'known') AND taskId = ?`,
    taskId,
  );
  return row === null ? 0 : int(row, "n");
}

function approvalOf(db: Database, row: Row): Approval {
  const result = textOrNull(row, "result");
  return {
    approvalId: text(row, "approvalId"),
    runId: text(row, "runId"),
    taskId: textOrNull(row, "taskId"),
    tool: text(row, "tool"),
    functionName: text(row, "functionName"),
    arguments: unpackText(db, text(row, "arguments")),
    requestedAt: int(row, "requestedAt"),
    expiresAt: int(row, "expiresAt"),
    state: STATES.find((state) => state === row.state) ?? "closed",
    decision: DECISIONS.find((decision) => decision === row.decision) ?? null,
    comment: text(row, "comment"),
    decidedAt: intOrNull(row, "decidedAt"),
    startedAt: intOrNull(row, "startedAt"),
    result: result === null ? null : ownJson<CallResult>(unpackText(db, result)),
    wakeRunId: textOrNull(row, "wakeRunId"),
    mark: textOrNull(row, "mark"),
  };
}

const STATES: readonly ApprovalState[] = ["pending", "approved", "known", "closed"];
const DECISIONS: readonly ApprovalDecision[] = ["approved", "rejected", "expired"];
