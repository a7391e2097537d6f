/**
 * Rows on their way from D1 into the archive. First it is written down which rows go into which object; then
 * the object is put, read back and compared; then one batch deletes the rows, names them in the index and
 * closes the part. Cut short anywhere, the next call goes on with the same rows and the same name, so that no
 * row is deleted before it lies in the archive, and none lies there twice.
 */
import { ownJson } from "../journal/database.ts";
import type { KeptRow, KeptTable } from "../retention/kept-tables.ts";
import type { OldRow } from "../retention/old-rows.ts";
import { type PartName, partKey, putPart, readPart } from "./part-file.ts";

export interface ArchiveStores {
  readonly db: D1Database;
  readonly texts: R2Bucket;
  readonly now: () => number;
}

interface OpenPart extends PartName {
  readonly id: number;
  /** JSON. */
  readonly keys: string;
}

/**
 * Archives one part: the one that was begun, else what `select` finds, which must be of one UTC day. Answers how
 * many rows it took; 0: there is nothing to do, or the mirror has still to copy a change of one of them. Rejects when
 * D1 or R2 does, or when what was stored is not what was sent.
 */
export async function archivePart(
  stores: ArchiveStores,
  table: KeptTable,
  select: () => Promise<readonly OldRow[]>,
): Promise<number> {
  const open = (await openPart(stores.db, table)) ?? (await beginPart(stores, table, await select()));
  if (open === null || (await waits(stores.db, open))) return 0;
  const planned = ownJson<unknown[]>(open.keys).length;
  const rows = await rowsOf(stores.db, table, open);
  const all = rows.length < planned ? await withStored(stores.texts, table, { open, rows }) : rows;
  if (rows.length > 0) await store(stores.texts, partKey(open), all);
  return (await closePart(stores.db, table, { open, rows: all })) ? planned : 0;
}

const OPEN_PART = `SELECT "Id" AS "id", "TableName" AS "tableName", "Day" AS "day", "Part" AS "part", "Keys" AS "keys"
  FROM "ArchiveParts" WHERE "TableName" = ? AND "Keys" IS NOT NULL`;

function openPart(db: D1Database, table: KeptTable): Promise<OpenPart | null> {
  return db.prepare(OPEN_PART).bind(table.name).first<OpenPart>();
}

/** Another call may have begun one at the same time: then that one is gone on with. */
async function beginPart(
  { db, texts, now }: ArchiveStores,
  table: KeptTable,
  rows: readonly OldRow[],
): Promise<OpenPart | null> {
  const [first] = rows;
  if (first === undefined) return null;
  const keys = rows.map(({ key }) => key);
  const ids = keys.filter((key) => typeof key === "number");
  const day = first.at.slice(0, 10);
  await db
    .prepare(
      `INSERT OR IGNORE INTO "ArchiveParts" ("TableName", "Day", "Part", "Keys", "Rows", "FirstId", "LastId", "CreatedAt")
       SELECT ?1, ?2, ?7, ?3, 0, ?4, ?5, ?6
       WHERE NOT EXISTS (SELECT 1 FROM "ArchiveParts" WHERE "TableName" = ?1 AND "Keys" IS NOT NULL)`,
    )
    .bind(
      table.name,
      day,
      JSON.stringify(keys),
      ids.length === 0 ? null : Math.min(...ids),
      ids.length === 0 ? null : Math.max(...ids),
      new Date(now()).toISOString(),
      await freeNumber({ db, texts }, table.name, day),
    )
    .run();
  return openPart(db, table);
}

/** D1 may have been set back to a time before objects that are there: these are never written over. */
async function freeNumber(
  { db, texts }: Pick<ArchiveStores, "db" | "texts">,
  tableName: string,
  day: string,
): Promise<number> {
  const last = await db
    .prepare(`SELECT max("Part") AS "part" FROM "ArchiveParts" WHERE "TableName" = ? AND "Day" = ?`)
    .bind(tableName, day)
    .first<number | null>("part");
  let part = (last ?? 0) + 1;
  while ((await texts.head(partKey({ tableName, day, part }))) !== null) part += 1;
  return part;
}

/** Whether the mirror has still to copy a row of the part: deleted, its change would never get there. */
const QUEUED = `EXISTS (SELECT 1 FROM "ArchiveParts" p, json_each(p."Keys") k JOIN "MirrorQueue" q
  ON q."TableName" = p."TableName" AND q."RowKey" = CAST(k.value AS TEXT) WHERE p."Id" = ?1)`;

async function waits(db: D1Database, { id }: OpenPart): Promise<boolean> {
  return (await db.prepare(`SELECT ${QUEUED} AS "queued"`).bind(id).first("queued")) === 1;
}

/** The keys as long as the part is open: one that another call has closed meanwhile holds none. */
const KEYS = `(SELECT value FROM "ArchiveParts" p, json_each(p."Keys") WHERE p."Id" = ?1)`;

async function rowsOf(
  db: D1Database,
  { columns, name, key }: KeptTable,
  { id }: OpenPart,
): Promise<KeptRow[]> {
  const { results } = await db
    .prepare(`SELECT ${columns} FROM "${name}" t WHERE t."${key}" IN ${KEYS} ORDER BY t."${key}"`)
    .bind(id)
    .all<KeptRow>();
  return results;
}

/**
 * Rows that are planned but gone from D1 are in the part's object, if anywhere: D1 comes from a backup that was made
 * between two of its tables. They stay there.
 */
async function withStored(
  texts: R2Bucket,
  { key }: KeptTable,
  { open, rows }: { readonly open: OpenPart; readonly rows: readonly KeptRow[] },
): Promise<readonly KeptRow[]> {
  const stored = await readPart(texts, partKey(open));
  const property = key.charAt(0).toLowerCase() + key.slice(1);
  const inD1 = new Set(rows.map((row) => row[property]));
  return [...(stored?.rows ?? []).filter((row) => !inD1.has(row[property])), ...rows];
}

async function store(texts: R2Bucket, key: string, rows: readonly KeptRow[]): Promise<void> {
  await putPart(texts, key, { rows });
  const stored = await readPart(texts, key);
  if (JSON.stringify(stored?.rows) !== JSON.stringify(rows)) throw new Error(`${key} was not stored as sent`);
}

/**
 * Changes nothing when another call has closed the part, and is false with nothing changed when one of its rows was
 * changed meanwhile and the mirror has to copy it.
 */
async function closePart(
  db: D1Database,
  table: KeptTable,
  { open, rows }: { readonly open: OpenPart; readonly rows: readonly KeptRow[] },
): Promise<boolean> {
  const names = new Set(rows.flatMap((row) => table.namedBy.map((column) => row[column] ?? null)));
  names.delete(null);
  const statements = [
    db
      .prepare(`UPDATE "ArchiveParts" SET "Rows" = iif(${QUEUED}, NULL, "Rows") WHERE "Id" = ?1`)
      .bind(open.id),
    db
      .prepare(`INSERT OR IGNORE INTO "ArchiveIndex" ("Name", "Part") SELECT value, ?1 FROM json_each(?2)`)
      .bind(open.id, JSON.stringify([...names])),
    db.prepare(`DELETE FROM "${table.name}" WHERE "${table.key}" IN ${KEYS}`).bind(open.id),
    db
      .prepare(`UPDATE "ArchiveParts" SET "Keys" = NULL, "Rows" = ?2 WHERE "Id" = ?1 AND "Keys" IS NOT NULL`)
      .bind(open.id, rows.length),
  ];
  try {
    await db.batch(statements);
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes("NOT NULL constraint failed: ArchiveParts.Rows"))
      return false;
    throw error;
  }
}
