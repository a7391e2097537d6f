/** An HTTP server that answers well or breaks off, and knows what becomes of its connections. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { portOf } from "./free-port.ts";

export interface WebRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** `cut` closes the connection in the middle of the body. */
  readonly end?: "whole" | "cut";
}

/** `cut` closes the connection without an answer, `hang` keeps it open and never says anything. */
export type WebHandler = (request: WebRequest) => WebAnswer | "cut" | "hang";

export interface WebServer {
  /** `host:port`, as a guard's exception names it. */
  readonly host: string;
  readonly baseUrl: string;
  readonly requests: readonly WebRequest[];
  /** Resolves with the number of requests once there are so many. */
  received(count: number): Promise<void>;
  /** Resolves once a request that was left hanging was given up by its client. */
  givenUp(): Promise<void>;
  stop(): Promise<void>;
}

/** Listens on loopback, on a free port. */
export async function startWebServer(handler: WebHandler): Promise<WebServer> {
  const requests: WebRequest[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const gone = Promise.withResolvers<void>();
  const server = createServer((incoming, response) => {
    read(incoming).then(
      (request) => {
        requests.push(request);
        for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
        const answer = handler(request);
        if (answer === "hang") response.once("close", gone.resolve);
        else if (answer === "cut") incoming.socket.destroy();
        else send(response, answer);
      },
      () => incoming.socket.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${portOf(server)}`;
  return {
    host,
    baseUrl: `http://${host}`,
    requests,
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    givenUp: () => gone.promise,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function read(incoming: IncomingMessage): Promise<WebRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString(),
  };
}

function send(response: ServerResponse, { status, headers, body, end }: WebAnswer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    "content-type": "application/json",
    ...headers,
    "content-length": bytes.length,
  });
  if (end !== "cut") {
    response.end(bytes);
    return;
  }
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}
