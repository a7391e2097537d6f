/** Runs as A2A's tasks and messages. No I/O. */
import {
  type Artifact,
  type Message,
  type Part,
  Role,
  type StreamResponse,
  type Task,
  TaskState,
  type TaskStatus,
} from "@a2a-js/sdk";
import type { OutsideTask } from "../../core/agent/outside-tasks.ts";
import type { RunStatus } from "../../core/record/vocabulary.ts";

const ENDED: Record<RunStatus, TaskState> = {
  completed: TaskState.TASK_STATE_COMPLETED,
  cancelled: TaskState.TASK_STATE_CANCELED,
  failed: TaskState.TASK_STATE_FAILED,
  timeout: TaskState.TASK_STATE_FAILED,
  step_limit: TaskState.TASK_STATE_FAILED,
  budget: TaskState.TASK_STATE_FAILED,
};

/** Which run of which context. */
export interface TaskKey {
  readonly runId: string;
  readonly contextId: string;
}

/** `historyLength` as the client asks: undefined for all, 0 for none. */
export function taskOf(run: OutsideTask, historyLength: number | undefined): Task {
  const asked = messageOf(run, { role: Role.ROLE_USER, messageId: `${run.runId}.input` }, run.question);
  return {
    id: run.runId,
    contextId: run.contextId,
    status: statusOf(run),
    artifacts: run.ending === null || run.reply === "" ? [] : [replyArtifact([textPart(run.reply)])],
    history: historyLength === undefined || historyLength > 0 ? [asked] : [],
    metadata: undefined,
  };
}

export function isOver(run: OutsideTask): boolean {
  return run.ending !== null;
}

export function statusOf(run: OutsideTask): TaskStatus {
  if (run.ending === null) {
    const working = run.state === "started";
    return {
      state: working ? TaskState.TASK_STATE_WORKING : TaskState.TASK_STATE_SUBMITTED,
      message: undefined,
      timestamp: run.at,
    };
  }
  return endedStatus(run, run.ending, run.at);
}

interface Ending {
  readonly status: RunStatus;
  readonly reason: string | null;
  readonly error: string | null;
}

/** Why it did not complete is said in a message. `at` is ISO 8601. */
export function endedStatus(key: TaskKey, { status, reason, error }: Ending, at: string): TaskStatus {
  const why = [`The run ended as ${status}${reason === null ? "" : ` (${reason})`}.`, error ?? ""]
    .join(" ")
    .trim();
  const speaker = { role: Role.ROLE_AGENT, messageId: `${key.runId}.end` };
  return {
    state: ENDED[status],
    message: status === "completed" ? undefined : messageOf(key, speaker, why),
    timestamp: at,
  };
}

function messageOf(key: TaskKey, speaker: Pick<Message, "role" | "messageId">, text: string): Message {
  return {
    ...speaker,
    taskId: key.runId,
    contextId: key.contextId,
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

export function textPart(text: string): Part {
  return {
    content: { $case: "text", value: text },
    metadata: undefined,
    filename: "",
    mediaType: "text/plain",
  };
}

export function replyArtifact(parts: Part[]): Artifact {
  return { artifactId: "reply", name: "reply", description: "", parts, metadata: undefined, extensions: [] };
}

/** A piece of the reply. `append`: it follows what was sent before; otherwise it replaces that. */
export function replyPiece(
  { runId, contextId }: TaskKey,
  parts: Part[],
  { append, last }: { readonly append: boolean; readonly last: boolean },
): StreamResponse {
  const artifact = replyArtifact(parts);
  const value = { taskId: runId, contextId, artifact, append, lastChunk: last, metadata: undefined };
  return { payload: { $case: "artifactUpdate", value } };
}

export function statusUpdate({ runId, contextId }: TaskKey, status: TaskStatus): StreamResponse {
  return {
    payload: { $case: "statusUpdate", value: { taskId: runId, contextId, status, metadata: undefined } },
  };
}
