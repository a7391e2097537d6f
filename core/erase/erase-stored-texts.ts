/** Erasing in R2: the texts that were too long for a row, what imports reported, and the archive. */
import { ARCHIVE_PREFIX, putPart, readPart, tableOf } from "../archive/part-file.ts";
import type { KeptRow } from "../retention/kept-tables.ts";
import { eraseCell } from "./erase-record.ts";
import { eraseText } from "./erase-value.ts";
import type { Needle } from "./needle.ts";
import { isStructural } from "./structure.ts";

const AT_ONCE = 5;

export interface StoredPlace {
  /** R2's own; null at first. */
  readonly cursor: string | null;
  readonly write: boolean;
}

export interface ErasedTexts {
  readonly found: number;
  readonly next: string | null;
}

/** A few objects of the bucket. One that is written meanwhile stays for the next pass. Rejects when R2 does. */
export async function eraseStoredTexts(
  texts: R2Bucket,
  needle: Needle,
  { cursor, write }: StoredPlace,
): Promise<ErasedTexts> {
  const listed = await texts.list({ limit: AT_ONCE, ...(cursor === null ? {} : { cursor }) });
  let found = 0;
  for (const { key } of listed.objects) {
    const table = tableOf(key);
    if (table === null) {
      if (!key.startsWith(ARCHIVE_PREFIX)) found += await eraseInText(texts, key, { needle, write });
      continue;
    }
    found += await eraseInPart(texts, { key, table }, { needle, write });
  }
  return { found, next: listed.truncated ? listed.cursor : null };
}

interface Erasing {
  readonly needle: Needle;
  readonly write: boolean;
}

async function eraseInText(texts: R2Bucket, key: string, { needle, write }: Erasing): Promise<number> {
  const stored = await texts.get(key);
  if (stored === null) return 0;
  const text = await stored.text();
  const erased = eraseText(text, needle);
  if (erased === text) return 0;
  const { httpMetadata, customMetadata, etag } = stored;
  if (write)
    await texts.put(key, erased, {
      ...(httpMetadata === undefined ? {} : { httpMetadata }),
      ...(customMetadata === undefined ? {} : { customMetadata }),
      onlyIf: { etagMatches: etag },
    });
  return 1;
}

async function eraseInPart(
  texts: R2Bucket,
  { key, table }: { readonly key: string; readonly table: string },
  { needle, write }: Erasing,
): Promise<number> {
  const part = await readPart(texts, key);
  if (part === null) return 0;
  const rows = part.rows.map((row) => erasedRow(table, row, needle));
  const found = rows.filter((row, index) => JSON.stringify(row) !== JSON.stringify(part.rows[index])).length;
  if (write && found > 0) await putPart(texts, key, { rows, ifEtag: part.etag });
  return found;
}

function erasedRow(table: string, row: KeptRow, needle: Needle): KeptRow {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      isStructural(key)
        ? value
        : eraseCell(`${table}.${key.charAt(0).toUpperCase()}${key.slice(1)}`, value, needle),
    ]),
  );
}
