/** Stands between a client and a server, so that a test sees the connections and can break them. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { portOf } from "./free-port.ts";

export interface TcpProxy {
  readonly port: number;
  /** Connections ever made. */
  readonly count: () => number;
  /** Resolves when a connection has been made; at once when one was. */
  readonly connected: Promise<void>;
  /** Resolves when no client is connected. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export interface ProxyOptions {
  /** Breaks the connection when the client's plain text has it. */
  readonly breakAt?: string;
  /** From then on nothing comes back any more. */
  readonly silentAt?: string;
}

/** @param target port on the loopback address; null for a server that accepts and never says a word */
export async function startTcpProxy(target: number | null, options: ProxyOptions = {}): Promise<TcpProxy> {
  const open = new Set<Socket>();
  let count = 0;
  const { promise: connected, resolve } = Promise.withResolvers<void>();
  const server = createServer((client) => {
    count += 1;
    resolve();
    open.add(client);
    client.on("error", () => {});
    client.once("close", () => open.delete(client));
    if (target === null) client.resume();
    else join(client, connect(target, "127.0.0.1"), options);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: portOf(server),
    count: () => count,
    connected,
    idle: async () => {
      for (const client of open) if (!client.closed) await once(client, "close");
    },
    stop: async () => {
      for (const client of open) client.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function join(client: Socket, upstream: Socket, { breakAt, silentAt }: ProxyOptions) {
  let silent = false;
  upstream.on("error", () => client.destroy());
  client.on("data", (chunk: Buffer) => {
    const text = chunk.toString("latin1");
    if (breakAt !== undefined && text.includes(breakAt)) client.destroy();
    if (silentAt !== undefined && text.includes(silentAt)) silent = true;
    if (!silent) upstream.write(chunk);
  });
  upstream.on("data", (chunk: Buffer) => {
    if (!silent) client.write(chunk);
  });
  client.once("close", () => upstream.destroy());
  upstream.once("close", () => client.end());
}
