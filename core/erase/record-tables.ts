/** Which tables and columns of D1 are gone over: all with text but those named here, so that later ones are too. */
import { getTableName } from "drizzle-orm/table";
import { keyColumnsOf, TEXT_TABLES, textColumnsOf } from "../record/columns.ts";
import { isLeftColumn } from "./structure.ts";

/** Their rows hold no text of a person, or must not be changed. */
const LEFT_ALONE: readonly string[] = ["AdminLog", "ArchiveParts", "ArchiveIndex", "MirrorQueue"];

export interface ErasedTable {
  readonly name: string;
  /** Columns of the primary key: a few tables have no rowid. */
  readonly key: readonly string[];
  /** Those that may hold what a person has written. */
  readonly columns: readonly string[];
}

export const ERASED_TABLES: readonly ErasedTable[] = TEXT_TABLES.map((table) => ({
  name: getTableName(table),
  key: keyColumnsOf(table),
  columns: textColumnsOf(table).filter((column) => !isLeftColumn(getTableName(table), column)),
})).filter(({ name, columns }) => columns.length > 0 && !LEFT_ALONE.includes(name));
