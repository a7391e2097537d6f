/** What servers offer, as it is kept: which of the allowed tools there are, with their words and schemas. */
import { z } from "zod";
import type { ToolContext } from "../../core/tool.ts";
import type { Means } from "./call.ts";
import type { McpConfig, McpServer, OfferedServer } from "./config.ts";
import { markOf } from "./names.ts";
import { type Session, type Trouble, withServer } from "./session.ts";
import { cut, type Mask } from "./words.ts";

/** A list is asked for again after this time, and after a failure no sooner than after the other. */
const FRESH_MS = 600_000;
const RETRY_MS = 60_000;
/** Kept back of the time, to say goodbye to the server and to write down that it did not answer. */
const CLOSING_MS = 1_500;
const LEAST_MS = 100;
const MAX_PAGES = 10;
const MAX_DESCRIPTION = 1_000;
const MAX_SCHEMA = 12_000;
const MAX_REASON = 300;

const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  /** JSON; null for one that is too large to keep. */
  input: z.string().nullable(),
});
export type FoundTool = z.infer<typeof toolSchema>;

const entrySchema = z.object({
  /** A mark of the address and the tools whose list this is: an address itself would be masked like any text. */
  of: z.string(),
  /** Epoch milliseconds of the latest try. */
  triedAt: z.number(),
  failed: z.boolean(),
  /** Ends the frames of the server's words. Kept, so that the same words make the same function. */
  nonce: z.string(),
  /** Null as long as no list was had. */
  tools: z.array(toolSchema).nullable(),
});
type Entry = z.infer<typeof entrySchema>;

const foundSchema = z.record(z.string(), entrySchema);
export type Found = z.infer<typeof foundSchema>;

/** What is kept, as it was written; nothing when it cannot be read. */
export function readFound(text: string | null): Found {
  if (text === null) return {};
  try {
    return foundSchema.parse(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Which of the server's allowed tools there are; null when that is not known. */
export function listOf(
  found: Found,
  server: OfferedServer,
): { readonly nonce: string; readonly tools: readonly FoundTool[] } | null {
  const entry = found[server.name];
  if (entry?.of !== keyOf(server) || entry.tools === null) return null;
  return { nonce: entry.nonce, tools: entry.tools };
}

function keyOf({ url, tools }: Pick<OfferedServer, "url" | "tools">): string {
  return markOf(JSON.stringify([url, ...tools]));
}

/** Asks the servers whose lists are missing or old. Null when there is nothing to ask. Never throws for a server's sake. */
export async function lookUp(
  context: ToolContext<McpConfig>,
  text: string | null,
  means: Means & { readonly now: number },
): Promise<string | null> {
  const found = readFound(text);
  const { servers } = context.toolConfig;
  const due = servers.filter(
    (server) => server.tools.length > 0 && isDue(found[server.name], server, means.now),
  );
  if (due.length === 0) return null;
  const asked = await Promise.all(
    due.map(async (server) => [server.name, await ask(context, server, { ...means, found })]),
  );
  const kept = servers.flatMap(({ name }) => (found[name] === undefined ? [] : [[name, found[name]]]));
  return JSON.stringify(Object.fromEntries([...kept, ...asked]));
}

function isDue(entry: Entry | undefined, server: McpServer, now: number): boolean {
  if (entry === undefined || entry.of !== keyOf(server)) return true;
  return now - entry.triedAt > (entry.failed ? RETRY_MS : FRESH_MS);
}

interface Asking extends Means {
  readonly now: number;
  readonly found: Found;
}

async function ask(
  context: ToolContext<McpConfig>,
  server: McpServer,
  { now, found, mask, nonce }: Asking,
): Promise<Entry> {
  const before = listOf(found, server);
  const entry = { of: keyOf(server), triedAt: now, nonce: before?.nonce ?? nonce() };
  const limitMs = Math.max(LEAST_MS, context.seconds * 1_000 - CLOSING_MS);
  const talk = await withServer(server, { ...context, limitMs }, (session) => pagesOf(session, server));
  if (!talk.ok) {
    context.logger.warn(`${server.name}: its tools could not be listed: ${reasonOf(talk.trouble, mask)}`);
    return { ...entry, failed: true, tools: before?.tools.slice() ?? null };
  }
  const tools = talk.value.map((tool) => foundTool(tool, mask));
  const missing = server.tools.filter((name) => !tools.some((tool) => tool.name === name));
  if (missing.length > 0)
    context.logger.warn(`${server.name} does not offer: ${cut(missing.join(", "), MAX_REASON, mask)}`);
  return { ...entry, failed: false, tools };
}

function reasonOf({ sentence, words }: Trouble, mask: Mask): string {
  return sentence ?? cut(words, MAX_REASON, mask);
}

interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

/**
 * The allowed tools, each as it stands in the list first. Not by the client's own walk through the pages: that one
 * writes the names of tools it leaves out to the console.
 */
async function pagesOf({ client, options }: Session, server: McpServer): Promise<ListedTool[]> {
  const byName = new Map<string, ListedTool>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: "tools/list", params }, options);
    for (const tool of tools)
      if (server.tools.includes(tool.name) && !byName.has(tool.name)) byName.set(tool.name, tool);
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return [...byName.values()];
}

function foundTool({ name, description, inputSchema }: ListedTool, mask: Mask): FoundTool {
  const input = mask(JSON.stringify(inputSchema));
  return {
    name,
    description: cut(description ?? "", MAX_DESCRIPTION, mask),
    input: input.length > MAX_SCHEMA ? null : input,
  };
}
