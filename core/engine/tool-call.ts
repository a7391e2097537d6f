/** One call of a tool: time limit, cancel, scrubbing, and what an unknown outcome means (L2). */

import { z } from "zod";
import type { CallResult } from "../journal/steps.ts";
import { toolState } from "../journal/tool-state.ts";
import { describeError } from "../log.ts";
import type { PreparedCall, ToolResult } from "../tool.ts";
import { scrubDocument } from "./scrub-document.ts";
import { timeLimit, whenAborted } from "./time-limit.ts";
import { toolContext } from "./tool-context.ts";
import type { Documents, World } from "./world.ts";

/** Who makes the call: a run in one of its steps, or a person's leave for it. */
export interface ToolCaller {
  readonly world: World;
  readonly documents: Documents;
  /** For log lines. */
  readonly runId: string;
  /** Ends the call. */
  readonly signal: AbortSignal;
}

export interface ToolCallInput {
  readonly tool: string;
  readonly prepared: Extract<PreparedCall, { ok: true }>;
  /** Names the call for good. */
  readonly uid: string;
  /** Whether it was begun before a restart, so that it may have taken effect. */
  readonly interrupted: boolean;
}

const UNKNOWN_OUTCOME =
  "Unknown outcome: the call was under way when the runtime was interrupted. It may or may not have taken effect. Check before you repeat it.";

/** Never rejects. The result is scrubbed and whole. */
export async function executeTool(caller: ToolCaller, input: ToolCallInput): Promise<CallResult> {
  const { world, documents } = caller;
  if (input.interrupted && !input.prepared.traits.repeatable)
    return { outcome: "interrupted", error: UNKNOWN_OUTCOME, content: UNKNOWN_OUTCOME };
  const limit = timeLimit(caller.signal, documents.agent.limits.toolSeconds * 1000);
  const aborted = whenAborted(limit.signal);
  const result = await Promise.race([callTool({ ...caller, signal: limit.signal }, input), aborted]);
  limit.clear();
  if (result === "aborted") return abortedResult(limit.expired(), documents.agent.limits.toolSeconds);
  if (result.ok)
    return { outcome: "ok", error: null, content: scrubDocument(world.scrubber, result.content) };
  return failedResult(world.scrubber.scrub(result.message));
}

/** Of a call that did not work, or was not made; the reason is for the model, scrubbed. */
export function failedResult(reason: string): CallResult {
  return { outcome: "failed", error: reason, content: `Failed: ${reason}` };
}

const toolResult = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), content: z.string() }),
  z.object({ ok: z.literal(false), message: z.string() }),
]);

const NO_RESULT: ToolResult = { ok: false, message: "The tool gave no valid result." };

/** Never rejects; whatever a tool's code does becomes a result. */
async function callTool(caller: ToolCaller, input: ToolCallInput): Promise<ToolResult> {
  const { world, documents, runId, signal } = caller;
  try {
    const given = toolContext(world, {
      documents,
      tool: input.tool,
      runId,
      signal,
      state: toolState(world.db, input.tool),
      seconds: documents.agent.limits.toolSeconds,
      deliveryId: input.uid,
    });
    const result = toolResult.safeParse(await input.prepared.execute(given));
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
