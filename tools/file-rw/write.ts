import { fail, ok, type ToolResult } from "../../core/tool.ts";
import type { Place } from "./place.ts";
import type { FileStore } from "./store.ts";
import { encodeText } from "./text.ts";

/** Bytes of UTF-8 in one write or append. */
export const MAX_WRITE_BYTES = 1_000_000;

/** A file that is opened from the bucket in a browser must be shown, not run. */
export const PLAIN_TEXT = { contentType: "text/plain; charset=utf-8" } as const;

export type Encoded =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly refusal: ToolResult };

/** Creates the file or replaces it as a whole; of two writers the later one wins. */
export async function writeFile(files: FileStore, place: Place, content: string): Promise<ToolResult> {
  const encoded = encodeContent(content);
  if (!encoded.ok) return encoded.refusal;
  await files.put(place.key, encoded.bytes, { httpMetadata: PLAIN_TEXT });
  return ok(JSON.stringify({ path: place.path, size: encoded.bytes.length }));
}

/** The bytes to write, or why they are not written. */
export function encodeContent(content: string): Encoded {
  const bytes = encodeText(content);
  if (bytes === null) return refused("not_text: Only text can be written, no NUL and no half characters.");
  if (bytes.length <= MAX_WRITE_BYTES) return { ok: true, bytes };
  return refused(
    `too_large: ${bytes.length} bytes in one call, at most ${MAX_WRITE_BYTES}; write, then append.`,
  );
}

function refused(message: string): Encoded {
  return { ok: false, refusal: fail(message) };
}
