import { env } from "cloudflare:workers";
import { z } from "zod";
import type { ToolResult } from "../../core/tool.ts";
import { randomLetters } from "../../durable-objects/random-letters.ts";
import { bundledTools } from "../../tools/index.ts";
import { analystRecord } from "../../workers/analyst-record.ts";
import { knownScrubber } from "../../workers/wiring.ts";
import { toolContext } from "./tool-context.ts";

/** The tool over the test's bucket, as the registry's list has it. */
export const fileRW = bundledToolNamed("FileRW");

type Args = Readonly<Record<string, unknown>>;

/** An agent whose folder is `rootPath` and who may write there. */
export function fileAgent(
  rootPath: string,
  config: Args = {},
  context: { signal?: AbortSignal; instanceId?: string } = {},
) {
  const toolConfig = { rootPath, allowWrite: true, ...config };
  return async (action: string, path: string, rest: Args = {}): Promise<ToolResult> => {
    const prepared = fileRW.functions[0]?.prepare({ action, path, ...rest });
    if (!prepared?.ok) throw new Error(`the call was not accepted: ${JSON.stringify(prepared)}`);
    return prepared.execute(toolContext({ ...context, toolConfig }));
  };
}

const answerSchema = z.object({
  path: z.string(),
  size: z.number().optional(),
  offset: z.number().optional(),
  nextOffset: z.number().nullable().optional(),
  content: z.string().optional(),
  existed: z.boolean().optional(),
  folders: z.array(z.string()).default([]),
  files: z.array(z.object({ name: z.string(), size: z.number(), modified: z.iso.datetime() })).default([]),
  cursor: z.string().nullable().default(null),
});

/** What a successful call told the model. */
export function answerOf(result: ToolResult) {
  if (!result.ok) throw new Error(result.message);
  return answerSchema.parse(JSON.parse(result.content));
}

/** The literal code at the start of a failure; "ok" for a success. */
export const codeOf = (result: ToolResult) =>
  result.ok ? "ok" : result.message.slice(0, result.message.indexOf(":"));

export async function keysBelow(prefix: string): Promise<string[]> {
  return (await env.FILES.list({ prefix })).objects.map((object) => object.key);
}

function bundledToolNamed(name: string) {
  const tool = bundledTools({
    files: env.FILES,
    mask: knownScrubber(env, []).scrub,
    record: analystRecord(env),
    nonce: randomLetters,
  }).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`the registry line of ${name} is missing`);
  return tool;
}
