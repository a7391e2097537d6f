/** An archive object: rows as JSON lines, compressed. */
import { ownJson } from "../journal/database.ts";
import type { KeptRow } from "../retention/kept-tables.ts";
import { sha256Hex } from "../sha256.ts";

const ROOT = "archive/";

export interface PartName {
  readonly tableName: string;
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly part: number;
}

export function partKey({ tableName, day, part }: PartName): string {
  return `${ROOT}${tableName}/${day}/${String(part).padStart(5, "0")}.jsonl.gz`;
}

/** The table whose rows an object holds; null for an object that is no part of the archive. */
export function tableOf(key: string): string | null {
  return /^archive\/(\w+)\/\d{4}-\d\d-\d\d\/\d{5,}\.jsonl\.gz$/.exec(key)?.[1] ?? null;
}

export const ARCHIVE_PREFIX = ROOT;

/** Writes the object; what was there is replaced, or kept when it is not the version `ifEtag`, which answers false. */
export async function putPart(
  bucket: R2Bucket,
  key: string,
  { rows, ifEtag }: { readonly rows: readonly KeptRow[]; readonly ifEtag?: string },
): Promise<boolean> {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const packed = await new Response(
    new Blob([text]).stream().pipeThrough(new CompressionStream("gzip")),
  ).arrayBuffer();
  const stored = await bucket.put(key, packed, {
    httpMetadata: { contentType: "application/gzip" },
    customMetadata: { rows: String(rows.length), sha256: await sha256Hex(text) },
    ...(ifEtag === undefined ? {} : { onlyIf: { etagMatches: ifEtag } }),
  });
  return stored !== null;
}

export interface Part<Row> {
  readonly rows: readonly Row[];
  readonly etag: string;
}

/**
 * Null when there is no such object. Throws for one that is damaged: each is checked against its own sum.
 * `Row` is what the list of columns says with which the rows were read.
 */
export async function readPart<Row = KeptRow>(bucket: R2Bucket, key: string): Promise<Part<Row> | null> {
  const stored = await bucket.get(key);
  if (stored === null) return null;
  const text = await new Response(stored.body.pipeThrough(new DecompressionStream("gzip"))).text();
  if ((await sha256Hex(text)) !== stored.customMetadata?.sha256) throw new Error(`${key} is damaged`);
  const rows = text.split("\n").filter((line) => line !== "");
  return { rows: rows.map((line) => ownJson<Row>(line)), etag: stored.etag };
}
