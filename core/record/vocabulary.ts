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
