/** One call of a server's tool. */
import { fail, ok, type ToolContext, type ToolResult } from "../../core/tool.ts";
import type { McpConfig } from "./config.ts";
import { cut, framed, type Mask } from "./frame.ts";
import { shownResult } from "./result.ts";
import { ServerTrouble, withServer } from "./session.ts";

export interface RemoteCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

const MAX_REASON = 1_000;

/** Throws only when the call was aborted. */
export async function callRemote(
  context: ToolContext<McpConfig>,
  call: RemoteCall,
  mask: Mask,
): Promise<ToolResult> {
  const server = context.toolConfig.servers.find(({ name }) => name === call.server);
  if (server === undefined || !server.tools.includes(call.tool))
    return fail(`The config does not allow ${call.tool} of ${call.server} any more.`);
  try {
    const result = await withServer(server, context, ({ client, options }) =>
      client.callTool({ name: call.tool, arguments: call.args }, options),
    );
    const shown = shownResult(result, mask);
    return result.isError === true ? fail(`${call.tool} answered with an error:\n${shown}`) : ok(shown);
  } catch (error) {
    context.signal.throwIfAborted();
    return fail(troubleWith(call.server, error, mask));
  }
}

function troubleWith(server: string, error: unknown, mask: Mask): string {
  if (error instanceof ServerTrouble) return `${server}: ${error.message}`;
  const words = error instanceof Error ? error.message : "";
  return `${server} could not be used. What was said, in part by the server:\n${framed(cut(words, MAX_REASON, mask))}`;
}
