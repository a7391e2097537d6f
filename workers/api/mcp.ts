/** The door for MCP clients: streamable HTTP without sessions. */
import { Hono } from "hono";
import { MAX_REQUEST_BYTES } from "../../core/limits.ts";
import { describeError } from "../../core/log.ts";
import type { AppEnv } from "../app-env.ts";
import { workerLog } from "../log.ts";
import { readerOf } from "../server-timing.ts";

/** Loaded with the first request: others should not pay for it when the Worker starts. */
export const mcpRoutes = new Hono<AppEnv>().post("/", async (context) => {
  const [{ createMcpHandler, originValidationResponse }, { mcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("../mcp/server.ts"),
  ]);
  const request = context.req.raw;
  // A page of another site has no business here, even one that got hold of a token.
  const foreign = originValidationResponse(request, [new URL(request.url).hostname]);
  if (foreign !== undefined) return foreign;
  const log = workerLog(context.env);
  const askedBy = context.req.header("X-Parley-Instance") ?? null;
  const door = { env: context.env, log, reader: readerOf(context), askedBy };
  const handler = createMcpHandler(() => mcpServer(door), {
    maxRequestBodySize: MAX_REQUEST_BYTES,
    onerror: (error) => log.warn(`The MCP door refused a request: ${describeError(error)}`),
  });
  return handler.fetch(request);
});
