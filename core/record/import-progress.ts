/** How far the import of one table has come, and what could not be taken over. Lies in R2, so a later start goes on there. */
import { z } from "zod";
import type { ImportTable } from "./import-columns.ts";
import { hashOf } from "./import-hash.ts";

const example = z.object({ key: z.string(), value: z.string().nullable() });
const finding = z.object({
  /** `bad_time`, `unknown_word`, ... */
  code: z.string(),
  field: z.string(),
  /** What stands there instead; null where nothing does. */
  instead: z.string().nullable(),
  count: z.number(),
  examples: z.array(example),
});
const progressShape = z.object({
  /** Opaque to the instance: where the file is to be read on. */
  cursor: z.string().nullable(),
  /** A hash of the latest cursor where that may not be stored; `cursor` is then an earlier one. */
  cursorMark: z.string().nullable().default(null),
  read: z.number(),
  written: z.number(),
  /** Rows that had been there before. */
  known: z.number(),
  refused: z.array(finding),
  /** Rows that were written with something else in a field. */
  changed: z.array(finding),
  unknownColumns: z.array(z.string()),
});

export type ImportProgress = z.infer<typeof progressShape>;
export type Finding = z.infer<typeof finding>;

export const NOTHING_IMPORTED: ImportProgress = {
  cursor: null,
  cursorMark: null,
  read: 0,
  written: 0,
  known: 0,
  refused: [],
  changed: [],
  unknownColumns: [],
};

const EXAMPLES = 3;
const COLUMNS = 200;

/** The sum of both, with the cursor of the later one, as far as that may be stored. */
export function addProgress(before: ImportProgress, batch: ImportProgress): ImportProgress {
  return {
    cursor: batch.cursor ?? before.cursor,
    cursorMark: batch.cursorMark,
    read: before.read + batch.read,
    written: before.written + batch.written,
    known: before.known + batch.known,
    refused: sumOf([...before.refused, ...batch.refused]),
    changed: sumOf([...before.changed, ...batch.changed]),
    unknownColumns: [...new Set([...before.unknownColumns, ...batch.unknownColumns])].slice(0, COLUMNS),
  };
}

/** One entry for each kind of finding, with a few examples. */
export function sumOf(findings: readonly Finding[]): Finding[] {
  const sums = new Map<string, Finding>();
  for (const one of findings) {
    const key = JSON.stringify([one.code, one.field, one.instead]);
    const sum = sums.get(key);
    const examples = [...(sum?.examples ?? []), ...one.examples].slice(0, EXAMPLES);
    sums.set(key, { ...one, count: (sum?.count ?? 0) + one.count, examples });
  }
  return [...sums.values()];
}

/** Whether a batch that begins after that cursor goes on where the progress stands. */
export async function goesOn({ cursor, cursorMark }: ImportProgress, after: string): Promise<boolean> {
  return cursor === after || (cursorMark !== null && cursorMark === (await hashOf(after)));
}

/** Null when nothing of the table was imported from that file. Rejects when R2 does. */
export async function readProgress(
  texts: R2Bucket,
  source: string,
  table: ImportTable,
): Promise<ImportProgress | null> {
  const stored = await texts.get(progressKey(source, table));
  return stored === null ? null : progressShape.parse(await stored.json());
}

export async function writeProgress(
  texts: R2Bucket,
  place: { readonly source: string; readonly table: ImportTable },
  progress: ImportProgress,
): Promise<void> {
  await texts.put(progressKey(place.source, place.table), JSON.stringify(progress));
}

function progressKey(source: string, table: ImportTable): string {
  return `imports/${source}/${table}.json`;
}
