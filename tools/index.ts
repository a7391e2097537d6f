/** The tools this instance is built with: one line and one folder each. */
import type { AnalystRecord, Tool } from "../core/tool.ts";
import { createAgentCommAnalysis } from "./agent-comm-analysis/index.ts";
import { createDatabase } from "./database/index.ts";
import { createFileRW } from "./file-rw/index.ts";
import { createMail } from "./mail/index.ts";
import { createMcp } from "./mcp/index.ts";
import { notify } from "./notify/index.ts";
import { createTelegram } from "./telegram/index.ts";

/** What the platform gives to tools. */
export interface ToolPlatform {
  readonly files: R2Bucket;
  /** Takes the secrets out of a whole text, for tools that give a model pieces of texts (L5). */
  readonly mask: (text: string) => string;
  /** Present when the Worker has a `send_email` binding. */
  readonly sendEmail?: SendEmail | undefined;
  /** The record, to be read only. */
  readonly record: AnalystRecord;
  /** Letters and digits that nobody can guess, others each time. */
  readonly nonce: () => string;
}

export function bundledTools(platform: ToolPlatform): readonly Tool[] {
  return [
    createAgentCommAnalysis(platform),
    createDatabase(platform.mask),
    createFileRW(platform.files, platform.mask),
    createMail(platform),
    createMcp(platform),
    createTelegram(),
    notify,
  ];
}
