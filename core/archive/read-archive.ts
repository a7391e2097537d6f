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

const PARTS_OF = `SELECT p."TableName" AS "tableName", p."Day" AS "day", p."Part" AS "part"
  FROM "ArchiveIndex" i JOIN "ArchiveParts" p ON p."Id" = i."Part"
  WHERE i."Name" = ? AND p."Keys" IS NULL ORDER BY i."Part" LIMIT ${MAX_PARTS + 1}`;

/** What the archive has of a chain; null when it has nothing. Rejects when D1 or R2 does, or an object is damaged or missing. */
export async function archivedChain(archive: Archive, rootRunId: string): Promise<ArchivedChain | null> {
  const parts = await archive.reader.all<PartName>(PARTS_OF, rootRunId);
  if (parts.length === 0) return null;
  const opened = parts.slice(0, MAX_PARTS);
  const rows = async <Row extends { readonly rootRunId: string }>(table: string) =>
    (await rowsOf<Row>(archive.texts, opened, table)).filter((row) => row.rootRunId === rootRunId);
  return {
    messages: await rows<SelectedMessage>(MESSAGES.name),
    audit: await rows<AuditView>(AUDIT.name),
    receipts: await rows<ReceiptRow>(RECEIPTS.name),
    tasks: await rows<TaskRow>(TASKS.name),
    whole: parts.length <= MAX_PARTS,
  };
}

/** The receipt of an archived run, or null. Rejects when D1 or R2 does. */
export async function archivedReceipt(archive: Archive, runId: string): Promise<ReceiptRow | null> {
  const parts = await archive.reader.all<PartName>(PARTS_OF, runId);
  const receipts = await rowsOf<ReceiptRow>(archive.texts, parts.slice(0, MAX_PARTS), RECEIPTS.name);
  return receipts.find((receipt) => receipt.runId === runId) ?? null;
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

/** An archived message by its id, or by a uid that names its run; null when there is none. Rejects when D1 or R2 does. */
export async function archivedMessage(archive: Archive, idOrUid: string): Promise<SelectedMessage | null> {
  const byId = ID.test(idOrUid);
  const parts = byId
    ? await archive.reader.all<PartName>(PARTS_AROUND, Number(idOrUid))
    : await partsOfUid(archive.reader, idOrUid);
  for (const part of parts) {
    const rows = await rowsOf<SelectedMessage>(archive.texts, [part], MESSAGES.name);
    const found = rows.find(({ id, uid }) => (byId ? id === Number(idOrUid) : uid === idOrUid));
    if (found !== undefined) return found;
  }
  return null;
}

async function partsOfUid(reader: Reader, uid: string): Promise<PartName[]> {
  const [runId] = uid.match(NAMES) ?? [];
  return runId === undefined ? [] : reader.all<PartName>(PARTS_OF, runId);
}

/** `Row` is what the table's column list says: the archive holds what D1 answered. */
async function rowsOf<Row>(texts: R2Bucket, parts: readonly PartName[], table: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of parts.filter(({ tableName }) => tableName === table)) {
    const part = await readPart<Row>(texts, partKey(name));
    if (part === null) throw new Error(`${partKey(name)} is not in the archive`);
    rows.push(...part.rows);
  }
  return rows;
}
