/** Files that reach an agent from outside, such as what is attached to a mail, and the tool that keeps them for it. */

export interface IncomingFile {
  /** Relative to where the agent's files are. The tool judges it, whatever it holds. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface FilePlace {
  readonly instanceId: string;
  /** The agent's config of this tool, with secrets filled in. */
  readonly toolConfig: unknown;
  readonly signal: AbortSignal;
}

export type FileKept =
  /** `path` is what the agent knows it by. */
  | { readonly ok: true; readonly path: string }
  /** `reason` is a sentence. */
  | { readonly ok: false; readonly reason: string };

/** Keeps the file as the agent's config allows; the same again leaves the same. Rejects when the store does. */
export type KeepFile = (file: IncomingFile, place: FilePlace) => Promise<FileKept>;
