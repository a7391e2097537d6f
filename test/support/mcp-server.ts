/** A real MCP server on loopback, made with the official package, and servers that misbehave. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import {
  createMcpHandler,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { type Odd, oddAnswer } from "./mcp-odd.ts";

export interface TestServer {
  /** `host:port`, for `outbound.allow`. */
  readonly host: string;
  readonly url: string;
  /** What was asked, as `METHOD method-of-the-protocol`. */
  readonly requests: readonly string[];
  readonly headers: readonly Headers[];
  close(): Promise<void>;
}

type Answer = (request: Request) => Response | Promise<Response>;

/** Serves web-standard handlers; one that never answers holds nothing up at the end. */
export async function serve(answer: Answer): Promise<TestServer> {
  const requests: string[] = [];
  const headers: Headers[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const request = await requestOf(incoming);
    const body = await request.clone().text();
    requests.push(`${request.method} ${methodOf(body)}`.trim());
    headers.push(request.headers);
    await give(await answer(request), outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const host = `127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  return {
    host,
    url: `http://${host}/mcp`,
    requests,
    headers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const rpc = z.looseObject({ method: z.string() });

function methodOf(body: string): string {
  try {
    return rpc.parse(JSON.parse(body)).method;
  } catch {
    return "";
  }
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const method = incoming.method ?? "GET";
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  const body = method === "GET" || method === "HEAD" ? null : Buffer.concat(chunks);
  return new Request(`http://${incoming.headers.host}${incoming.url}`, { method, headers, body });
}

async function give(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) return void outgoing.end();
  const stream = Readable.from(response.body);
  outgoing.on("close", () => stream.destroy());
  stream.on("error", () => outgoing.destroy());
  stream.pipe(outgoing);
}

const PICTURE = Buffer.from("a picture").toString("base64");

/** What the well-behaved server offers. */
function shopServer(): McpServer {
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  server.registerTool(
    "stock",
    {
      description: "How much of a product is there.",
      inputSchema: z.object({ product: z.string().min(1), size: z.enum(["small", "large"]).optional() }),
      annotations: { readOnlyHint: true, idempotentHint: true },
    },
    ({ product, size }) => ({ content: [{ type: "text", text: `12 of ${product} ${size ?? ""}`.trim() }] }),
  );
  server.registerTool("picture", { description: "A picture.", inputSchema: z.object({}) }, () => ({
    content: [
      { type: "image", data: PICTURE, mimeType: "image/png" },
      { type: "resource_link", uri: "https://shop.test/manual", name: "manual" },
      { type: "resource", resource: { uri: "shop://note", text: "A note." } },
    ],
  }));
  server.registerTool("refuse", { inputSchema: z.object({}) }, () => ({
    isError: true,
    content: [{ type: "text", text: "There is no such product." }],
  }));
  server.registerTool("secretive", { description: "Not for agents.", inputSchema: z.object({}) }, () => ({
    content: [{ type: "text", text: "should not be seen" }],
  }));
  return server;
}

/** The well-behaved server, stateless. */
export function serveShop(): Promise<TestServer> {
  const { fetch } = createMcpHandler(shopServer);
  return serve((request) => fetch(request));
}

/** The same, as servers of the older generation are: with a session for each client, until it says goodbye. */
export async function serveSessions(): Promise<TestServer & { open(): number }> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const begin = async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await shopServer().connect(transport);
    return transport;
  };
  const server = await serve(async (request) => {
    const id = request.headers.get("mcp-session-id");
    const transport = id === null ? await begin() : sessions.get(id);
    return transport === undefined ? new Response(null, { status: 404 }) : transport.handleRequest(request);
  });
  return { ...server, open: () => sessions.size };
}

/** One tool `odd`, described and answering as told. */
export function serveOdd(odd: Odd): Promise<TestServer> {
  return serve((request) => oddAnswer(odd, request));
}
