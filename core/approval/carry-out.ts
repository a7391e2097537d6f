/** Makes an approved call: at most once, and only while its chain may go on. */

import { NOTHING_SPENT } from "../chain/budget.ts";
import { planCall } from "../engine/prepare-call.ts";
import { executeTool, failedResult } from "../engine/tool-call.ts";
import type { Documents, World } from "../engine/world.ts";
import { findRun } from "../journal/runs.ts";
import type { CallResult } from "../journal/steps.ts";
import { lineageOf } from "./rows.ts";
import { type Approval, markBegun } from "./store.ts";

/** Rejects only when the chain cannot be asked; nothing has been done then. */
export async function carryOut(world: World, approval: Approval): Promise<CallResult> {
  const documents = world.documents();
  if (documents === null) return failedResult("The agent has no configuration any more.");
  const call = { id: approval.approvalId, name: approval.functionName, arguments: approval.arguments };
  const plan = planCall(call, documents.agent, world.registry);
  if (plan.kind !== "tool" && plan.kind !== "approval")
    return failedResult(plan.kind === "refused" ? plan.message : "The function is no tool's any more.");
  const interrupted = approval.startedAt !== null;
  if (!interrupted) {
    const refusal = await askChain(world, approval, documents);
    if (refusal !== null) return { outcome: "denied", error: refusal, content: refusal };
    world.db.transaction(() => markBegun(world.db, approval.approvalId, world.now()));
  }
  const { tool, prepared } = plan;
  const signal = new AbortController().signal;
  const caller = { world, documents, runId: approval.runId, signal };
  return executeTool(caller, { tool, prepared, uid: approval.approvalId, interrupted });
}

/** A chain that was cancelled or is frozen makes no more calls, allowed or not. */
async function askChain(world: World, { runId }: Approval, documents: Documents): Promise<string | null> {
  const { parentRunId, rootRunId, depth } = lineageOf(world, runId);
  const { agentId } = documents.agent;
  const trigger = findRun(world.db, runId)?.trigger ?? "run";
  const member = { runId, agentId, parentRunId, depth, trigger };
  const permit = await world.chain(rootRunId).permit(member, NOTHING_SPENT, documents.instance.perChain);
  return permit.ok ? null : `The call was not made: ${permit.reason}.`;
}
