/** A conversation with one server for one piece of work: connected, used and closed, within time and size. */
import type {
  Client,
  jsonSchemaValidator,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { ToolContext } from "../../core/tool.ts";
import type { McpServer } from "./config.ts";

/** What a server may send in all during one piece of work. */
const MAX_BYTES = 4_000_000;
/** What saying goodbye to the server may take. */
const GOODBYE_MS = 750;
/** The client's own limit for one request stands behind those that are told in words. */
const BEYOND_MS = 1_000;

export interface Session {
  readonly client: Client;
  /** For every request: ends with the work, and when the server does what it must not. */
  readonly options: { readonly signal: AbortSignal; readonly timeout: number };
}

/** Why a piece of work could not be done. */
export interface Trouble {
  /** One that a model can act on; null when there are only the words. */
  readonly sentence: string | null;
  /** In part the server's: not to be shown without a frame, nor unmasked. */
  readonly words: string;
  /** A tool's call was sent and no answer to it came. */
  readonly mayHaveActed: boolean;
}

type Talk<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly trouble: Trouble };

type Way = Pick<ToolContext<unknown>, "fetch" | "signal" | "seconds" | "instanceId"> & {
  /** What the work may take; null when the signal alone ends it. */
  readonly limitMs: number | null;
};

/** Does the work with the server. Throws only the signal's reason. The session is closed in any case. */
export async function withServer<T>(
  server: McpServer,
  way: Way,
  work: (session: Session) => Promise<T>,
): Promise<Talk<T>> {
  way.signal.throwIfAborted();
  const { Client, ProtocolError, StreamableHTTPClientTransport } = await import(
    "@modelcontextprotocol/client"
  );
  const watch = new Watch(way);
  const timeout = way.seconds * 1_000 + BEYOND_MS;
  const client = new Client(
    { name: "parley", version: "1" },
    {
      jsonSchemaValidator: NO_VALIDATION,
      versionNegotiation: { mode: "auto", probe: { timeoutMs: timeout } },
      inputRequired: { autoFulfill: false },
    },
  );
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: watch.fetch,
    requestInit: { headers: { ...headersOf(server), "X-Parley-Instance": way.instanceId } },
    reconnectionOptions: NO_RECONNECTION,
    onInsufficientScope: "throw",
  });
  const options = { signal: watch.signal, timeout };
  try {
    const value = await watch.guard(async () => {
      await client.connect(transport, options);
      return work({ client, options });
    });
    return { ok: true, value };
  } catch (error) {
    way.signal.throwIfAborted();
    const mayHaveActed = watch.called && !(error instanceof ProtocolError);
    const words = error instanceof Error ? error.message : "";
    return { ok: false, trouble: { sentence: watch.sentence, words, mayHaveActed } };
  } finally {
    watch.stop();
    await close(client, transport);
  }
}

/** Schemas of servers are not run: their expressions may never end. */
const NO_VALIDATION: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "Not validated here" }),
};

const NO_RECONNECTION = {
  maxRetries: 0,
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1,
};

function headersOf({ token, headers }: McpServer): Record<string, string> {
  return { ...headers, ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) };
}

/** A server that keeps sessions is told that this one is over; one that does not listen is left. */
async function close(client: Client, transport: StreamableHTTPClientTransport): Promise<void> {
  const told = transport.terminateSession().catch(() => undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, GOODBYE_MS);
  });
  await Promise.race([told, enough]);
  clearTimeout(timer);
  await client.close().catch(() => undefined);
}

/** Keeps a server within size and time, and remembers in words what went wrong on the way. */
class Watch {
  sentence: string | null = null;
  /** Whether a tool's call has been handed to the network. */
  called = false;
  readonly #way: Way;
  readonly #abort = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #left = MAX_BYTES;

  constructor(way: Way) {
    this.#way = way;
    const { limitMs } = way;
    if (limitMs === null) return;
    this.#timer = setTimeout(
      () => this.#end(`The server did not answer within ${limitMs / 1_000} s.`),
      limitMs,
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
    if (isCall(init)) this.called = true;
    try {
      const response = await this.#way.fetch(input, init);
      return this.#capped(response);
    } catch (error) {
      if (error instanceof Error && error.name === "OutboundError") this.sentence ??= error.message;
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

  #end(sentence: string): Error {
    const error = new Error(sentence);
    this.sentence ??= sentence;
    this.#abort.abort(error);
    return error;
  }
}

/** Only a call holds this in its JSON: what else is sent says nothing that a model or a person wrote. */
function isCall(init: RequestInit | undefined): boolean {
  return typeof init?.body === "string" && init.body.includes('"tools/call"');
}
