import { fail, ok, type ToolResult } from "../../core/tool.ts";
import type { Place } from "./place.ts";
import type { FileStore } from "./store.ts";
import { EDGE_BYTES, type TextPage, textPage } from "./text.ts";

/** Bytes of one page, also when more are asked for: with its frame it fits the engine's default cap. */
export const MAX_READ_BYTES = 16_000;
/** Characters of a page as JSON; leaves room for the path and the numbers around it. */
const CONTENT_ROOM = 17_500;

export interface ReadRequest {
  /** Bytes from the start of the file. */
  readonly offset: number;
  /** Bytes at most. */
  readonly limit: number;
}

/**
 * One page of a text file. Offset and limit count bytes of UTF-8; `nextOffset` always stands between two
 * characters, and an offset inside a character moves on to the next one.
 */
export async function readFile(files: FileStore, place: Place, request: ReadRequest): Promise<ToolResult> {
  const file = await files.head(place.key);
  if (file === null) return fail(`not_found: There is no file ${place.path}.`);
  if (request.offset > file.size) {
    return fail(
      `offset_beyond_end: ${place.path} has ${file.size} bytes, offset ${request.offset} is beyond.`,
    );
  }
  if (request.offset === file.size)
    return pageResult(place, file.size, { offset: file.size, text: "", next: null });
  const limit = Math.min(request.limit, MAX_READ_BYTES);
  const length = Math.min(limit + EDGE_BYTES, file.size - request.offset);
  const found = await files.get(place.key, {
    onlyIf: { etagMatches: file.etag },
    range: { offset: request.offset, length },
  });
  if (found === null || !("arrayBuffer" in found)) {
    return fail(`changed: ${place.path} was changed while it was read; read it again.`);
  }
  const bytes = new Uint8Array(await found.arrayBuffer());
  const page = textPage(bytes, { inside: request.offset > 0, limit, room: CONTENT_ROOM });
  if (page === null) return fail(`not_text: ${place.path} is not a UTF-8 text file, it cannot be read here.`);
  return pageResult(place, file.size, spanOf(page, request.offset, file.size));
}

interface Span {
  readonly offset: number;
  readonly text: string;
  readonly next: number | null;
}

function spanOf(page: TextPage, offset: number, size: number): Span {
  const start = offset + page.skipped;
  const next = start + page.length;
  return { offset: start, text: page.text, next: next < size ? next : null };
}

function pageResult(place: Place, size: number, span: Span): ToolResult {
  const { offset, text, next } = span;
  return ok(JSON.stringify({ path: place.path, size, offset, nextOffset: next, content: text }));
}
