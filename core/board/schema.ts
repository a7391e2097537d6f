/** The taskboard's tables in D1; see core/record/schema.ts for how they become migrations and statements. */
import { sql } from "drizzle-orm/sql";
import { integer, text } from "drizzle-orm/sqlite-core/columns";
import { index } from "drizzle-orm/sqlite-core/indexes";
import { sqliteTable } from "drizzle-orm/sqlite-core/table";
import type { Lane } from "../journal/runs.ts";
import { PRIORITIES, TASK_EVENT_KINDS, TASK_STATUSES } from "./vocabulary.ts";

const unfinished = sql`"Status" NOT IN ('done', 'cancelled')`;

export const tasks = sqliteTable(
  "Tasks",
  {
    taskId: text("TaskId").primaryKey(),
    title: text("Title").notNull(),
    description: text("Description").notNull(),
    acceptance: text("Acceptance"),
    /** An agent's id or @human. */
    creator: text("Creator").notNull(),
    /** As given: an agent's id, `@new:<agent>` or @human. */
    assignee: text("Assignee").notNull(),
    priority: text("Priority", { enum: PRIORITIES }).notNull(),
    status: text("Status", { enum: TASK_STATUSES }).notNull(),
    dueAt: text("DueAt"),
    result: text("Result"),
    reason: text("Reason"),
    parentTaskId: text("ParentTaskId"),
    /** The stages still to come, as JSON. */
    stages: text("Stages").notNull(),
    /** How often a run was started for it. */
    attempts: integer("Attempts").notNull(),
    rejections: integer("Rejections").notNull(),
    /** The run that works on it; only this one may write (the fence). */
    runId: text("RunId"),
    rootRunId: text("RootRunId").notNull(),
    createdAt: text("CreatedAt").notNull(),
    updatedAt: text("UpdatedAt").notNull(),
    /** The object that works on it; null for a person's. */
    worker: text("Worker"),
    /** The object to wake with results, and where; null for a person. */
    creatorObject: text("CreatorObject"),
    creatorLane: text("CreatorLane").$type<Lane>().notNull(),
    /** The run that created it: the parent of its runs. */
    creatorRunId: text("CreatorRunId").notNull(),
    /** Of the creating run. */
    depth: integer("Depth").notNull(),
    /** The holder is taken for alive until then. */
    leaseUntil: text("LeaseUntil"),
    commentWakes: integer("CommentWakes").notNull(),
    /** What a person has been told of it, as JSON list. */
    told: text("Told").notNull(),
    /** Keys in R2 of fields too long for the row, as JSON by field. */
    longTexts: text("LongTexts"),
    /** Counts changes; a writer that saw an older one is refused. */
    version: integer("Version").notNull(),
    /** Null is refused: a statement sets it so when its precondition does not hold, and the batch is undone. */
    guard: integer("Guard").notNull(),
  },
  (table) => [
    index("IX_Tasks_Unfinished").on(table.updatedAt).where(unfinished),
    index("IX_Tasks_Lease").on(table.leaseUntil).where(sql`"LeaseUntil" IS NOT NULL`),
    index("IX_Tasks_Due")
      .on(table.dueAt)
      .where(sql`"DueAt" IS NOT NULL AND "Status" NOT IN ('done', 'cancelled')`),
    index("IX_Tasks_Assignee").on(table.assignee, table.status),
    index("IX_Tasks_Root").on(table.rootRunId),
    index("IX_Tasks_Parent").on(table.parentTaskId).where(sql`"ParentTaskId" IS NOT NULL`),
    index("IX_Tasks_Created").on(table.createdAt),
    index("IX_Tasks_Status").on(table.status, table.createdAt, table.taskId),
  ],
);

export const taskEvents = sqliteTable(
  "TaskEvents",
  {
    id: integer("Id").primaryKey({ autoIncrement: true }),
    /** The act's id: doing it again is refused, which makes every act happen once. */
    uid: text("Uid").notNull().unique("UX_TaskEvents_Uid"),
    taskId: text("TaskId").notNull(),
    kind: text("Kind", { enum: TASK_EVENT_KINDS }).notNull(),
    actor: text("Actor").notNull(),
    text: text("Text").notNull(),
    runId: text("RunId").notNull(),
    rootRunId: text("RootRunId").notNull(),
    occurredAt: text("OccurredAt").notNull(),
  },
  (table) => [index("IX_TaskEvents_Task").on(table.taskId)],
);

/** Runs that an act has caused and that their objects have not yet taken: written with the act, deleted when taken. */
export const taskWakes = sqliteTable("TaskWakes", {
  runId: text("RunId").primaryKey(),
  taskId: text("TaskId").notNull(),
  objectName: text("ObjectName").notNull(),
  /** The whole order, as JSON. */
  run: text("Run").notNull(),
  createdAt: text("CreatedAt").notNull(),
});
