/** What the closed words of older databases mean among ours. Compared in lower case without spaces, `_` and `-`. */
import type { Trigger } from "../lineage.ts";
import type { AuditOutcome, MessageChannel, MessageStatus, RunStatus } from "./vocabulary.ts";

export type Words<Word extends string> = ReadonlyMap<string, Word>;

const SUCCESS = [
  "ok",
  "okay",
  "success",
  "succeeded",
  "successful",
  "completed",
  "complete",
  "done",
  "finished",
  "true",
  "1",
];
const FAILURE = [
  "failed",
  "fail",
  "failure",
  "error",
  "errored",
  "exception",
  "crashed",
  "faulted",
  "false",
  "0",
];
const TIMEOUT = ["timeout", "timedout", "deadline"];
const CANCELLED = ["cancelled", "canceled", "aborted", "stopped"];
const DENIED = ["denied", "blocked", "refused", "forbidden", "rejected", "notallowed", "unauthorized"];

export const RUN_STATUS_WORDS = words<RunStatus>({
  completed: SUCCESS,
  failed: FAILURE,
  timeout: TIMEOUT,
  cancelled: CANCELLED,
  step_limit: ["steplimit", "maxsteps", "maxiterations", "iterationlimit", "maxrounds", "toolloop"],
  budget: ["budget", "budgetexceeded", "costlimit", "tokenlimit"],
});

export const AUDIT_OUTCOME_WORDS = words<AuditOutcome>({
  ok: SUCCESS,
  failed: FAILURE,
  denied: DENIED,
  timeout: TIMEOUT,
  interrupted: ["interrupted", ...CANCELLED],
  approval: ["approval", "waitingforapproval", "pendingapproval"],
});

export const MESSAGE_STATUS_WORDS = words<MessageStatus>({
  delivered: ["delivered", "sent", "answered", "received", ...SUCCESS],
  failed: FAILURE,
  timeout: TIMEOUT,
  denied: DENIED,
});

export const CHANNEL_WORDS = words<MessageChannel>({
  ask: ["ask", "askagent", "question", "agentcomm"],
  task: ["task", "taskboard", "taskcreate"],
  task_comment: ["taskcomment", "comment"],
  task_result: ["taskresult", "result"],
  mail: ["mail", "email"],
});

export const DIRECTION_WORDS = words<"request" | "response">({
  request: ["request", "question", "out", "outgoing"],
  response: ["response", "answer", "reply", "in", "incoming"],
});

export const TRIGGER_WORDS = words<Trigger>({
  chat: ["chat", "user", "manual", "conversation", "message", "interactive"],
  run: ["run", "api", "http", "isolated", "stateless"],
  ask: ["ask", "askagent", "question", "agent", "agentcomm"],
  task: ["task", "taskboard", "tasks"],
  schedule: ["schedule", "scheduled", "scheduler", "cron", "timer"],
  job: ["job", "tooljob", "wake"],
  email: ["email", "mail"],
  webhook: ["webhook", "hook"],
});

/** The word of ours, or null when it means none of them. */
export function wordFor<Word extends string>(known: Words<Word>, text: string): Word | null {
  return known.get(text.toLowerCase().replace(/[\s_-]/g, "")) ?? null;
}

function words<Word extends string>(table: Readonly<Record<Word, readonly string[]>>): Words<Word> {
  const found = new Map<string, Word>();
  for (const word in table) for (const old of table[word]) found.set(old, word);
  return found;
}
