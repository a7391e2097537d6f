/** Takes a batch of rows of an older database into the record. */
import type { Scrubber } from "../scrub/index.ts";
import { type ImportTable, unknownColumns } from "./import-columns.ts";
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
  const accepted = mapped.filter(({ row }) => row.ok).length;
  return addProgress(NOTHING_IMPORTED, {
    cursor: batch.cursor,
    read: mapped.length,
    written: fresh.length,
    known: accepted - fresh.length,
    refused: sumOf(mapped.flatMap(refusalOf(scrub))),
    changed: sumOf(mapped.flatMap(changesOf(scrub))),
    unknownColumns: unknownColumns(batch.table, batch.columns).map(scrub),
  });
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

const UID_DIGITS = 40;

/** A hash, because an old key may be any text, of any length, and hold a secret. */
async function importedUid(identity: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(identity)));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `import:${hex.slice(0, UID_DIGITS)}`;
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
