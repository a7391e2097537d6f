/** A Worker that makes one call (or one job's tick) of a bundled tool per request; `tool-host.ts` asks it. */
import { z } from "zod";
import { createAnalystRecord } from "../../core/analysis/analyst-record.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { bundledTools } from "../../tools/index.ts";
import { memoryState, toolContext } from "../support/tool-context.ts";

const callSchema = z.object({
  tool: z.string(),
  /** Needed only for tools with several functions. */
  function: z.string().optional(),
  /** One tick of this job instead of a call; `arguments` are of no use then. */
  job: z.string().optional(),
  config: z.unknown(),
  arguments: z.unknown().optional(),
  agentId: z.string(),
  /** Hosts that may be reached although they are local. */
  allow: z.array(z.string()).default([]),
  /** The call is aborted once this address has answered. */
  abortUrl: z.string().optional(),
});

type Call = z.infer<typeof callSchema>;
type Work = (context: ToolContext<unknown>) => Promise<unknown>;
type Prepared = { readonly work: Work } | { readonly refused: unknown };

/** Per agent and tool; lost when the Worker ends. */
const states = new Map<string, ReturnType<typeof memoryState>>();

/** The record's tool has tests of its own. */
const NO_RECORD = createAnalystRecord(
  {
    prepare: () => {
      throw new Error("there is no record here");
    },
  },
  () => Promise.reject(new Error("there is no instance here")),
);

interface Bindings {
  readonly FILES: R2Bucket;
  readonly EMAIL: SendEmail;
}

export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    const call = callSchema.parse(await request.json());
    const tools = bundledTools({
      files: env.FILES,
      mask: (text) => text,
      sendEmail: env.EMAIL,
      record: NO_RECORD,
      nonce: () => "nonce",
    });
    return Response.json(await answer(tools, call));
  },
};

async function answer(tools: readonly Tool[], call: Call): Promise<unknown> {
  const tool = tools.find(({ name }) => name === call.tool);
  if (tool === undefined) return { kind: "threw", message: `there is no tool ${call.tool}` };
  const config = tool.configSchema.safeParse(call.config);
  if (!config.success) return { kind: "config_refused", message: config.error.message };
  const prepared = prepare(tool, call);
  return "refused" in prepared ? prepared.refused : run(prepared.work, call);
}

function prepare(tool: Tool, call: Call): Prepared {
  const job = tool.jobs.find(({ jobTypeId }) => jobTypeId === call.job);
  if (job !== undefined) return { work: (context) => job.run(context) };
  const bound = tool.functions.find(({ name }) => name === (call.function ?? call.tool));
  if (bound === undefined || call.job !== undefined) {
    return { refused: { kind: "threw", message: "there is no such function or job" } };
  }
  const prepared = bound.prepare(call.arguments);
  if (prepared.ok) return { work: (context) => prepared.execute(context) };
  return { refused: { kind: "arguments_refused", issues: prepared.issues } };
}

async function run(work: Work, call: Call): Promise<unknown> {
  const log: string[] = [];
  const context = toolContext({
    toolConfig: call.config,
    agentId: call.agentId,
    allow: call.allow,
    signal: signalOf(call.abortUrl),
    state: stateOf(call),
    log: (text) => log.push(text),
  });
  const kind = call.job === undefined ? "result" : "ticked";
  try {
    return { kind, result: await work(context), log };
  } catch (error) {
    return { kind: "threw", message: String(error), log };
  }
}

/** Its own request waits for the word, because a request's sockets cannot be closed from another request. */
function signalOf(abortUrl: string | undefined): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (abortUrl !== undefined) fetch(abortUrl).then(abort, abort);
  return controller.signal;
}

function stateOf({ agentId, tool }: Call) {
  const key = JSON.stringify([agentId, tool]);
  const state = states.get(key) ?? memoryState();
  states.set(key, state);
  return state;
}
