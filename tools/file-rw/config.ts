import { z } from "zod";
import { checkPath } from "./path.ts";

/** Plain text kinds that nothing executes when a person opens them. */
const SAFE_EXTENSIONS = [".txt", ".md", ".csv", ".json"] as const;
/** Leaves most of the 1,024 bytes of an R2 key to the paths below it. */
const MAX_ROOT_CHARS = 64;

const rootPath = z
  .string()
  .max(MAX_ROOT_CHARS)
  .transform((raw, refinement) => {
    const checked = checkPath(raw);
    if (checked.ok) return checked.path;
    refinement.addIssue({ code: "custom", message: `not a folder's path: ${checked.reason}` });
    return z.NEVER;
  });

const extension = z
  .string()
  .regex(/^\.[A-Za-z0-9]{1,16}$/, "an extension is a dot and 1 to 16 letters or digits, such as .txt")
  .transform((text) => text.toLowerCase());

/** Agents with the same `rootPath` share a folder, on purpose. */
export const configSchema = z.strictObject({
  rootPath: rootPath.describe("Folder that the agent is shut into, such as `analyst` or `team/notes`."),
  allowWrite: z.boolean().default(false).describe("Whether write, append and delete are allowed."),
  allowedExtensions: z
    .array(extension)
    .default([...SAFE_EXTENSIONS])
    .describe("Extensions of the files it may touch; an empty list allows none."),
});

export type FileConfig = z.infer<typeof configSchema>;
