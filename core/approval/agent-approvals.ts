/**
 * An agent's calls that wait for a person: decided once, made at most once, and the agent is told in a run.
 * Each stage is written down before the next begins, so a kill at any point leaves something to go on from.
 */
import { acceptRun } from "../agent/agent.ts";
import type { World } from "../engine/world.ts";
import { putOutbox } from "../journal/outbox.ts";
import { findRun } from "../journal/runs.ts";
import { describeError } from "../log.ts";
import { carryOut } from "./carry-out.ts";
import { approvalRow, decidedAudit, lineageOf } from "./rows.ts";
import {
  type Approval,
  closeApproval,
  createApprovalSchema,
  readApproval,
  storeDecision,
  storeResult,
  unfinishedApprovals,
} from "./store.ts";
import { notMade, wakeText } from "./texts.ts";

export interface DecisionRequest {
  readonly approvalId: string;
  readonly decision: "approve" | "reject" | "expire";
  /** What the person adds for the agent; may be empty. */
  readonly comment: string;
  /** Names the decision: the same one sent twice is one. */
  readonly mark: string;
}

export type DecisionResult =
  | { readonly ok: true; readonly decision: "approved" | "rejected" | "expired" }
  | { readonly ok: false; readonly code: "unknown" | "already_decided" | "expired"; readonly reason: string };

export class AgentApprovals {
  readonly #world: World;
  readonly #atWork = new Map<string, Promise<void>>();

  constructor(world: World) {
    this.#world = world;
    createApprovalSchema(world.db);
  }

  /** When the first of the calls at work is over; null when none is. */
  get nextEnd(): Promise<void> | null {
    return this.#atWork.size === 0 ? null : Promise.race(this.#atWork.values());
  }

  /**
   * Goes on with what a restart has cut short, and with wakes that found the queue full. While the agent is paused
   * no queue gets shorter: a wake then waits for the end of the pause, and nobody has to look again.
   */
  resume(): void {
    const { db, gate } = this.#world;
    for (const approvalId of unfinishedApprovals(db))
      if (!gate.isPaused || readApproval(db, approvalId)?.state !== "known") this.#work(approvalId);
  }

  /** What the call would be made with, whole; null once it has been closed, and for what was never asked. */
  argumentsOf(approvalId: string): string | null {
    const approval = readApproval(this.#world.db, approvalId);
    return approval === null || approval.state === "closed" ? null : approval.arguments;
  }

  /** Durable once it returns; what follows from it is made in the background. */
  decide({ approvalId, decision, comment, mark }: DecisionRequest): DecisionResult {
    const { db, scrubber } = this.#world;
    const approval = readApproval(db, approvalId);
    if (approval === null) return { ok: false, code: "unknown", reason: "there is no such approval" };
    if (approval.state !== "pending") return decidedBefore(approval, mark);
    const late = this.#world.now() >= approval.expiresAt;
    if (decision === "expire" && !late)
      return { ok: false, code: "already_decided", reason: "its time is not over yet" };
    const taken = late ? "expired" : DECISIONS[decision];
    this.#settle(approval, { decision: taken, comment: late ? "" : scrubber.scrub(comment), mark });
    this.#work(approvalId);
    if (late && decision !== "expire")
      return { ok: false, code: "expired", reason: "nobody decided in time, so the call was refused" };
    return { ok: true, decision: taken };
  }

  #settle(approval: Approval, { decision, comment, mark }: Taking): void {
    const { db } = this.#world;
    const { approvalId } = approval;
    const wakeRunId = this.#world.newRunId(this.#world.objectName);
    db.transaction(() => {
      storeDecision(db, approvalId, { decision, comment, now: this.#world.now(), wakeRunId, mark });
      if (decision === "approved") this.#record(approvalId);
      else this.#know(approvalId, notMade(decision, comment));
    });
    this.#world.outboxFilled();
  }

  /** What became of it, and its audit entry. Inside the caller's transaction. */
  #know(approvalId: string, result: NonNullable<Approval["result"]>): void {
    const { db } = this.#world;
    storeResult(db, approvalId, result);
    const known = this.#record(approvalId);
    if (known === null) return;
    const audit = decidedAudit(this.#world, known, lineageOf(this.#world, known.runId));
    putOutbox(db, { kind: "audit", row: audit }, audit.uid);
  }

  #record(approvalId: string): Approval | null {
    const approval = readApproval(this.#world.db, approvalId);
    if (approval === null) return null;
    const row = approvalRow(this.#world, approval, lineageOf(this.#world, approval.runId));
    putOutbox(this.#world.db, { kind: "approvals", row }, `${approvalId}:${approval.state}`);
    return approval;
  }

  #work(approvalId: string): void {
    if (this.#atWork.has(approvalId)) return;
    const ended = this.#finish(approvalId)
      .catch((error: unknown) =>
        this.#world.log.warn(`The approved call ${approvalId} has to wait: ${describeError(error)}`),
      )
      .finally(() => this.#atWork.delete(approvalId));
    this.#atWork.set(approvalId, ended);
  }

  /** Rejects when the chain cannot be reached; it is tried again. */
  async #finish(approvalId: string): Promise<void> {
    const approval = readApproval(this.#world.db, approvalId);
    if (approval?.state === "approved") {
      const result = await carryOut(this.#world, approval);
      this.#world.db.transaction(() => this.#know(approvalId, result));
      this.#world.outboxFilled();
    }
    const known = readApproval(this.#world.db, approvalId);
    if (known?.state === "known") this.#wake(known);
  }

  /** The run takes the chain on, in the conversation that asked. A full queue is tried again later. */
  #wake(approval: Approval): void {
    const { db } = this.#world;
    const { approvalId, runId, wakeRunId, taskId } = approval;
    const asked = findRun(db, runId);
    const lineage = lineageOf(this.#world, runId);
    if (wakeRunId === null) return;
    const accepted = acceptRun(
      this.#world,
      {
        runId: wakeRunId,
        // An answer has been given long ago: what follows from it is no question any more.
        trigger: asked === null || asked.trigger === "ask" ? "run" : asked.trigger,
        lane: asked?.lane === "isolated" ? "isolated" : "conversation",
        priority: asked?.priority ?? 0,
        lineage: { ...lineage, runId: wakeRunId, parentRunId: runId, depth: lineage.depth + 1, path: [] },
        input: wakeText(approval),
        maxSteps: null,
        deadlineAt: null,
        taskId,
      },
      () => closeApproval(db, approvalId),
    );
    // An agent out of service cannot be told; a full queue can be another time.
    if (!accepted.ok && accepted.code === "not_configured")
      db.transaction(() => closeApproval(db, approvalId));
  }
}

const DECISIONS = { approve: "approved", reject: "rejected", expire: "expired" } as const;

interface Taking {
  readonly decision: (typeof DECISIONS)[keyof typeof DECISIONS];
  readonly comment: string;
  readonly mark: string;
}

function decidedBefore({ decision, mark }: Approval, sent: string): DecisionResult {
  if (decision !== null && mark === sent) return { ok: true, decision };
  if (decision === "expired")
    return { ok: false, code: "expired", reason: "nobody decided in time, so the call was refused" };
  return { ok: false, code: "already_decided", reason: `a person has ${decision ?? "decided"} it already` };
}
