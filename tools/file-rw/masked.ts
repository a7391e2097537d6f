/**
 * Files as a model may see them. A page of a file is a piece of a text, and a piece of a secret is recognised by
 * nobody: so the whole text is masked first, and pages are cut from what comes out (L5).
 */
import type { FileStore, StoredFile } from "./store.ts";
import { decodeText } from "./text.ts";

/** Gives back the text without its secrets. The same text always has the same outcome. */
export type Mask = (text: string) => string;

export type MaskedFile =
  /** UTF-8 of the whole masked text. */
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly code: "changed" | "not_text" };

/** Reads the file that `head` told of, and masks it. */
export type MaskedReader = (files: FileStore, file: StoredFile) => Promise<MaskedFile>;

/** Bytes of masked texts that one reader keeps; more than one file of the largest size. */
const MAX_KEPT_BYTES = 8_000_000;

/** The reader keeps what it masked last, so that paging through a large file reads and masks it once. */
export function createMaskedReader(mask: Mask): MaskedReader {
  const kept = createKeptTexts(MAX_KEPT_BYTES);
  return async (files, file) => {
    const known = kept.find(file);
    if (known !== null) return { ok: true, bytes: known };
    const found = await files.get(file.key, { onlyIf: { etagMatches: file.etag } });
    if (found === null || !("arrayBuffer" in found)) return { ok: false, code: "changed" };
    const stored = new Uint8Array(await found.arrayBuffer());
    // Pages that are asked for side by side wait here together: the first one masks for all.
    const ready = kept.find(file);
    if (ready !== null) return { ok: true, bytes: ready };
    const text = decodeText(stored);
    if (text === null) return { ok: false, code: "not_text" };
    const bytes = new TextEncoder().encode(mask(text));
    kept.keep(file, bytes);
    return { ok: true, bytes };
  };
}

type Version = Pick<StoredFile, "key" | "etag">;

interface KeptTexts {
  /** Null when it is not kept, or only in another version. */
  find(file: Version): Uint8Array | null;
  keep(file: Version, bytes: Uint8Array): void;
}

/** Holds at most `room` bytes, one version of each file; what was used longest ago goes first. */
function createKeptTexts(room: number): KeptTexts {
  const texts = new Map<string, { readonly etag: string; readonly bytes: Uint8Array }>();
  const total = () => [...texts.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  const keep = ({ key, etag }: Version, bytes: Uint8Array) => {
    texts.delete(key);
    texts.set(key, { etag, bytes });
    for (const oldest of texts.keys()) {
      if (total() <= room) return;
      texts.delete(oldest);
    }
  };
  return {
    find: (file) => {
      const known = texts.get(file.key);
      if (known?.etag !== file.etag) return null;
      keep(file, known.bytes);
      return known.bytes;
    },
    keep,
  };
}
