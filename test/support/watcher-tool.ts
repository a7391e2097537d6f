/** A tool whose job does what the test at hand wants, by agent; until then it finds nothing. */
import { z } from "zod";
import {
  defineTool,
  type JobResult,
  noAction,
  ok,
  secret,
  type Tool,
  type ToolContext,
} from "../../core/tool.ts";

const configSchema = z.strictObject({
  /** Something that only this agent's watcher may know. */
  mark: z.string().default(""),
  token: secret().optional(),
});

export type WatchContext = ToolContext<z.infer<typeof configSchema>>;

/** What the job of an agent does. */
export const watching = new Map<string, (context: WatchContext) => Promise<JobResult> | JobResult>();

/** How often the job's code of each agent was begun. */
export const looks = new Map<string, number>();

async function look(context: WatchContext): Promise<JobResult> {
  looks.set(context.agentId, (looks.get(context.agentId) ?? 0) + 1);
  return (await watching.get(context.agentId)?.(context)) ?? noAction();
}

export function createWatcher(name: string): Tool {
  return defineTool({
    name,
    description: "Looks for news.",
    config: configSchema,
    input: z.strictObject({ action: z.enum(["look"]) }),
    repeatable: ["look"],
    parallel: [],
    execute: async () => ok("nothing"),
    jobs: [{ jobTypeId: "look", name: "Look", description: "Looks for news.", run: look }],
  });
}
