/** Runs and messages of a chain whose defaults are valid. */
import type { Message } from "../../../ui/src/api/types.ts";
import { type ChainRun, NO_TOKENS } from "../../../ui/src/chain/chain-run.ts";

export const START = Date.parse("2026-10-01T08:00:00.000Z");
export const at = (ms: number): string => new Date(START + ms).toISOString();

export function run(runId: string, parentRunId: string | null, over: Partial<ChainRun> = {}): ChainRun {
  return {
    runId,
    parentRunId,
    agentId: runId.split(".")[0] ?? runId,
    trigger: parentRunId === null ? "chat" : "ask",
    status: "completed",
    model: "scripted",
    reason: null,
    error: null,
    begunAt: at(0),
    endedAt: at(1_000),
    queuedMs: 0,
    durationMs: 1_000,
    costUsd: 0.01,
    tokens: NO_TOKENS,
    steps: 1,
    toolCalls: 0,
    ...over,
  };
}

let messages = 0;

export function message(
  { runId, from, to }: { runId: string; from: string; to: string },
  over: Partial<Message> = {},
): Message {
  messages += 1;
  return {
    id: messages,
    uid: `m${messages}`,
    pairKey: `${from}|${to}`,
    fromAgentId: from,
    toAgentId: to,
    channel: "ask",
    direction: "request",
    content: `text ${messages}`,
    runId,
    parentRunId: null,
    rootRunId: "root",
    taskId: null,
    status: "delivered",
    occurredAt: at(messages),
    truncated: false,
    ...over,
  };
}
