import type { FileKept, KeepFile } from "../../core/tool.ts";
import { MAX_FILE_BYTES } from "./append.ts";
import { configSchema } from "./config.ts";
import { placeFile, rootPrefix } from "./place.ts";
import { abortable, type FileStore } from "./store.ts";
import { decodeText } from "./text.ts";
import { PLAIN_TEXT } from "./write.ts";

/** Whoever opens such a file from the bucket gets it as a download. */
const BYTES = { contentType: "application/octet-stream" } as const;

/** Keeps what comes from outside where the agent itself could write, under the same rules. */
export function createKeepFile(files: FileStore): KeepFile {
  return async ({ path, bytes }, { instanceId, toolConfig, signal }) => {
    const config = configSchema.parse(toolConfig);
    if (!config.allowWrite) return refused("The agent may only read files.");
    const placed = placeFile(path, rootPrefix(instanceId, config.rootPath), config);
    if (!placed.ok) return refused("Its name or its extension is not allowed.");
    if (bytes.length > MAX_FILE_BYTES)
      return refused(`It has ${bytes.length} bytes, at most ${MAX_FILE_BYTES}.`);
    const httpMetadata = decodeText(bytes) === null ? BYTES : PLAIN_TEXT;
    await abortable(files, signal).put(placed.place.key, bytes, { httpMetadata });
    return { ok: true, path: placed.place.path };
  };
}

function refused(reason: string): FileKept {
  return { ok: false, reason };
}
