/** FileRW: an agent's text files in R2, shut into one folder. */
import { z } from "zod";
import { defineTool, fail, type Tool, type ToolContext, type ToolResult } from "../../core/tool.ts";
import { appendFile } from "./append.ts";
import { configSchema, type FileConfig } from "./config.ts";
import { createKeepFile } from "./keep.ts";
import { listFolder } from "./list.ts";
import { createMaskedReader, type Mask, type MaskedReader } from "./masked.ts";
import { placeFile, placeFolder, rootPrefix } from "./place.ts";
import { MAX_READ_BYTES, readFile } from "./read.ts";
import { deleteFile } from "./remove.ts";
import { abortable, type FileStore } from "./store.ts";
import { writeFile } from "./write.ts";

const DEFAULT_LIST_ENTRIES = 100;
/** Far beyond any path that the guard lets through. */
const MAX_PATH_CHARS = 1_024;

const inputSchema = z
  .strictObject({
    action: z.enum(["read", "write", "append", "list", "delete"]),
    path: z
      .string()
      .max(MAX_PATH_CHARS)
      .describe('Relative, such as "notes/plan.md"; for list a folder, "" for the topmost.'),
    content: z.string().optional().describe("Text to write or append."),
    offset: z.int().min(0).optional().describe("read: first byte; nextOffset of the page before."),
    limit: z.int().min(1).optional().describe("read: bytes; list: entries. Large values are lowered."),
    cursor: z.string().optional().describe("list: cursor of the page before."),
  })
  .superRefine((input, refinement) => {
    const writes = input.action === "write" || input.action === "append";
    if (!writes || input.content !== undefined) return;
    refinement.addIssue({ code: "custom", path: ["content"], message: `${input.action} needs content` });
  });

/** What all calls of one tool share. */
interface Reading {
  readonly mask: Mask;
  readonly readMasked: MaskedReader;
}

type FileInput = z.infer<typeof inputSchema>;
type FileContext = ToolContext<FileConfig> & Reading;

/**
 * The tool over a bucket. `mask` takes the secrets out of whole texts before they are cut into pages; what is
 * written is stored as it is. Write and delete count as repeatable, since a second time leaves the same file;
 * append does not. Failures begin with a literal code and a colon.
 */
export function createFileRW(files: FileStore, mask: Mask): Tool {
  const reading: Reading = { mask, readMasked: createMaskedReader(mask) };
  const tool = defineTool({
    name: "FileRW",
    description:
      "Reads and keeps text files in your own folder. read gives a page of a file with nextOffset (null at " +
      "the end); write creates or replaces a file; append adds to its end; list shows a folder's files and " +
      "folders with a cursor (null at the end); delete removes a file. Folders exist as long as files are in them. " +
      "Secrets in a file are shown masked; offsets count the bytes of what is shown.",
    config: configSchema,
    input: inputSchema,
    repeatable: ["read", "list", "write", "delete"],
    parallel: ["read", "list"],
    execute: async (input, context) =>
      act(abortable(files, context.signal), input, { ...context, ...reading }),
  });
  return { ...tool, keepFile: createKeepFile(files) };
}

async function act(files: FileStore, input: FileInput, context: FileContext): Promise<ToolResult> {
  const { toolConfig: config, signal, mask, readMasked } = context;
  const prefix = rootPrefix(context.instanceId, config.rootPath);
  if (input.action === "list") {
    const folder = placeFolder(input.path, prefix);
    if (!folder.ok) return folder.refusal;
    const { limit = DEFAULT_LIST_ENTRIES, cursor } = input;
    return listFolder(files, folder.place, { limit, cursor, config, mask });
  }
  if (input.action !== "read" && !config.allowWrite) {
    return fail("write_refused: This agent may only read files (allowWrite is off in its config).");
  }
  const placed = placeFile(input.path, prefix, config);
  if (!placed.ok) return placed.refusal;
  const { place } = placed;
  const { content = "", offset = 0, limit = MAX_READ_BYTES } = input;
  switch (input.action) {
    case "read":
      return readFile(files, place, { offset, limit, readMasked });
    case "write":
      return writeFile(files, place, content);
    case "append":
      return appendFile(files, place, { content, signal });
    case "delete":
      return deleteFile(files, place);
  }
}
