/** One call of a tool: time limit, cancel, scrubbing, and what an unknown outcome means (L2). */

import { z } from "zod";
import type { CallResult, JournaledCall } from "../journal/steps.ts";
import { toolState } from "../journal/tool-state.ts";
import { describeError } from "../log.ts";
import type { PreparedCall, ToolContext, ToolResult } from "../tool.ts";
import { scrubDocument } from "./scrub-document.ts";
import type { StepContext } from "./step-context.ts";
import { timeLimit, whenAborted } from "./time-limit.ts";

export interface ToolCallInput {
  readonly tool: string;
  readonly prepared: Extract<PreparedCall, { ok: true }>;
  readonly journaled: JournaledCall;
}

const UNKNOWN_OUTCOME =
  "Unknown outcome: the call was under way when the runtime was interrupted. It may or may not have taken effect. Check before you repeat it.";

/** Never rejects. The result is scrubbed and whole. */
export async function executeTool(context: StepContext, input: ToolCallInput): Promise<CallResult> {
  const { world, run, documents } = context;
  if (input.journaled.state === "started" && !input.prepared.traits.repeatable)
    return { outcome: "interrupted", error: UNKNOWN_OUTCOME, content: UNKNOWN_OUTCOME };
  const limit = timeLimit(run.abort.signal, documents.agent.limits.toolSeconds * 1000);
  const aborted = whenAborted(limit.signal);
  const result = await Promise.race([callTool(context, input, limit.signal), aborted]);
  limit.clear();
  if (result === "aborted") return abortedResult(limit.expired(), documents.agent.limits.toolSeconds);
  if (result.ok)
    return { outcome: "ok", error: null, content: scrubDocument(world.scrubber, result.content) };
  const message = world.scrubber.scrub(result.message);
  return { outcome: "failed", error: message, content: `Failed: ${message}` };
}

const toolResult = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), content: z.string() }),
  z.object({ ok: z.literal(false), message: z.string() }),
]);

const NO_RESULT: ToolResult = { ok: false, message: "The tool gave no valid result." };

/** Never rejects; whatever a tool's code does becomes a result. */
async function callTool(
  context: StepContext,
  input: ToolCallInput,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { world, run, documents } = context;
  try {
    const toolContext: ToolContext<unknown> = {
      agentId: documents.agent.agentId,
      instanceId: documents.instance.id,
      toolConfig: world.toolConfig(documents.agent, input.tool),
      logger: world.toolLog(input.tool, run.record.runId),
      signal,
      state: toolState(world.db, input.tool),
    };
    const result = toolResult.safeParse(await input.prepared.execute(toolContext));
    return result.success ? result.data : NO_RESULT;
  } catch (error) {
    return { ok: false, message: describeError(error) };
  }
}

function abortedResult(timedOut: boolean, seconds: number): CallResult {
  const error = timedOut
    ? `Timed out: the tool did not finish within ${seconds} s. It may have taken effect.`
    : "Interrupted: the run was ended while the tool was at work. It may have taken effect.";
  return { outcome: timedOut ? "timeout" : "interrupted", error, content: error };
}
