/** Finds rows in the archive: a look at the index, then the few objects that it names. */
import type { TaskRow } from "../board/task.ts";
import type { SelectedMessage } from "../record/message-view.ts";
import type { Reader } from "../record/reader.ts";
import type { ReceiptRow } from "../record/rows.ts";
import type { AuditView } from "../record/run-view.ts";
import { AUDIT, MESSAGES, RECEIPTS, TASKS } from "../retention/kept-tables.ts";
import { type PartName, partKey, readPart } from "./part-file.ts";

export interface Archive {
  readonly reader: Reader;
  readonly texts: R2Bucket;
}

export interface ArchivedChain {
  readonly messages: readonly SelectedMessage[];
  readonly audit: readonly AuditView[];
  readonly receipts: readonly ReceiptRow[];
  readonly tasks: readonly TaskRow[];
  /** False when the chain lies in more objects than one answer opens. */
  readonly whole: boolean;
}

/** A part holds a thousand rows, and a chain's rows lie side by side. */
const MAX_PARTS = 24;

/** Only of tables that are asked for, so that no part counts that is not opened. */
const PARTS_OF = `SELECT p."TableName" AS "tableName", p."Day" AS "day", p."Part" AS "part"
  FROM "ArchiveIndex" i JOIN "ArchiveParts" p ON p."Id" = i."Part"
  WHERE i."Name" = ? AND p."Keys" IS NULL AND p."TableName" IN (SELECT value FROM json_each(?))
  ORDER BY i."Part" LIMIT ${MAX_PARTS + 1}`;

const CHAIN_TABLES: readonly string[] = [MESSAGES.name, AUDIT.name, RECEIPTS.name, TASKS.name];

/**
 * What the archive has of a chain in these tables; null when it has nothing. Holds one part at a time beside what it
 * finds. Rejects when D1 or R2 does, or an object is damaged or missing.
 */
export async function archivedChain(
  archive: Archive,
  rootRunId: string,
  tables: readonly string[] = CHAIN_TABLES,
): Promise<ArchivedChain | null> {
  const parts = await partsOf(archive.reader, rootRunId, tables);
  if (parts.length === 0) return null;
  const opened = parts.slice(0, MAX_PARTS);
  const rows = <Row extends { readonly rootRunId: string }>(table: string) =>
    rowsOf<Row>(archive.texts, opened, { table, keeps: (row) => row.rootRunId === rootRunId });
  return {
    messages: await rows<SelectedMessage>(MESSAGES.name),
    audit: await rows<AuditView>(AUDIT.name),
    receipts: await rows<ReceiptRow>(RECEIPTS.name),
    tasks: await rows<TaskRow>(TASKS.name),
    whole: parts.length <= MAX_PARTS,
  };
}

/** The receipt of an archived run, or null. Rejects when D1 does, or when it may be in an object that cannot be read. */
export async function archivedReceipt(archive: Archive, runId: string): Promise<ReceiptRow | null> {
  const parts = await partsOf(archive.reader, runId, [RECEIPTS.name]);
  return firstIn<ReceiptRow>(archive.texts, parts.slice(0, MAX_PARTS), (row) => row.runId === runId);
}

function partsOf(reader: Reader, name: string, tables: readonly string[]): Promise<PartName[]> {
  return reader.all<PartName>(PARTS_OF, name, JSON.stringify(tables));
}

/** Parts overlap only where rows came late, so that the number is in one of the nearest. */
const NEAREST = 20;
const PARTS_AROUND = `SELECT "tableName", "day", "part" FROM (
    SELECT "TableName" AS "tableName", "Day" AS "day", "Part" AS "part", "LastId" AS "lastId" FROM "ArchiveParts"
    WHERE "TableName" = '${MESSAGES.name}' AND "FirstId" <= ?1 AND "Keys" IS NULL ORDER BY "FirstId" DESC LIMIT ${NEAREST})
  WHERE "lastId" >= ?1`;

const ID = /^\d{1,16}$/;
/** A run's id in a uid. */
const NAMES = /[a-z0-9@][a-z0-9_@-]*\.[a-z0-9]{10,60}/g;

/**
 * An archived message by its id, or by a uid that names its run; null when there is none. Rejects when D1 does, or
 * when it may be in an object that cannot be read.
 */
export async function archivedMessage(archive: Archive, idOrUid: string): Promise<SelectedMessage | null> {
  const byId = ID.test(idOrUid);
  const parts = byId
    ? await archive.reader.all<PartName>(PARTS_AROUND, Number(idOrUid))
    : await partsOfUid(archive.reader, idOrUid);
  return firstIn<SelectedMessage>(archive.texts, parts, ({ id, uid }) =>
    byId ? id === Number(idOrUid) : uid === idOrUid,
  );
}

async function partsOfUid(reader: Reader, uid: string): Promise<PartName[]> {
  const [runId] = uid.match(NAMES) ?? [];
  return runId === undefined ? [] : partsOf(reader, runId, [MESSAGES.name]);
}

/** A part that cannot be read only counts when the row is in none of the others. */
async function firstIn<Row>(
  texts: R2Bucket,
  parts: readonly PartName[],
  isIt: (row: Row) => boolean,
): Promise<Row | null> {
  const failures: unknown[] = [];
  for (const part of parts) {
    const rows = await rowsIn(texts, part, isIt).catch((error: unknown) => {
      failures.push(error);
      return [];
    });
    if (rows[0] !== undefined) return rows[0];
  }
  if (failures.length > 0) throw failures[0];
  return null;
}

async function rowsOf<Row>(
  texts: R2Bucket,
  parts: readonly PartName[],
  { table, keeps }: { readonly table: string; readonly keeps: (row: Row) => boolean },
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of parts.filter(({ tableName }) => tableName === table))
    rows.push(...(await rowsIn(texts, name, keeps)));
  return rows;
}

/** `Row` is what the table's column list says: the archive holds what D1 answered. */
async function rowsIn<Row>(texts: R2Bucket, name: PartName, keeps: (row: Row) => boolean): Promise<Row[]> {
  const part = await readPart<Row>(texts, partKey(name));
  if (part === null) throw new Error(`${partKey(name)} is not in the archive`);
  return part.rows.filter(keeps);
}
