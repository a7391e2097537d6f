/** The archive's tables in D1: which objects in R2 there are, and whom they hold. See core/record/schema.ts. */
import { sql } from "drizzle-orm/sql";
import { integer, text } from "drizzle-orm/sqlite-core/columns";
import { index, uniqueIndex } from "drizzle-orm/sqlite-core/indexes";
import { primaryKey } from "drizzle-orm/sqlite-core/primary-keys";
import { sqliteTable } from "drizzle-orm/sqlite-core/table";

export const archiveParts = sqliteTable(
  "ArchiveParts",
  {
    id: integer("Id").primaryKey({ autoIncrement: true }),
    tableName: text("TableName").notNull(),
    /** The UTC day of its rows. */
    day: text("Day").notNull(),
    /** Counts from 1 within table and day; names the object. */
    part: integer("Part").notNull(),
    /** While its rows are on their way: their keys as a JSON list. Null once they are in the archive only. */
    keys: text("Keys"),
    rows: integer("Rows").notNull(),
    /** Of tables with numbered rows: the smallest and the largest number. */
    firstId: integer("FirstId"),
    lastId: integer("LastId"),
    createdAt: text("CreatedAt").notNull(),
  },
  (table) => [
    uniqueIndex("UX_ArchiveParts_Name").on(table.tableName, table.day, table.part),
    // One at most for each table.
    uniqueIndex("UX_ArchiveParts_Open").on(table.tableName).where(sql`"Keys" IS NOT NULL`),
    index("IX_ArchiveParts_First").on(table.tableName, table.firstId),
  ],
);

/** In which parts a chain or a run is found. */
export const archiveIndex = sqliteTable(
  "ArchiveIndex",
  {
    /** A RootRunId or a RunId. */
    name: text("Name").notNull(),
    part: integer("Part").notNull(),
  },
  (table) => [primaryKey({ columns: [table.name, table.part] })],
);
