/** A conversation with one server for one piece of work: connected, used and closed, within time and size. */
import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ToolContext } from "../../core/tool.ts";
import type { McpServer } from "./config.ts";

/** What a server may send in all during one piece of work. */
const MAX_BYTES = 4_000_000;
/** Kept back of the time, to say goodbye to the server. */
const CLOSING_MS = 1_500;
const LEAST_MS = 100;

/** A sentence that a model can act on. */
export class ServerTrouble extends Error {
  override readonly name = "ServerTrouble";
}

export interface Session {
  readonly client: Client;
  /** For every request: ends with the work, and when the server does what it must not. */
  readonly options: { readonly signal: AbortSignal; readonly timeout: number };
}

type Way = Pick<ToolContext<unknown>, "fetch" | "signal" | "seconds" | "instanceId">;

/**
 * Does the work with the server. Throws {@link ServerTrouble} when the server cannot be talked to, and what `work`
 * throws. The session is closed in any case.
 */
export async function withServer<T>(
  server: McpServer,
  way: Way,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  way.signal.throwIfAborted();
  const timeout = Math.max(LEAST_MS, way.seconds * 1_000 - CLOSING_MS);
  const watch = new Watch(way, timeout);
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { CfWorkerJsonSchemaValidator } = await import("@modelcontextprotocol/client/validators/cf-worker");
  const client = new Client(
    { name: "parley", version: "1" },
    {
      jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
      versionNegotiation: { mode: "auto", probe: { timeoutMs: timeout } },
      inputRequired: { autoFulfill: false },
      listMaxPages: 10,
    },
  );
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: watch.fetch,
    requestInit: { headers: { ...headersOf(server), "X-Parley-Instance": way.instanceId } },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
    onInsufficientScope: "throw",
  });
  const options = { signal: watch.signal, timeout };
  try {
    return await watch.guard(async () => {
      await client.connect(transport, options);
      return work({ client, options });
    });
  } catch (error) {
    way.signal.throwIfAborted();
    throw watch.trouble ?? error;
  } finally {
    watch.stop();
    await close(client, transport);
  }
}

function headersOf({ token, headers }: McpServer): Record<string, string> {
  return { ...headers, ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) };
}

/** A server that keeps sessions is told that this one is over; one that does not listen is left. */
async function close(client: Client, transport: StreamableHTTPClientTransport): Promise<void> {
  const told = transport.terminateSession().catch(() => undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSING_MS / 2);
  });
  await Promise.race([told, enough]);
  clearTimeout(timer);
  await client.close().catch(() => undefined);
}

/** Keeps a server within size and time, and remembers in words what went wrong on the way. */
class Watch {
  trouble: ServerTrouble | null = null;
  readonly #way: Way;
  readonly #abort = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  #left = MAX_BYTES;

  constructor(way: Way, timeout: number) {
    this.#way = way;
    this.#timer = setTimeout(
      () => this.#end(`The server did not answer within ${timeout / 1_000} s.`),
      timeout,
    );
  }

  get signal(): AbortSignal {
    return AbortSignal.any([this.#way.signal, this.#abort.signal]);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The work, or a rejection as soon as it is to end: nothing that is read here may hold it up. */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this;
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    return Promise.race([work(), ended]);
  }

  readonly fetch = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    try {
      const response = await this.#way.fetch(input, init);
      return this.#capped(response);
    } catch (error) {
      if (error instanceof Error && error.name === "OutboundError")
        this.trouble = new ServerTrouble(error.message);
      throw error;
    }
  };

  #capped(response: Response): Response {
    if (response.body === null) return response;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.#left -= chunk.byteLength;
        if (this.#left >= 0) return controller.enqueue(chunk);
        controller.error(this.#end("The server sent more than can be taken."));
      },
    });
    return new Response(response.body.pipeThrough(counted), response);
  }

  #end(sentence: string): ServerTrouble {
    const trouble = new ServerTrouble(sentence);
    this.trouble ??= trouble;
    this.#abort.abort(trouble);
    return trouble;
  }
}
