/** What the mirror has still to copy, in D1. See core/record/schema.ts; the triggers that fill the queue are a migration by hand. */
import { integer, text } from "drizzle-orm/sqlite-core/columns";
import { sqliteTable } from "drizzle-orm/sqlite-core/table";
import { unique } from "drizzle-orm/sqlite-core/unique-constraint";

/** One row while there is a mirror, and none otherwise: without it the triggers write nothing. */
export const mirror = sqliteTable("Mirror", {
  id: integer("Id").primaryKey(),
  /** Which database is filled; another one is filled from the beginning. */
  target: text("Target").notNull(),
  /** How far the rows that were there before have been copied, as JSON by table. */
  backfill: text("Backfill").notNull(),
  /** Rows written since it was set up. */
  written: integer("Written").notNull(),
  /** Rows of which a text was cut, since the other side takes none that long. */
  cut: integer("Cut").notNull(),
  /** The end of the latest attempt that went well. */
  lastAt: text("LastAt"),
  /** Null when the latest attempt went well. */
  lastError: text("LastError"),
  failingSince: text("FailingSince"),
  /** Somebody is at work until then. */
  leaseUntil: text("LeaseUntil"),
});

export const mirrorQueue = sqliteTable(
  "MirrorQueue",
  {
    id: integer("Id").primaryKey({ autoIncrement: true }),
    tableName: text("TableName").notNull(),
    rowKey: text("RowKey").notNull(),
    /** Counts changes of the row, so that one which comes while it is copied is not lost. */
    changes: integer("Changes").notNull(),
    queuedAt: text("QueuedAt").notNull(),
  },
  (table) => [unique("UX_MirrorQueue_Row").on(table.tableName, table.rowKey)],
);
