/** An answer, and the chunks of one that streams, in OpenAI's shapes. */
import type { RunResult } from "../../core/engine/run-result.ts";
import { type Finish, usageOf } from "./ending.ts";

/** What all parts of one answer have in common. */
export interface Head {
  readonly runId: string;
  readonly agentId: string;
  /** Seconds since 1970. */
  readonly created: number;
}

const fields = ({ runId, agentId, created }: Head) => ({
  id: `chatcmpl-${runId}`,
  created,
  model: agentId,
});

export function completion(head: Head, { reply, receipt }: RunResult, finish: Finish) {
  const usage = usageOf(receipt);
  const message = { role: "assistant", content: reply, refusal: null, annotations: [] };
  return {
    ...fields(head),
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    ...(usage === null ? {} : { usage }),
  };
}

interface Delta {
  readonly role?: "assistant";
  readonly content?: string;
  readonly refusal?: null;
}

/** `usage` is null in all chunks but the last when the client asked for it, and undefined when not. */
export function deltaChunk(
  head: Head,
  delta: Delta,
  { finish, withUsage }: { readonly finish: Finish | null; readonly withUsage: boolean },
) {
  return {
    ...fields(head),
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(withUsage ? { usage: null } : {}),
  };
}

export function usageChunk(head: Head, usage: ReturnType<typeof usageOf>) {
  return { ...fields(head), object: "chat.completion.chunk", choices: [], usage };
}
