/**
 * The record's tables in D1: the one source for migrations, row types, statements and column lists.
 * The property names are the names in the API. After a change run `npm run db:generate`; the search
 * index and its triggers are in a migration written by hand.
 *
 * Every index is a billed row per insert. An index of a table with an integer key ends with that key by
 * itself, so (PairKey, OccurredAt) also sorts by Id.
 */
import { sql } from "drizzle-orm/sql";
import { integer, text } from "drizzle-orm/sqlite-core/columns";
import { index } from "drizzle-orm/sqlite-core/indexes";
import { sqliteTable } from "drizzle-orm/sqlite-core/table";
import type { Trigger } from "../lineage.ts";
import { LOG_LEVELS } from "../log.ts";
import {
  APPROVAL_DECISIONS,
  AUDIT_OUTCOMES,
  JOB_KINDS,
  MESSAGE_CHANNELS,
  MESSAGE_DIRECTIONS,
  MESSAGE_STATUSES,
  NOTICE_DELIVERIES,
  RUN_STATUSES,
  TICK_CAUSES,
  TICK_OUTCOMES,
} from "./vocabulary.ts";

const inTrouble = sql`"Status" <> 'delivered'`;

export const agentMessages = sqliteTable(
  "AgentMessages",
  {
    /** Follows the time of the message, see write-record.ts. */
    id: integer("Id").primaryKey({ autoIncrement: true }),
    uid: text("Uid").notNull().unique("UX_AgentMessages_Uid"),
    pairKey: text("PairKey").notNull(),
    fromAgentId: text("FromAgentId").notNull(),
    toAgentId: text("ToAgentId").notNull(),
    channel: text("Channel", { enum: MESSAGE_CHANNELS }).notNull(),
    direction: text("Direction", { enum: MESSAGE_DIRECTIONS }).notNull(),
    /** The whole text, or its beginning where ContentRef is set. */
    content: text("Content").notNull(),
    /** The key in R2 of a text too large for a row. */
    contentRef: text("ContentRef"),
    runId: text("RunId").notNull(),
    parentRunId: text("ParentRunId"),
    rootRunId: text("RootRunId").notNull(),
    taskId: text("TaskId"),
    status: text("Status", { enum: MESSAGE_STATUSES }).notNull(),
    occurredAt: text("OccurredAt").notNull(),
  },
  (table) => [
    index("IX_AgentMessages_Pair").on(table.pairKey, table.occurredAt),
    index("IX_AgentMessages_Root").on(table.rootRunId, table.occurredAt),
    index("IX_AgentMessages_From").on(table.fromAgentId, table.occurredAt),
    index("IX_AgentMessages_To").on(table.toAgentId, table.occurredAt),
    index("IX_AgentMessages_Time").on(table.occurredAt),
    // Few messages come to nothing: these cost the others nothing.
    index("IX_AgentMessages_TroublePair").on(table.pairKey, table.occurredAt).where(inTrouble),
    index("IX_AgentMessages_TroubleTime").on(table.occurredAt).where(inTrouble),
  ],
);

export const auditLog = sqliteTable(
  "AuditLog",
  {
    id: integer("Id").primaryKey({ autoIncrement: true }),
    uid: text("Uid").notNull().unique("UX_AuditLog_Uid"),
    runId: text("RunId").notNull(),
    parentRunId: text("ParentRunId"),
    rootRunId: text("RootRunId").notNull(),
    agentId: text("AgentId").notNull(),
    tool: text("Tool").notNull(),
    arguments: text("Arguments").notNull(),
    outcome: text("Outcome", { enum: AUDIT_OUTCOMES }).notNull(),
    error: text("Error"),
    /** Null where the call's end is unknown. */
    durationMs: integer("DurationMs"),
    occurredAt: text("OccurredAt").notNull(),
  },
  (table) => [
    index("IX_AuditLog_Run").on(table.runId),
    index("IX_AuditLog_Root").on(table.rootRunId),
    index("IX_AuditLog_Agent").on(table.agentId),
  ],
);

export const runReceipts = sqliteTable(
  "RunReceipts",
  {
    runId: text("RunId").primaryKey(),
    parentRunId: text("ParentRunId"),
    rootRunId: text("RootRunId").notNull(),
    agentId: text("AgentId").notNull(),
    trigger: text("Trigger").$type<Trigger>().notNull(),
    model: text("Model").notNull(),
    status: text("Status", { enum: RUN_STATUSES }).notNull(),
    reason: text("Reason"),
    steps: integer("Steps").notNull(),
    toolCalls: integer("ToolCalls").notNull(),
    /** Tokens are null where the provider reported none. Input includes the cached ones. */
    inputTokens: integer("InputTokens"),
    cachedInputTokens: integer("CachedInputTokens"),
    outputTokens: integer("OutputTokens"),
    reasoningTokens: integer("ReasoningTokens"),
    /** Millionths of a US dollar; null is unknown, never 0. */
    costMicros: integer("CostMicros"),
    /** Where the prices came from, with its version. */
    priceSource: text("PriceSource"),
    queuedMs: integer("QueuedMs").notNull(),
    durationMs: integer("DurationMs").notNull(),
    startedAt: text("StartedAt").notNull(),
    finishedAt: text("FinishedAt").notNull(),
    resumes: integer("Resumes").notNull(),
    error: text("Error"),
  },
  (table) => [
    index("IX_RunReceipts_Root").on(table.rootRunId),
    index("IX_RunReceipts_Agent").on(table.agentId, table.startedAt),
    // Most runs have no parent: the partial index costs them nothing.
    index("IX_RunReceipts_Parent").on(table.parentRunId).where(sql`"ParentRunId" IS NOT NULL`),
  ],
);

export const notices = sqliteTable(
  "Notices",
  {
    id: integer("Id").primaryKey({ autoIncrement: true }),
    uid: text("Uid").notNull().unique("UX_Notices_Uid"),
    kind: text("Kind").notNull(),
    text: text("Text").notNull(),
    rootRunId: text("RootRunId"),
    agentId: text("AgentId"),
    occurredAt: text("OccurredAt").notNull(),
    /** What became of its way to the channel; null while it is still to go there, see core/channels/notices.ts. */
    delivery: text("Delivery", { enum: NOTICE_DELIVERIES }),
    /** The channel of the latest attempt. */
    channel: text("Channel"),
    deliveredAt: text("DeliveredAt"),
    /** Null counts as none. */
    attempts: integer("Attempts"),
    /** No attempt before then; null: at once. */
    nextAttemptAt: text("NextAttemptAt"),
    lastError: text("LastError"),
  },
  (table) => [
    // Holds what is still to be sent, so that an idle minute reads nothing.
    index("IX_Notices_Pending").on(table.nextAttemptAt).where(sql`"Delivery" IS NULL`),
    // For a chain's export; notices are few.
    index("IX_Notices_Root").on(table.rootRunId).where(sql`"RootRunId" IS NOT NULL`),
  ],
);

/** What the runtime and its tools say of their work; best effort, unlike the record. */
export const logs = sqliteTable(
  "Logs",
  {
    /** Follows the time of the line, so a day is a range of ids and needs no index. */
    id: integer("Id").primaryKey({ autoIncrement: true }),
    /** `Core`, `Worker` or `Tool_<Name>`. */
    module: text("Module").notNull(),
    level: text("Level", { enum: LOG_LEVELS }).notNull(),
    agentId: text("AgentId"),
    runId: text("RunId"),
    text: text("Text").notNull(),
    occurredAt: text("OccurredAt").notNull(),
  },
  (table) => [
    index("IX_Logs_Module").on(table.module),
    // Most lines are no trouble: the partial index costs them nothing.
    index("IX_Logs_Trouble").on(table.id).where(sql`"Level" IN ('warn', 'error')`),
  ],
);

export const jobTicks = sqliteTable(
  "JobTicks",
  {
    /** Follows the time at which the tick was over, see insert-statement.ts. */
    id: integer("Id").primaryKey({ autoIncrement: true }),
    /** Names agent, job and scheduled time: a tick is there once (L7). */
    uid: text("Uid").notNull().unique("UX_JobTicks_Uid"),
    agentId: text("AgentId").notNull(),
    jobId: text("JobId").notNull(),
    kind: text("Kind", { enum: JOB_KINDS }).notNull(),
    cause: text("Cause", { enum: TICK_CAUSES }).notNull(),
    outcome: text("Outcome", { enum: TICK_OUTCOMES }).notNull(),
    summary: text("Summary"),
    /** The run that it woke the agent with. */
    runId: text("RunId"),
    /** How many ticks the row stands for: more than one only where they were missed. */
    ticks: integer("Ticks").notNull(),
    scheduledAt: text("ScheduledAt").notNull(),
    startedAt: text("StartedAt").notNull(),
    finishedAt: text("FinishedAt").notNull(),
    durationMs: integer("DurationMs").notNull(),
  },
  (table) => [index("IX_JobTicks_Job").on(table.agentId, table.jobId)],
);

/** Tool calls that a person must allow. */
export const approvals = sqliteTable(
  "Approvals",
  {
    /** The call's name: run, step and position. */
    uid: text("Uid").primaryKey(),
    agentId: text("AgentId").notNull(),
    runId: text("RunId").notNull(),
    rootRunId: text("RootRunId").notNull(),
    taskId: text("TaskId"),
    /** The function, as the model calls it. */
    tool: text("Tool").notNull(),
    arguments: text("Arguments").notNull(),
    truncated: integer("Truncated").notNull(),
    /** Null while it waits. */
    decision: text("Decision", { enum: APPROVAL_DECISIONS }),
    comment: text("Comment").notNull(),
    /** What came of the call once it was allowed; `denied` where it was not made. */
    outcome: text("Outcome", { enum: AUDIT_OUTCOMES }),
    requestedAt: text("RequestedAt").notNull(),
    expiresAt: text("ExpiresAt").notNull(),
    decidedAt: text("DecidedAt"),
  },
  (table) => [
    // Holds what waits, so that an idle minute reads nothing.
    index("IX_Approvals_Waiting").on(table.expiresAt).where(sql`"Decision" IS NULL`),
    index("IX_Approvals_Decided").on(table.decidedAt).where(sql`"DecidedAt" IS NOT NULL`),
  ],
);

/** Who changed what in the instance. Triggers refuse to change or delete a row, see the migration. */
export const adminLog = sqliteTable(
  "AdminLog",
  {
    id: integer("Id").primaryKey({ autoIncrement: true }),
    uid: text("Uid").notNull().unique("UX_AdminLog_Uid"),
    actor: text("Actor").notNull(),
    action: text("Action").notNull(),
    target: text("Target").notNull(),
    /** JSON; never a text of a person. */
    details: text("Details").notNull(),
    occurredAt: text("OccurredAt").notNull(),
    /** Who put the row here from a backup; null for one that this instance has written itself. */
    restoredBy: text("RestoredBy"),
    restoredAt: text("RestoredAt"),
  },
  (table) => [
    // Acts of administration are few, so each way of asking for them has its index.
    index("IX_AdminLog_Actor").on(table.actor),
    index("IX_AdminLog_Action").on(table.action),
    index("IX_AdminLog_ActorAction").on(table.actor, table.action),
  ],
);
