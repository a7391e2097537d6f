/** From what a model calls a file to its key in the bucket. */
import { fail, type ToolResult } from "../../core/tool.ts";
import type { FileConfig } from "./config.ts";
import { checkPath, extensionOf } from "./path.ts";

export interface Place {
  /** As the model knows it, below its root folder; "" is the root folder itself. */
  readonly path: string;
  /** Key of the file, or prefix of the folder with a slash at its end. */
  readonly key: string;
}

export type Placed =
  | { readonly ok: true; readonly place: Place }
  | { readonly ok: false; readonly refusal: ToolResult };

const ROOT_NAMES: readonly string[] = ["", ".", "/"];

/** Prefix of everything an agent may reach. The instance's id keeps instances that share a bucket apart. */
export function rootPrefix(instanceId: string, rootPath: string): string {
  return `${encodeURIComponent(instanceId)}/agents/${rootPath}/`;
}

/** A file that this agent may touch. */
export function placeFile(raw: string, prefix: string, config: FileConfig): Placed {
  const checked = checkPath(raw);
  if (!checked.ok) return refused(`path_refused: The path is refused (${checked.code}): ${checked.reason}.`);
  if (mayOpen(checked.path, config)) {
    return { ok: true, place: { path: checked.path, key: prefix + checked.path } };
  }
  const allowed = config.allowedExtensions.join(", ") || "none";
  return refused(`extension_refused: Only names with these extensions are allowed: ${allowed}.`);
}

/** A folder to list; one slash at its end and the usual names of the root folder are understood. */
export function placeFolder(raw: string, prefix: string): Placed {
  if (ROOT_NAMES.includes(raw)) return { ok: true, place: { path: "", key: prefix } };
  const checked = checkPath(raw.endsWith("/") ? raw.slice(0, -1) : raw);
  if (!checked.ok) return refused(`path_refused: The path is refused (${checked.code}): ${checked.reason}.`);
  return { ok: true, place: { path: checked.path, key: `${prefix}${checked.path}/` } };
}

export function mayOpen(path: string, config: FileConfig): boolean {
  const extension = extensionOf(path);
  return extension !== null && config.allowedExtensions.includes(extension);
}

function refused(message: string): Placed {
  return { ok: false, refusal: fail(message) };
}
