import { z } from "zod";

const word = z.string().min(1).max(200).optional();

export const inputSchema = z
  .strictObject({
    action: z
      .enum(["list_pairs", "stats", "read_conversation", "chain", "search"])
      .describe(
        "list_pairs: who talks with whom; stats: figures and findings; read_conversation: messages of a or of a and b; chain: all of one rootRunId; search: messages with all words of q",
      ),
    a: word.describe("An agent's id"),
    b: word.describe("A second agent's id: the pair of both"),
    channel: z.enum(["ask", "task", "task_comment", "task_result", "mail"]).optional(),
    since: word.describe("ISO 8601"),
    until: word.describe("ISO 8601"),
    rootRunId: word.describe("For chain"),
    q: z.string().min(1).max(1_000).optional().describe("For search"),
    includeText: z.boolean().optional().describe("Texts too, cut; without it figures only"),
    limit: z.number().int().min(1).max(100).optional().describe("20 by default"),
    cursor: z.string().min(1).max(200).optional().describe("From the page before"),
  })
  .superRefine((input, context) => {
    const missing = {
      read_conversation: "a",
      chain: "rootRunId",
      search: "q",
      list_pairs: null,
      stats: null,
    } as const;
    const needed = missing[input.action];
    if (needed !== null && input[needed] === undefined)
      context.addIssue({ code: "custom", path: [needed], message: `Is needed for ${input.action}` });
    if (input.b !== undefined && input.a === undefined)
      context.addIssue({ code: "custom", path: ["a"], message: "Is needed with b" });
  });
export type AnalysisInput = z.infer<typeof inputSchema>;
