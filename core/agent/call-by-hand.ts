/** One call of a tool that a person makes with an agent's config, for whoever writes or sets up a tool. */
import { discoverFunctions } from "../engine/discovered.ts";
import { planCall } from "../engine/prepare-call.ts";
import { scrubDocument } from "../engine/scrub-document.ts";
import { executeTool, failedResult } from "../engine/tool-call.ts";
import { agentIdOf, type World } from "../engine/world.ts";
import { putOutbox } from "../journal/outbox.ts";
import type { CallResult } from "../journal/steps.ts";
import { AUDIT_ARGUMENT_CHARS } from "../limits.ts";
import type { AuditOutcome } from "../record/rows.ts";
import { cutToUnits } from "../record/stored-text.ts";

/** Longer than any function's name. */
const NAME_CHARS = 200;

export interface HandCall {
  readonly functionName: string;
  /** JSON, as a model would write it. */
  readonly arguments: string;
  /** The person's act: names the call, and serves as its run and root. */
  readonly actId: string;
}

export interface HandCallResult {
  /** As asked for, masked and cut. */
  readonly functionName: string;
  readonly outcome: AuditOutcome;
  /** The result or why there is none, masked and whole. */
  readonly content: string;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** Null for an agent without configuration. The call is in the audit, like a model's; it needs no approval: a person makes it. */
export async function callByHand(world: World, call: HandCall): Promise<HandCallResult | null> {
  const documents = world.documents();
  if (documents === null) return null;
  const begun = world.now();
  const functionName = cutToUnits(world.scrubber.scrub(call.functionName), NAME_CHARS);
  const given = {
    id: call.actId,
    name: functionName,
    arguments: scrubDocument(world.scrubber, call.arguments),
  };
  const caller = { world, documents, runId: call.actId, signal: new AbortController().signal };
  await discoverFunctions(caller);
  const plan = planCall(given, documents.agent, world.registry);
  const result =
    plan.kind === "tool" || plan.kind === "approval"
      ? await executeTool(caller, { ...plan, uid: call.actId, interrupted: false })
      : failedResult(
          plan.kind === "refused"
            ? plan.message
            : "Asks and tasks are no tool's: use the chat or the taskboard.",
        );
  const durationMs = Math.max(0, world.now() - begun);
  recordCall(world, { ...call, functionName, arguments: given.arguments }, { result, begun, durationMs });
  return { functionName, outcome: result.outcome, content: result.content, durationMs };
}

interface Made {
  readonly result: CallResult;
  readonly begun: number;
  readonly durationMs: number;
}

function recordCall(world: World, call: HandCall, { result, begun, durationMs }: Made): void {
  const row = {
    uid: call.actId,
    runId: call.actId,
    parentRunId: null,
    rootRunId: call.actId,
    agentId: agentIdOf(world),
    tool: call.functionName,
    arguments: cutToUnits(call.arguments, AUDIT_ARGUMENT_CHARS),
    outcome: result.outcome,
    error: result.error,
    durationMs,
    occurredAt: new Date(begun).toISOString(),
  };
  world.db.transaction(() => putOutbox(world.db, { kind: "audit", row }, row.uid));
  world.outboxFilled();
}
