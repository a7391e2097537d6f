/** What happens in a run, as it happens: one union for the chat stream and the live feed. All texts are scrubbed. */
import type { TaskView } from "./board/view.ts";
import type { JobEvent } from "./jobs/view.ts";
import type { AuditOutcome, MessageRow, NoticeRow, ReceiptRow } from "./record/rows.ts";

export type RunEvent =
  | {
      readonly type: "run";
      readonly runId: string;
      readonly rootRunId: string;
      readonly state: "queued" | "started";
    }
  /** A piece of the answer. A new attempt of the same step starts its text over. */
  | { readonly type: "delta"; readonly step: number; readonly attempt: number; readonly text: string }
  | {
      readonly type: "tool_call";
      readonly step: number;
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
    }
  | {
      readonly type: "tool_result";
      readonly step: number;
      readonly callId: string;
      readonly outcome: AuditOutcome;
      readonly content: string;
    }
  | { readonly type: "done"; readonly reply: string; readonly receipt: ReceiptRow };

/** A message as lists show it; `truncated` when its text is longer. */
export type LiveMessage = MessageRow & { readonly truncated: boolean };

/** What the live feed carries. */
export type LiveEvent =
  | { readonly type: "message"; readonly message: LiveMessage }
  | {
      readonly type: "run";
      readonly runId: string;
      readonly rootRunId: string;
      readonly agentId: string;
      readonly state: "queued" | "started" | "ended";
      readonly receipt: ReceiptRow | null;
    }
  | { readonly type: "task"; readonly task: TaskView }
  | JobEvent
  | { readonly type: "notice"; readonly notice: NoticeRow };
