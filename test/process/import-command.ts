import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const command = join(import.meta.dirname, "..", "..", "scripts", "import.mjs");

export interface Ending {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly ended: Promise<Ending>;
  kill(): void;
}

/** Begins `npm run import -- ...`. */
export function beginImport(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const { PARLEY_URL: _url, API_TOKEN: _token, ...own } = process.env;
  const child = spawn(process.execPath, [command, ...args], {
    env: { ...own, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  return {
    ended: once(child, "close").then(([code]) => ({
      code: typeof code === "number" ? code : null,
      out,
      err,
    })),
    kill: () => void child.kill("SIGKILL"),
  };
}

export function runImport(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ending> {
  return beginImport(args, env).ended;
}

export interface Between {
  readonly url: string;
  close(): Promise<unknown>;
}

/**
 * Stands between the command and the instance, and calls `onTaken` when the instance has taken so many batches
 * and the command has not heard of the last one.
 */
export async function standBetween(
  instanceUrl: string,
  batches: number,
  onTaken: () => void,
): Promise<Between> {
  let taken = 0;
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(Buffer.from(piece));
    const answer = await fetch(`${instanceUrl}${request.url ?? ""}`, {
      method: request.method ?? "GET",
      headers: { authorization: request.headers.authorization ?? "", "content-type": "application/json" },
      ...(pieces.length === 0 ? {} : { body: Buffer.concat(pieces) }),
    });
    const text = await answer.text();
    if (request.method === "POST") taken += 1;
    if (taken === batches) {
      onTaken();
      response.destroy();
    } else response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${portOf(server.address())}`, close: () => closed(server) };
}

function closed(server: ReturnType<typeof createServer>): Promise<unknown> {
  server.closeAllConnections();
  server.close();
  return once(server, "close");
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("It does not listen.");
  return address.port;
}
