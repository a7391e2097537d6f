/** What servers offer, as it is kept: which of the allowed tools there are, with their words and schemas. */
import { z } from "zod";
import type { ToolContext } from "../../core/tool.ts";
import type { McpConfig, McpServer, OfferedServer } from "./config.ts";
import { withServer } from "./session.ts";

/** A list is asked for again after this time, and after a failure no sooner than after the other. */
const FRESH_MS = 600_000;
const RETRY_MS = 60_000;
const MAX_DESCRIPTION = 2_000;
const MAX_SCHEMA = 12_000;

const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  /** JSON; null for one that is too large to keep. */
  input: z.string().nullable(),
});
export type FoundTool = z.infer<typeof toolSchema>;

const entrySchema = z.object({
  /** Of which address and tools this is the list. */
  of: z.string(),
  /** Epoch milliseconds of the latest try. */
  triedAt: z.number(),
  failed: z.boolean(),
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
export function toolsOf(found: Found, server: OfferedServer): readonly FoundTool[] | null {
  const entry = found[server.name];
  return entry?.of === keyOf(server) ? entry.tools : null;
}

function keyOf({ url, tools }: Pick<OfferedServer, "url" | "tools">): string {
  return JSON.stringify([url, ...tools]);
}

/** Asks the servers whose lists are missing or old. Null when there is nothing to ask. Never throws for a server's sake. */
export async function lookUp(
  context: ToolContext<McpConfig>,
  text: string | null,
  now: number,
): Promise<string | null> {
  const found = readFound(text);
  const { servers } = context.toolConfig;
  const due = servers.filter((server) => server.tools.length > 0 && isDue(found[server.name], server, now));
  if (due.length === 0) return null;
  const asked = await Promise.all(
    due.map(async (server) => [server.name, await ask(context, server, { found, now })]),
  );
  const kept = servers.flatMap(({ name }) => (found[name] === undefined ? [] : [[name, found[name]]]));
  return JSON.stringify(Object.fromEntries([...kept, ...asked]));
}

function isDue(entry: Entry | undefined, server: McpServer, now: number): boolean {
  if (entry === undefined || entry.of !== keyOf(server)) return true;
  return now - entry.triedAt > (entry.failed ? RETRY_MS : FRESH_MS);
}

interface Before {
  readonly found: Found;
  readonly now: number;
}

async function ask(
  context: ToolContext<McpConfig>,
  server: McpServer,
  { found, now }: Before,
): Promise<Entry> {
  const of = keyOf(server);
  try {
    return { of, triedAt: now, failed: false, tools: await listed(context, server) };
  } catch (error) {
    context.logger.warn(`${server.name}: its tools could not be listed: ${reasonOf(error)}`);
    return { of, triedAt: now, failed: true, tools: toolsOf(found, server)?.slice() ?? null };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : "unknown";
}

async function listed(context: ToolContext<McpConfig>, server: McpServer): Promise<FoundTool[]> {
  const { tools } = await withServer(server, context, ({ client, options }) => client.listTools({}, options));
  const allowed = tools.filter(({ name }) => server.tools.includes(name));
  const missing = server.tools.filter((name) => !tools.some((tool) => tool.name === name));
  if (missing.length > 0)
    context.logger.warn(`${server.name} does not offer: ${missing.join(", ").slice(0, 300)}`);
  return allowed.map(({ name, description, inputSchema }) => {
    const input = JSON.stringify(inputSchema);
    return {
      name,
      description: (description ?? "").slice(0, MAX_DESCRIPTION).toWellFormed(),
      input: input.length > MAX_SCHEMA ? null : input,
    };
  });
}
