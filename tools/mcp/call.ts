/** One call of a server's tool. */
import { z } from "zod";
import { fail, ok, type ToolContext, type ToolResult } from "../../core/tool.ts";
import type { McpConfig } from "./config.ts";
import { shownResult } from "./result.ts";
import { type Session, type Trouble, withServer } from "./session.ts";
import { cut, framed, type Mask } from "./words.ts";

export interface RemoteCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** JSON of the schema that the server gave; null when it is not known. */
  readonly input: string | null;
}

/** What a call takes from outside. */
export interface Means {
  readonly mask: Mask;
  /** Letters that nobody can guess, others each time. */
  readonly nonce: () => string;
}

/** With what stands around the frame, within what the engine shows of one result by default. */
const MAX_CHARS = 18_000;
const MAX_REASON = 1_000;

/** Throws only when the call was aborted. */
export async function callRemote(
  context: ToolContext<McpConfig>,
  call: RemoteCall,
  { mask, nonce }: Means,
): Promise<ToolResult> {
  const server = context.toolConfig.servers.find(({ name }) => name === call.server);
  if (server === undefined || !server.tools.includes(call.tool))
    return fail(`The config does not allow ${call.tool} of ${call.server} any more.`);
  // Without a limit of its own: when the time is up the engine says so, here and in the audit.
  const talk = await withServer(server, { ...context, limitMs: null }, (session) => send(session, call));
  const shown = (text: string, chars: number) => framed(text, { nonce: nonce(), chars });
  if (!talk.ok)
    return fail(
      troubleWith(call.server, talk.trouble, (words) => shown(cut(words, MAX_REASON, mask), MAX_CHARS)),
    );
  const text = shown(shownResult(talk.value, mask), MAX_CHARS);
  return talk.value.isError === true ? fail(`${call.tool} answered with an error:\n${text}`) : ok(text);
}

/**
 * A definition of one's own keeps the client from two things: from making the call again with a list it has fetched
 * (a call is made once), and from running the expressions of an output schema that came with that list.
 */
function send({ client, options }: Session, { tool, args, input }: RemoteCall) {
  const toolDefinition = { name: tool, inputSchema: inputSchemaOf(input) };
  return client.callTool({ name: tool, arguments: args }, { ...options, toolDefinition });
}

const objectSchema = z.looseObject({ type: z.literal("object") });

/** It tells which arguments the server wants to see in headers too. */
function inputSchemaOf(input: string | null): { type: "object"; [key: string]: unknown } {
  try {
    return objectSchema.parse(JSON.parse(input ?? "null"));
  } catch {
    return { type: "object" };
  }
}

function troubleWith(server: string, trouble: Trouble, shown: (words: string) => string): string {
  const unknown = trouble.mayHaveActed
    ? " Outcome unknown: the call was sent, it may have taken effect."
    : "";
  if (trouble.sentence !== null) return `${server}: ${trouble.sentence}${unknown}`;
  return `${server} could not be used.${unknown} What was said, in part by the server:\n${shown(trouble.words)}`;
}
