import { fail, ok, type ToolResult } from "../../core/tool.ts";
import type { Place } from "./place.ts";
import type { FileStore, StoredFile } from "./store.ts";
import { decodeText } from "./text.ts";
import { encodeContent, PLAIN_TEXT } from "./write.ts";

/** Bytes to which appends may let a file grow; each append reads and writes the whole file. */
export const MAX_FILE_BYTES = 5_000_000;
/** Every lost race is another writer's success, so that this many writers at the same moment get through. */
const APPEND_ATTEMPTS = 10;
/** Losers step back a little further each time: R2 takes about one write per second to the same key. */
const BACK_OFF_MS = 40;

type Attempt =
  | { readonly kind: "done"; readonly size: number }
  | { readonly kind: "lost_race" }
  | { readonly kind: "refused"; readonly message: string };

/**
 * Adds to the end of the file, creating it when there is none. Nothing that another writer adds at the
 * same time is lost: each attempt writes only if the file still is the one that was read.
 */
export async function appendFile(
  files: FileStore,
  place: Place,
  request: { readonly content: string; readonly signal: AbortSignal },
): Promise<ToolResult> {
  const encoded = encodeContent(request.content);
  if (!encoded.ok) return encoded.refusal;
  for (let attempt = 1; attempt <= APPEND_ATTEMPTS; attempt += 1) {
    const outcome = await attemptAppend(files, place, encoded.bytes);
    if (outcome.kind === "done") return ok(JSON.stringify({ path: place.path, size: outcome.size }));
    if (outcome.kind === "refused") return fail(outcome.message);
    await stepBack(attempt * BACK_OFF_MS, request.signal);
  }
  return fail(`busy: Others keep writing to ${place.path}; nothing was appended, try again later.`);
}

async function attemptAppend(files: FileStore, place: Place, added: Uint8Array): Promise<Attempt> {
  const existing = await files.head(place.key);
  if (existing === null) return create(files, place, added);
  const size = existing.size + added.length;
  if (size > MAX_FILE_BYTES) {
    return {
      kind: "refused",
      message: `too_large: ${place.path} would have ${size} bytes, at most ${MAX_FILE_BYTES}.`,
    };
  }
  return extend(files, place, { existing, added });
}

async function create(files: FileStore, place: Place, bytes: Uint8Array): Promise<Attempt> {
  const onlyIf = new Headers({ "If-None-Match": "*" });
  return outcomeOf(await files.put(place.key, bytes, { onlyIf, httpMetadata: PLAIN_TEXT }));
}

async function extend(
  files: FileStore,
  place: Place,
  { existing, added }: { readonly existing: StoredFile; readonly added: Uint8Array },
): Promise<Attempt> {
  const onlyIf = { etagMatches: existing.etag };
  const found = await files.get(place.key, { onlyIf });
  if (found === null || !("arrayBuffer" in found)) return { kind: "lost_race" };
  const before = new Uint8Array(await found.arrayBuffer());
  if (decodeText(before) === null) {
    return {
      kind: "refused",
      message: `not_text: ${place.path} is not a UTF-8 text file, nothing was appended.`,
    };
  }
  const whole = new Uint8Array(before.length + added.length);
  whole.set(before);
  whole.set(added, before.length);
  return outcomeOf(await files.put(place.key, whole, { onlyIf, httpMetadata: PLAIN_TEXT }));
}

function outcomeOf(stored: StoredFile | null): Attempt {
  return stored === null ? { kind: "lost_race" } : { kind: "done", size: stored.size };
}

/** Waits; ends at once when the signal fires, the next operation on the store then throws. */
function stepBack(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
  });
}
