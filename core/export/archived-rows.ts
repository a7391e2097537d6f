/** A chain's rows in the archive, object by object: one is held in memory at a time. */
import { type PartName, partKey, readPart } from "../archive/part-file.ts";
import type { Reader } from "../record/reader.ts";

/** Objects that one export opens for all its tables. */
const MAX_PARTS = 200;

const PARTS_OF = `SELECT p."TableName" AS "tableName", p."Day" AS "day", p."Part" AS "part"
  FROM "ArchiveIndex" i JOIN "ArchiveParts" p ON p."Id" = i."Part"
  WHERE i."Name" = ? AND p."Keys" IS NULL ORDER BY i."Part" LIMIT ${MAX_PARTS + 1}`;

export interface ArchivedParts {
  readonly parts: readonly PartName[];
  /** False when there are more than one export opens. */
  readonly whole: boolean;
}

/** Rejects when D1 does. */
export async function archivedParts(reader: Reader, rootRunId: string): Promise<ArchivedParts> {
  const parts = await reader.all<PartName>(PARTS_OF, rootRunId);
  return { parts: parts.slice(0, MAX_PARTS), whole: parts.length <= MAX_PARTS };
}

/** `Row` is what the table's column list says. Rejects when R2 does, or an object is damaged or missing. */
export async function* archivedRows<Row extends { readonly rootRunId: string | null }>(
  texts: R2Bucket,
  { parts }: ArchivedParts,
  of: { readonly table: string; readonly rootRunId: string },
): AsyncGenerator<Row> {
  for (const name of parts.filter(({ tableName }) => tableName === of.table)) {
    const part = await readPart<Row>(texts, partKey(name));
    if (part === null) throw new Error(`${partKey(name)} is not in the archive`);
    for (const row of part.rows) if (row.rootRunId === of.rootRunId) yield row;
  }
}

/** The index knows runs as well: whether it is a chain that goes by that name. */
export async function isArchivedChain(
  { reader, texts }: { readonly reader: Reader; readonly texts: R2Bucket },
  rootRunId: string,
): Promise<boolean> {
  const found = await archivedParts(reader, rootRunId);
  const tables = new Set(found.parts.map(({ tableName }) => tableName));
  for (const table of tables) {
    const first = await archivedRows(texts, found, { table, rootRunId }).next();
    if (first.done !== true) return true;
  }
  return false;
}
