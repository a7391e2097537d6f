/** Commands of the repository, and an instance that answers them as it is told. */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Ending {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a script in a folder, with nothing in its environment but what is given. */
export function runScript(
  script: string,
  args: readonly string[],
  {
    cwd,
    env = {},
    input,
  }: { readonly cwd: string; readonly env?: Record<string, string>; readonly input?: string },
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { cwd, env });
    if (input !== undefined) child.stdin.end(input);
    let out = "";
    let err = "";
    child.stdout.on("data", (piece) => {
      out += piece;
    });
    child.stderr.on("data", (piece) => {
      err += piece;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** An instance that gives every request the same answer and remembers what it was sent. */
export async function withInstance(
  answer: { readonly status: number; readonly body: string },
  use: (url: string, received: Received[]) => Promise<void>,
): Promise<void> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      const { method, url, headers } = request;
      received.push({ method, url, authorization: headers.authorization, body });
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${portOf(server.address())}`, received);
  } finally {
    server.close();
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address.port;
}
