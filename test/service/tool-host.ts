/** Makes calls of the bundled tools inside a real workerd, from a test in Node. */
import { createServer } from "node:http";
import { inject } from "vitest";
import { z } from "zod";
import { portOf } from "./servers/free-port.ts";

const log = z.array(z.string());
const resultSchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), content: z.string() }),
  z.object({ ok: z.literal(false), message: z.string() }),
]);
const tickSchema = z.object({
  outcome: z.enum(["no_action", "wake", "wake_stateless"]),
  wakeMessage: z.string().optional(),
  logSummary: z.string().nullable(),
});
const answerSchema = z.discriminatedUnion("kind", [
  /** The function ran. `log` holds what it logged. */
  z.object({ kind: z.literal("result"), result: resultSchema, log }),
  /** The job ran. */
  z.object({ kind: z.literal("ticked"), result: tickSchema, log }),
  z.object({
    kind: z.literal("arguments_refused"),
    issues: z.array(z.object({ path: z.string(), message: z.string() })),
  }),
  z.object({ kind: z.literal("config_refused"), message: z.string() }),
  /** The function threw, as it may when it is aborted. */
  z.object({ kind: z.literal("threw"), message: z.string(), log: log.optional() }),
]);

export type ToolAnswer = z.infer<typeof answerSchema>;

export interface CallOptions {
  /** Needed only for tools with several functions. */
  readonly function?: string;
  /** Whose state the tool gets; default `analyst`. */
  readonly agentId?: string;
  /** Hosts, as `host:port`, that the guarded fetch may reach although they are local. */
  readonly allow?: readonly string[];
  /** The call's signal fires once this has settled. */
  readonly abortWhen?: Promise<unknown>;
}

type Config = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, unknown>>;

/** Reads like the call itself; `config` is as in the config file, with secrets filled in. */
type Call = readonly [tool: string, config: Config, args: Arguments, options?: CallOptions];
type Tick = readonly [tool: string, config: Config, job: string, options?: Omit<CallOptions, "function">];

export interface ToolHost {
  call(...call: Call): Promise<ToolAnswer>;
  /** One tick of a job. What it writes to its state is kept, also when it throws. */
  tick(...tick: Tick): Promise<ToolAnswer>;
}

/** Whether `setup.ts` could start it; tests skip otherwise. */
export const hasToolWorker = () => inject("toolWorker") !== null;

/** The Worker that `setup.ts` started. */
export function toolHost(): ToolHost {
  const address = inject("toolWorker");
  if (address === null) throw new Error("the tools' Worker was not started: OpenSSL is missing");
  const send = async (body: object, { abortWhen, ...options }: CallOptions = {}) => {
    const abort = abortWhen === undefined ? null : await answerWhen(abortWhen);
    const abortUrl = abort === null ? {} : { abortUrl: abort.url };
    try {
      return await post(address, { agentId: "analyst", ...body, ...options, ...abortUrl });
    } finally {
      abort?.close();
    }
  };
  return {
    call: (...[tool, config, args, options]) => send({ tool, config, arguments: args }, options),
    tick: (...[tool, config, job, options]) => send({ tool, config, job }, options),
  };
}

async function post(address: string, body: unknown): Promise<ToolAnswer> {
  const response = await fetch(address, { method: "POST", body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`the tools' Worker failed: ${text}`);
  return answerSchema.parse(JSON.parse(text));
}

/** An address that answers as soon as the promise has settled. */
async function answerWhen(settled: Promise<unknown>) {
  const server = createServer((_request, response) => {
    const answer = () => response.end("now");
    settled.then(answer, answer);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
