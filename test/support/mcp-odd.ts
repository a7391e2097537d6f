/** What an MCP server with one tool answers, written by hand, so that it can answer what a good one never would. */
import { z } from "zod";

const message = z.looseObject({
  method: z.string(),
  id: z.unknown().optional(),
  params: z.looseObject({ cursor: z.string().optional(), arguments: z.unknown().optional() }).optional(),
});
export type Message = z.infer<typeof message>;

export interface Odd {
  readonly description?: string;
  /** What the tool answers. */
  readonly text?: string;
  readonly schema?: unknown;
  /** Instead of the one tool `odd`. */
  readonly tools?: readonly unknown[];
  /** Whether it speaks the protocol of 2026-07-28; missing: the one of 2025-06-18. */
  readonly modern?: boolean;
  /** An answer of its own; undefined leaves the message to the usual one. */
  readonly answer?: (message: Message) => Response | Promise<Response> | undefined;
}

const OF_MODERN_RESULTS = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

/** A result for the message of that id. */
export function resultOf({ id }: Message, value: object): Response {
  return Response.json({ jsonrpc: "2.0", id, result: { ...OF_MODERN_RESULTS, ...value } });
}

/** An error for it. */
export function errorOf({ id }: Message, code: number, text: string): Response {
  return Response.json({ jsonrpc: "2.0", id, error: { code, message: text } });
}

export async function oddAnswer(odd: Odd, request: Request): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const given = message.parse(await request.json());
  return (await odd.answer?.(given)) ?? usual(odd, given);
}

function usual(odd: Odd, given: Message): Response {
  const capabilities = { tools: {} };
  const one = { name: "odd", description: odd.description, inputSchema: odd.schema ?? { type: "object" } };
  if (given.method.startsWith("notifications/")) return new Response(null, { status: 202 });
  switch (given.method) {
    case "tools/list":
      return resultOf(given, { tools: odd.tools ?? [one] });
    case "tools/call":
      return resultOf(given, { content: [{ type: "text", text: odd.text ?? "" }] });
    case "server/discover":
      if (odd.modern === true) return resultOf(given, { supportedVersions: ["2026-07-28"], capabilities });
      break;
    case "initialize": {
      const serverInfo = { name: "odd", version: "1" };
      return resultOf(given, { protocolVersion: "2025-06-18", capabilities, serverInfo });
    }
  }
  return errorOf(given, -32601, "Method not found");
}
