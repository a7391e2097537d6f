import { callByHand, type HandCall, type HandCallResult } from "../../core/agent/call-by-hand.ts";
import { type Revisions, readRevisions } from "../../core/agent/revisions.ts";
import type { DecisionRequest, DecisionResult } from "../../core/approval/agent-approvals.ts";
import type { RunNow } from "../../core/jobs/agent-jobs.ts";
import { listJobs } from "../../core/jobs/list-jobs.ts";
import type { JobView } from "../../core/jobs/view.ts";
import { AgentDoors } from "./agent-doors.ts";
import { adoptDocuments } from "./documents.ts";

/** What it does beside its runs: jobs, tools by hand, calls that wait for a person. */
export abstract class AgentWork extends AgentDoors {
  /** Begins the jobs that are due by then; answers by which documents, and when the next is. Waits for no job. */
  async runDueJobs(
    at: number,
    version: string | null,
  ): Promise<{ configured: boolean; revisions: Revisions; nextAt: number | null }> {
    const { documents, jobs, keepAlive, world } = this.parts;
    jobs.runDue({ at, secondsOnly: false, version });
    keepAlive.armForJobs();
    return {
      configured: documents.current !== null,
      revisions: readRevisions(world),
      nextAt: jobs.nextMinute(),
    };
  }

  /** Begins a job's tick now; the same mark again changes nothing. */
  async runJob(jobId: string, mark: string): Promise<RunNow> {
    const begun = this.parts.jobs.runNow(jobId, mark);
    this.parts.keepAlive.armForJobs();
    return begun;
  }

  async jobs(): Promise<JobView[]> {
    return listJobs(this.parts.world);
  }

  /** One call of a tool by hand. Null for an agent without configuration. */
  async callTool(call: HandCall): Promise<HandCallResult | null> {
    return callByHand(this.parts.world, call);
  }

  /** Of a call that waits, whole. */
  async approvalArguments(approvalId: string): Promise<string | null> {
    return this.parts.approvals.argumentsOf(approvalId);
  }

  /** A person's decision on a call that waits, or that its time is over. */
  async decideApproval(request: DecisionRequest): Promise<DecisionResult> {
    await adoptDocuments(this.parts, this.env);
    this.parts.keepAlive.arm();
    return this.parts.approvals.decide(request);
  }
}
