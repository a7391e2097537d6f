import { fail, ok, type ToolResult } from "../../core/tool.ts";
import { MAX_FILE_BYTES } from "./append.ts";
import type { MaskedReader } from "./masked.ts";
import type { Place } from "./place.ts";
import type { FileStore } from "./store.ts";
import { EDGE_BYTES, type TextPage, textPage } from "./text.ts";

/** Bytes of one page, also when more are asked for: with its frame it fits the engine's default cap. */
export const MAX_READ_BYTES = 16_000;
/** Characters of a page as JSON; leaves room for the path and the numbers around it. */
const CONTENT_ROOM = 17_500;

export interface ReadRequest {
  /** Bytes from the start of the masked text. */
  readonly offset: number;
  /** Bytes at most. */
  readonly limit: number;
  readonly readMasked: MaskedReader;
}

/**
 * One page of a text file as it looks with its secrets masked. Offset, limit and the `size` of the answer count
 * bytes of that text in UTF-8, which is the file's own where there is nothing to mask. `nextOffset` always stands
 * between two characters, and an offset inside a character moves on to the next one.
 */
export async function readFile(files: FileStore, place: Place, request: ReadRequest): Promise<ToolResult> {
  const file = await files.head(place.key);
  if (file === null) return fail(`not_found: There is no file ${place.path}.`);
  if (file.size > MAX_FILE_BYTES) {
    return fail(
      `too_large: ${place.path} has ${file.size} bytes, at most ${MAX_FILE_BYTES} can be read here.`,
    );
  }
  const masked = await request.readMasked(files, file);
  if (masked.ok) return pageOf(masked.bytes, place, request);
  return masked.code === "not_text"
    ? notText(place)
    : fail(`changed: ${place.path} was changed while it was read; read it again.`);
}

function pageOf(text: Uint8Array, place: Place, { offset, limit: asked }: ReadRequest): ToolResult {
  const size = text.length;
  if (offset > size) {
    return fail(`offset_beyond_end: ${place.path} has ${size} bytes, offset ${offset} is beyond.`);
  }
  const limit = Math.min(asked, MAX_READ_BYTES);
  const bytes = text.subarray(offset, offset + limit + EDGE_BYTES);
  const page = textPage(bytes, { inside: offset > 0, limit, room: CONTENT_ROOM });
  if (page === null) return notText(place);
  const { start, next } = spanOf(page, offset, size);
  return ok(JSON.stringify({ path: place.path, size, offset: start, nextOffset: next, content: page.text }));
}

function spanOf(page: TextPage, offset: number, size: number) {
  const start = offset + page.skipped;
  const next = start + page.length;
  return { start, next: next < size ? next : null };
}

function notText(place: Place): ToolResult {
  return fail(`not_text: ${place.path} is not a UTF-8 text file, it cannot be read here.`);
}
