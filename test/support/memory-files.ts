import type { FileStore, StoredFile } from "../../tools/file-rw/store.ts";

type Get = FileStore["get"];

/** Files in memory that count how often one was fetched. A test may change files just before a fetch. */
export class MemoryFiles implements FileStore {
  readonly #contents = new Map<string, { readonly bytes: Uint8Array; readonly version: number }>();
  #version = 0;
  gets = 0;
  beforeGet: () => void = () => {};

  set(key: string, content: string | Uint8Array): void {
    this.#version += 1;
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    this.#contents.set(key, { bytes, version: this.#version });
  }

  async head(key: string): Promise<StoredFile | null> {
    const found = this.#contents.get(key);
    if (found === undefined) return null;
    return { key, size: found.bytes.length, etag: `v${found.version}`, uploaded: new Date(0) };
  }

  async get(key: string, { onlyIf }: Parameters<Get>[1]): ReturnType<Get> {
    this.beforeGet();
    this.gets += 1;
    const head = await this.head(key);
    const bytes = Uint8Array.from(this.#contents.get(key)?.bytes ?? []);
    return head?.etag === onlyIf.etagMatches ? { ...head, arrayBuffer: async () => bytes.buffer } : head;
  }

  async put(key: string, value: Uint8Array): Promise<StoredFile | null> {
    this.set(key, value);
    return this.head(key);
  }

  async delete(key: string): Promise<void> {
    this.#contents.delete(key);
  }

  async list({ prefix }: Parameters<FileStore["list"]>[0]): ReturnType<FileStore["list"]> {
    const keys = [...this.#contents.keys()].filter((key) => key.startsWith(prefix)).sort();
    const found = await Promise.all(keys.map((key) => this.head(key)));
    const objects = found.filter((file) => file !== null);
    return { objects, delimitedPrefixes: [], truncated: false };
  }
}
