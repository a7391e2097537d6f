/** The tools this instance is built with: one line and one folder each. */
import type { Tool } from "../core/tool.ts";
import { createFileRW } from "./file-rw/index.ts";

/** What the platform gives to tools. */
export interface ToolPlatform {
  readonly files: R2Bucket;
  /** Takes the secrets out of a whole text, for tools that give a model pieces of texts (L5). */
  readonly mask: (text: string) => string;
}

export function bundledTools(platform: ToolPlatform): readonly Tool[] {
  return [createFileRW(platform.files, platform.mask)];
}
