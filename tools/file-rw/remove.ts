import { ok, type ToolResult } from "../../core/tool.ts";
import type { Place } from "./place.ts";
import type { FileStore } from "./store.ts";

/** Deletes one file. A missing one is no failure: a repeated delete has the outcome that was asked for. */
export async function deleteFile(files: FileStore, place: Place): Promise<ToolResult> {
  const existed = (await files.head(place.key)) !== null;
  if (existed) await files.delete(place.key);
  return ok(JSON.stringify({ path: place.path, deleted: true, existed }));
}
