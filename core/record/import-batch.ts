/** Takes a batch of rows of an older database into the record. */
import type { Scrubber } from "../scrub/index.ts";
import { type ImportTable, unknownColumns } from "./import-columns.ts";
import { hashOf } from "./import-hash.ts";
import {
  addProgress,
  type Finding,
  type ImportProgress,
  NOTHING_IMPORTED,
  sumOf,
} from "./import-progress.ts";
import { type ImportedRow, rowImporter } from "./import-row.ts";
import type { OldCell } from "./import-values.ts";
import { joinRows, splitRecord } from "./split-record.ts";
import { writeRecord } from "./write-record.ts";

export interface ImportBatch {
  readonly table: ImportTable;
  /** A fingerprint of the file, the same whenever it is read. */
  readonly source: string;
  readonly columns: readonly string[];
  /** `key` is the row's primary key in the file. */
  readonly rows: readonly { readonly key: string; readonly cells: readonly OldCell[] | null }[];
  /** Where the file is to be read on after these. */
  readonly cursor: string;
}

export interface ImportStores {
  readonly db: D1Database;
  readonly texts: R2Bucket;
  readonly scrubber: Scrubber;
}

const BATCH_ROWS = 100;
const BATCH_BYTES = 4_000_000;

type Mapped = { readonly key: string; readonly row: ImportedRow };

/** Writes what is not there yet and tells what became of each row. Safe to repeat. Rejects when D1 or R2 does. */
export async function importBatch(stores: ImportStores, batch: ImportBatch): Promise<ImportProgress> {
  const mapped = await mapRows(batch, stores.scrubber);
  const good = firstOfEach(mapped);
  const there = await idsInRecord(stores.db, batch.table, [...good.keys()]);
  const fresh = [...good].filter(([id]) => !there.has(id)).map(([, rows]) => rows);
  for (const part of splitRecord(joinRows(fresh), BATCH_ROWS, BATCH_BYTES))
    await writeRecord(stores.db, stores.texts, part);
  const { scrub } = stores.scrubber;
  const place = await keptPlace(batch.cursor, scrub);
  const accepted = mapped.filter(({ row }) => row.ok).length;
  return addProgress(NOTHING_IMPORTED, {
    ...place,
    read: mapped.length,
    written: fresh.length,
    known: accepted - fresh.length,
    refused: sumOf(mapped.flatMap(refusalOf(scrub))),
    changed: sumOf(mapped.flatMap(changesOf(scrub))),
    unknownColumns: unknownColumns(batch.table, batch.columns).map(scrub),
  });
}

/**
 * A table without row numbers is read on after its last key, which may hold a secret. Of such a place only a mark
 * is kept, by which the next batch is known; a later start goes on from the place before and finds its rows known.
 */
async function keptPlace(cursor: string, scrub: (text: string) => string) {
  return scrub(cursor) === cursor
    ? { cursor, cursorMark: null }
    : { cursor: null, cursorMark: await hashOf(cursor) };
}

function mapRows({ table, source, columns, rows }: ImportBatch, scrubber: Scrubber): Promise<Mapped[]> {
  const toOurs = rowImporter(table, columns, scrubber);
  return Promise.all(
    rows.map(async ({ key, cells }) => ({
      key,
      row: toOurs({ uid: await importedUid(JSON.stringify([source, table, key])), cells }),
    })),
  );
}

/** A hash, because an old key may be any text, of any length, and hold a secret. */
async function importedUid(identity: string): Promise<string> {
  return `import:${await hashOf(identity)}`;
}

/** Two rows of a file may be one of ours, such as receipts of one run. */
function firstOfEach(mapped: readonly Mapped[]) {
  const first = new Map<string, Extract<ImportedRow, { ok: true }>["rows"]>();
  for (const { row } of mapped) if (row.ok && !first.has(row.id)) first.set(row.id, row.rows);
  return first;
}

async function idsInRecord(db: D1Database, table: ImportTable, ids: readonly string[]): Promise<Set<string>> {
  const column = table === "RunReceipts" ? "RunId" : "Uid";
  const { results } = await db
    .prepare(
      `SELECT "${column}" AS "id" FROM "${table}" WHERE "${column}" IN (SELECT value FROM json_each(?))`,
    )
    .bind(JSON.stringify(ids))
    .all<{ id: string }>();
  return new Set(results.map(({ id }) => id));
}

function refusalOf(scrub: (text: string) => string): (mapped: Mapped) => Finding[] {
  return ({ key, row }) =>
    row.ok
      ? []
      : [
          {
            code: row.code,
            field: row.field,
            instead: null,
            count: 1,
            examples: [{ key: scrub(key), value: row.value }],
          },
        ];
}

function changesOf(scrub: (text: string) => string): (mapped: Mapped) => Finding[] {
  return ({ key, row }) =>
    row.ok
      ? row.notes.map(({ code, field, instead, value }) => ({
          code,
          field,
          instead,
          count: 1,
          examples: [{ key: scrub(key), value }],
        }))
      : [];
}
