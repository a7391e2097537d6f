/** The closed sets of words in the record's columns, in the order in which people read them. */

export const MESSAGE_CHANNELS = ["ask", "task", "task_comment", "task_result", "mail"] as const;
export type MessageChannel = (typeof MESSAGE_CHANNELS)[number];

export const MESSAGE_DIRECTIONS = ["request", "response"] as const;

export const MESSAGE_STATUSES = ["delivered", "failed", "timeout", "denied"] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export const RUN_STATUSES = ["completed", "failed", "timeout", "cancelled", "step_limit", "budget"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const AUDIT_OUTCOMES = ["ok", "failed", "denied", "timeout", "interrupted", "approval"] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** What became of a call that waited for a person. */
export const APPROVAL_DECISIONS = ["approved", "rejected", "expired"] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

export const JOB_KINDS = ["schedule", "toolJob"] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** What made a tick: its time, a person, or a new version of the Worker. */
export const TICK_CAUSES = ["time", "person", "start"] as const;
export type TickCause = (typeof TICK_CAUSES)[number];

export const TICK_OUTCOMES = [
  "no_action",
  "wake",
  "wake_stateless",
  "failed",
  "timeout",
  "interrupted",
  "missed",
  "skipped",
] as const;
export type TickOutcome = (typeof TICK_OUTCOMES)[number];
/** `expired`: its time was over before a channel took it. */
export const NOTICE_DELIVERIES = ["delivered", "expired"] as const;
