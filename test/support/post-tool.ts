/** A tool that sends mail into a test's hands, with the header that the engine gives for it. */
import { z } from "zod";
import { defineTool, fail, ok, type Tool } from "../../core/tool.ts";

export interface PostedMail {
  readonly from: string;
  readonly to: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

export function createPost(sent: (mail: PostedMail) => Promise<void>): Tool {
  return defineTool({
    name: "Post",
    description: "Sends a mail.",
    config: z.strictObject({ from: z.string() }),
    input: z.strictObject({ to: z.string() }),
    repeatable: [],
    parallel: [],
    execute: async ({ to }, { toolConfig, mailHeader }) => {
      const { from } = toolConfig;
      const stamped = await mailHeader({ from, to });
      if (!stamped.ok) return fail(`${stamped.code}: ${stamped.reason}`);
      await sent({ from, to, headers: stamped.header === null ? [] : [stamped.header] });
      return ok("sent");
    },
  });
}
