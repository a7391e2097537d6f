/** The slice of an R2 bucket that the tool needs; a bucket fits as it is. */

export interface StoredFile {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Changes with every write. */
  readonly etag: string;
  readonly uploaded: Date;
}

interface StoredContent extends StoredFile {
  arrayBuffer(): Promise<ArrayBuffer>;
}

export interface FilePage {
  readonly objects: readonly StoredFile[];
  /** With the delimiter at the end. */
  readonly delimitedPrefixes: readonly string[];
  readonly truncated: boolean;
}

interface GetOptions {
  readonly onlyIf: { readonly etagMatches: string };
}

interface PutOptions {
  readonly onlyIf?: { readonly etagMatches: string } | Headers;
  readonly httpMetadata: { readonly contentType: string };
}

interface ListOptions {
  readonly prefix: string;
  readonly delimiter: string;
  readonly startAfter?: string;
  readonly limit: number;
}

export interface FileStore {
  head(key: string): Promise<StoredFile | null>;
  /** Without content when the condition does not hold; null when there is no such key. */
  get(key: string, options: GetOptions): Promise<StoredContent | StoredFile | null>;
  /** Null when the condition does not hold; nothing is written then. */
  put(key: string, value: Uint8Array, options: PutOptions): Promise<StoredFile | null>;
  delete(key: string): Promise<void>;
  /** In the order of the keys' UTF-8 bytes. */
  list(options: ListOptions): Promise<FilePage>;
}

/**
 * The same store, but no operation starts after the abort and none is waited for beyond it. A write that
 * was under way may still arrive: its outcome is unknown to the caller, as with any lost connection.
 */
export function abortable(files: FileStore, signal: AbortSignal): FileStore {
  const within = <T>(start: () => Promise<T>) => untilAborted(start, signal);
  return {
    head: (key) => within(() => files.head(key)),
    get: (key, options) => within(() => files.get(key, options)),
    put: (key, value, options) => within(() => files.put(key, value, options)),
    delete: (key) => within(() => files.delete(key)),
    list: (options) => within(() => files.list(options)),
  };
}

/** Settles like `start()` does, or rejects with the signal's reason as soon as it fires. */
async function untilAborted<T>(start: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([start(), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
