/**
 * The public surface for tool authors. A tool is a module in `tools/<name>/` that exports what
 * `defineTool` returns; it imports nothing but this file, zod and its own driver packages.
 */
import { z } from "zod";
import type { KeepFile } from "./kept-file.ts";
import type { Logger } from "./log.ts";

export type { AnalystRecord } from "./analysis/analyst-record.ts";
export type { FileKept, KeepFile } from "./kept-file.ts";
export { readCappedText } from "./outbound/read-text.ts";
export { sha256Hex } from "./sha256.ts";
export { untrustedBlock, untrustedJson, untrustedLines } from "./untrusted.ts";

/** A key-value store that belongs to one tool of one agent (L8) and outlives restarts. */
export interface ToolState {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  /** Keys with the prefix, in order. */
  list(prefix: string): Promise<string[]>;
}

/** What came of sending to a channel; `reason` is a sentence. */
export type ChannelOutcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** `unknown`: it may have been sent, nothing more can be said. */
      readonly code: "not_allowed" | "no_such_channel" | "not_configured" | "refused" | "busy" | "unknown";
      readonly reason: string;
      /** Seconds that the other side asked to wait; missing when it did not. */
      readonly retryAfter?: number;
    };

/** The instance's channels, as far as this tool's own config names them (L8). */
export interface ToolChannels {
  /** Sends once, masked. Never rejects. */
  send(channel: string, message: { readonly title?: string; readonly text: string }): Promise<ChannelOutcome>;
}

export interface ToolContext<Config> {
  readonly agentId: string;
  readonly instanceId: string;
  /** This tool's config for this agent, validated, with secrets filled in. Nobody else's. */
  readonly toolConfig: Config;
  readonly logger: Logger;
  /** Aborted on cancel and on time-out; pass it to every network call. */
  readonly signal: AbortSignal;
  readonly state: ToolState;
  /** What the call or the job's tick may take in all, in seconds. */
  readonly seconds: number;
  /**
   * The way out over HTTP. Like `fetch`, ended by `signal` too, but only public https addresses and what the
   * operator allows by name are reached, redirects included; an error's message can be shown as it is. Of
   * `init` it takes method, headers, body, signal and redirect.
   */
  readonly fetch: (input: string | URL, init?: RequestInit) => Promise<Response>;
  readonly channels: ToolChannels;
  /**
   * For tools that send mail, about each recipient: the header to put on a copy that goes to that one alone, so
   * that what it does counts for the same chain. One mail of a call; plain addresses.
   */
  readonly mailHeader: (mail: { readonly from: string; readonly to: string }) => Promise<MailHeader>;
}

export type MailHeader =
  | {
      readonly ok: true;
      /** Null for a recipient that is no agent of this instance. */
      readonly header: { readonly name: string; readonly value: string } | null;
    }
  | {
      readonly ok: false;
      /** The agent may not write there; its chain takes nothing more. */
      readonly code: "not_colleague" | "chain_refused";
      /** A sentence without the full stop. */
      readonly reason: string;
    };

export type ToolResult =
  | { readonly ok: true; readonly content: string }
  | { readonly ok: false; readonly message: string };

/** A success; `content` is text or JSON for the model. The engine scrubs and caps it. */
export const ok = (content: string): ToolResult => ({ ok: true, content });
/** An expected failure, in a sentence the model can act on. */
export const fail = (message: string): ToolResult => ({ ok: false, message });

/** What a tick of a job came to; made by {@link noAction}, {@link wake} and {@link wakeStateless}. */
export type JobResult =
  | { readonly outcome: "no_action"; readonly logSummary: string | null }
  | {
      readonly outcome: "wake" | "wake_stateless";
      /** What the agent reads. The engine scrubs it. */
      readonly wakeMessage: string;
      readonly logSummary: string | null;
    };

/** There was nothing to do: the agent is left alone. Never the answer to a look that failed: throw then. */
export const noAction = (logSummary?: string): JobResult => ({
  outcome: "no_action",
  logSummary: logSummary ?? null,
});
/** Wakes the agent in its conversation. */
export const wake = (wakeMessage: string, logSummary?: string): JobResult => ({
  outcome: "wake",
  wakeMessage,
  logSummary: logSummary ?? null,
});
/** Wakes the agent in an isolated run, which knows nothing of the conversation. */
export const wakeStateless = (wakeMessage: string, logSummary?: string): JobResult => ({
  outcome: "wake_stateless",
  wakeMessage,
  logSummary: logSummary ?? null,
});

/** A background check of a tool: its code alone, no model. */
export interface ToolJobDefinition<Config> {
  /** As in the config's `jobTypeId`: letters, digits, `_` and `-`, at most 64. */
  readonly jobTypeId: string;
  readonly name: string;
  /** At most 1,024 characters. */
  readonly description: string;
  /**
   * One tick. May throw: the tick is then `failed`, and nothing that it wrote to `context.state` is kept.
   * Must honour `context.signal`; after the tick `context.state` refuses to write.
   */
  run(context: ToolContext<Config>): Promise<JobResult>;
}

/** A job with its config's type closed over, as the engine runs it. */
export interface BoundJob {
  readonly jobTypeId: string;
  readonly name: string;
  readonly description: string;
  run(context: ToolContext<unknown>): Promise<JobResult>;
}

const secretFields = z.registry<{ secret: true }>();

/** A config field that must be a `{"$secret": "NAME"}` reference in the config file; the tool gets the value. */
export function secret() {
  return z.string().min(1).register(secretFields, { secret: true });
}

/** Whether a schema was made by {@link secret}, also behind optional() or default(). */
export function isSecretField(schema: z.core.$ZodType): boolean {
  // `get` follows a schema to the one it was refined from, so `secret().max(200)` stays secret.
  if (secretFields.get(schema) !== undefined) return true;
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : null;
  return inner !== null && isSecretField(inner);
}

const channelFields = z.registry<{ channels: true }>();

const NOT_A_NAME = "Name channels of the instance here; they are defined in its config, not in a tool's";

/** A config field that lists names of the instance's channels, none when missing: `context.channels` sends to these. */
export function channelNames() {
  return z
    .array(z.string(NOT_A_NAME).min(1).max(63), `Must be a list: ${NOT_A_NAME}`)
    .max(100)
    .default([])
    .register(channelFields, { channels: true });
}

/** Keys of a tool's config that were made by {@link channelNames}. */
export function channelKeys(config: z.ZodType): readonly string[] {
  if (!(config instanceof z.ZodObject)) return [];
  return Object.entries(config.shape).flatMap(([key, field]) => (channelFields.has(field) ? [key] : []));
}

/** What the engine must know of a call before it makes it. */
export interface CallTraits {
  /** May be made again when its outcome is unknown. */
  readonly repeatable: boolean;
  /** May run beside other calls of the same step. */
  readonly parallel: boolean;
}

export interface ToolFunctionDefinition<Config, Input> {
  /** As the model sees it: letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** At most 1,024 characters. */
  readonly description: string;
  /** An object schema; put cross-field rules into `superRefine`, not into unions at the top. */
  readonly input: z.ZodType<Input>;
  /** Actions (values of the input's `action`; `"*"` for all) that are safe to make twice. */
  readonly repeatable: readonly string[];
  /** Actions that may run in parallel with others. */
  readonly parallel: readonly string[];
  /** May throw: the engine turns that into a readable failure. Must honour `context.signal`. */
  execute(input: Input, context: ToolContext<Config>): Promise<ToolResult>;
}

export interface ArgumentIssue {
  /** Dotted path into the arguments; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** A call whose arguments have been checked, ready to be made once. */
export type PreparedCall =
  | {
      readonly ok: true;
      readonly traits: CallTraits;
      /** The input's `action` as the tool will see it; null for functions without actions. */
      readonly action: string | null;
      execute(context: ToolContext<unknown>): Promise<ToolResult>;
    }
  | { readonly ok: false; readonly issues: readonly ArgumentIssue[] };

/** One function of a tool with its types closed over, as the engine calls it. */
export interface BoundFunction {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType;
  /** Validates parsed JSON arguments; never throws. */
  prepare(args: unknown): PreparedCall;
}

/** Functions that only a config and something outside can name, as those of a remote server. */
interface DiscoveryDefinition<Config> {
  /**
   * Finds out what there is, before a run's first step or beside its first ones. `found` is what it answered last,
   * null at first. Answers the text to keep, or null to keep what there is. May throw: what was found before stays,
   * and the run goes on. Must honour `context.signal`.
   */
  discover(context: ToolContext<Config>, found: string | null): Promise<string | null>;
  /**
   * The functions by the config, as it stands in the agent's document with references for secrets, and by what was
   * found. Pure; of a config that is none of this tool's there are none. Names begin with the tool's and `_`. What was
   * found may change between a call's planning and its making, so arguments must mean the same whatever that is.
   */
  bind(config: unknown, found: string | null): readonly ((config: z.ZodType<Config>) => BoundFunction)[];
}

/** A {@link DiscoveryDefinition} with its config's type closed over, as the engine uses it. */
interface BoundDiscovery {
  discover(context: ToolContext<unknown>, found: string | null): Promise<string | null>;
  bind(config: unknown, found: string | null): readonly BoundFunction[];
}

/** A tool with its types closed over, as registry and engine see it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Object schema of the tool's config, unknown keys refused. */
  readonly configSchema: z.ZodType;
  /** The same for every agent. */
  readonly functions: readonly BoundFunction[];
  /** Others, which depend on the agent's config. */
  readonly discovered?: BoundDiscovery;
  readonly jobs: readonly BoundJob[];
  /** Of a tool that keeps files for an agent: what comes in from outside is handed to it. */
  readonly keepFile?: KeepFile;
}

export interface ToolDefinition<Config, Input> extends ToolFunctionDefinition<Config, Input> {
  readonly config: z.ZodType<Config>;
  readonly jobs?: readonly ToolJobDefinition<Config>[];
}

export interface ToolSetDefinition<Config> {
  readonly name: string;
  readonly description: string;
  readonly config: z.ZodType<Config>;
  /** Build each with {@link toolFunction} so that its input type is checked. */
  readonly functions: readonly ((config: z.ZodType<Config>) => BoundFunction)[];
  readonly discovered?: DiscoveryDefinition<Config>;
  readonly jobs?: readonly ToolJobDefinition<Config>[];
}

/** A tool with one function, named like the tool. */
export function defineTool<Config, Input>(definition: ToolDefinition<Config, Input>): Tool {
  return {
    name: definition.name,
    description: definition.description,
    configSchema: definition.config,
    functions: [bindFunction(definition, definition.config)],
    jobs: bindJobs(definition),
  };
}

/** A tool with several functions. */
export function defineToolSet<Config>(definition: ToolSetDefinition<Config>): Tool {
  return {
    name: definition.name,
    description: definition.description,
    configSchema: definition.config,
    functions: definition.functions.map((bind) => bind(definition.config)),
    ...bindDiscovered(definition),
    jobs: bindJobs(definition),
  };
}

function bindDiscovered<Config>({ config, discovered }: ToolSetDefinition<Config>): Pick<Tool, "discovered"> {
  if (discovered === undefined) return {};
  return {
    discovered: {
      discover: async (context, found) =>
        discovered.discover({ ...context, toolConfig: config.parse(context.toolConfig) }, found),
      bind: (raw, found) => discovered.bind(raw, found).map((bind) => bind(config)),
    },
  };
}

/** One function of a tool set. */
export function toolFunction<Config, Input>(
  definition: ToolFunctionDefinition<Config, Input>,
): (config: z.ZodType<Config>) => BoundFunction {
  return (config) => bindFunction(definition, config);
}

function bindFunction<Config, Input>(
  definition: ToolFunctionDefinition<Config, Input>,
  config: z.ZodType<Config>,
): BoundFunction {
  return {
    name: definition.name,
    description: definition.description,
    inputSchema: definition.input,
    prepare: (args) => {
      const parsed = definition.input.safeParse(args);
      if (!parsed.success) return { ok: false, issues: argumentIssues(parsed.error) };
      const input = parsed.data;
      return {
        ok: true,
        traits: {
          repeatable: covers(definition.repeatable, input),
          parallel: covers(definition.parallel, input),
        },
        action: actionOf(input),
        execute: async (context) =>
          definition.execute(input, { ...context, toolConfig: config.parse(context.toolConfig) }),
      };
    },
  };
}

function bindJobs<Config>(definition: {
  readonly config: z.ZodType<Config>;
  readonly jobs?: readonly ToolJobDefinition<Config>[];
}): readonly BoundJob[] {
  return (definition.jobs ?? []).map((job) => ({
    jobTypeId: job.jobTypeId,
    name: job.name,
    description: job.description,
    run: async (context) => job.run({ ...context, toolConfig: definition.config.parse(context.toolConfig) }),
  }));
}

function argumentIssues(error: z.ZodError): ArgumentIssue[] {
  return error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
}

const withAction = z.object({ action: z.string() });

function actionOf(input: unknown): string | null {
  return withAction.safeParse(input).data?.action ?? null;
}

function covers(actions: readonly string[], input: unknown): boolean {
  const action = actionOf(input);
  return actions.includes("*") || (action !== null && actions.includes(action));
}
