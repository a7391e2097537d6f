/**
 * Any OpenAI-compatible chat completions API. The `openai` package makes the request; retries, validation and
 * the reading of streams are ours, because the package's own lose answers that providers really send.
 */
import OpenAI, { APIConnectionTimeoutError } from "openai";
import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";
import { describeError } from "../log.ts";
import { runAttempt } from "./attempt.ts";
import { type AttemptContext, readBody } from "./body.ts";
import { classifyFailure, modelFailure, retryAfterMs } from "./failure.ts";
import { hasEmptyContent, toWireMessages, toWireTools, type WireOptions } from "./messages.ts";
import type { ModelClient, ModelFailure, ModelRequest, ModelResult } from "./types.ts";

export interface OpenAiClientOptions {
  /** Up to and without `/chat/completions`; null is OpenAI's own. */
  readonly baseUrl: string | null;
  /** Null sends no `Authorization` header, as local servers want it. */
  readonly apiKey: string | null;
  readonly model: string;
  readonly fetch?: typeof fetch;
  /** Send reasoning text back with the history: some models require it, others refuse it. Default false. */
  readonly sendReasoning?: boolean;
  /** Milliseconds since the epoch; only for a `Retry-After` date in a response without a date of its own. */
  readonly now?: () => number;
}

/** What a provider has to be spoken to with; learned from its refusals and kept while the client lives. */
interface Dialect {
  readonly stream: boolean;
  readonly streamOptions: boolean;
  readonly emptyContent: WireOptions["emptyContent"];
}

/**
 * A client for one model. An attempt is one answered request; a provider that refuses one of three optional
 * traits (`stream_options`, streaming, null or empty content beside tool calls) is asked again without it at once.
 */
export function createOpenAiClient(options: OpenAiClientOptions): ModelClient {
  const provider = connect(options);
  let dialect: Dialect = { stream: true, streamOptions: true, emptyContent: "null" };
  return {
    attempt: (request, attemptOptions) =>
      runAttempt(request, attemptOptions, async (context) => {
        let spoken = dialect;
        const tried = new Set<keyof Dialect>();
        for (;;) {
          const body = toWireBody(options, request, spoken);
          const result = await send({ provider, traceparent: attemptOptions.traceparent }, body, context);
          const trait = result.ok ? null : refusedTrait(result.failure, spoken, request);
          if (trait === null || tried.has(trait)) {
            if (!isRefusal(result)) dialect = spoken;
            return result;
          }
          tried.add(trait);
          spoken = without(spoken, trait);
        }
      }),
  };
}

/** Everything the package would else take from the environment is given, for in a Worker that holds our secrets. */
function connect(options: OpenAiClientOptions): OpenAI {
  const fetchImpl = options.fetch ?? fetch;
  return new OpenAI({
    baseURL: options.baseUrl ?? "https://api.openai.com/v1",
    apiKey: options.apiKey ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logLevel: "off",
    ...(options.apiKey === null ? { defaultHeaders: { Authorization: null } } : {}),
    fetch: async (url, init) => {
      const response = await fetchImpl(url, init);
      if (response.ok) return response;
      throw new RefusedError(await refusalOf(response, options.now?.() ?? null));
    },
  });
}

/**
 * Carries an error response past the package, which keeps only a part of the body. Its message is fixed:
 * the package searches messages for words like "timed out".
 */
class RefusedError extends Error {
  readonly failure: ModelFailure;
  constructor(failure: ModelFailure) {
    super("refused");
    this.failure = failure;
  }
}

async function refusalOf(response: Response, now: number | null): Promise<ModelFailure> {
  const text = await response.text().catch(() => "");
  return classifyFailure({
    status: response.status,
    body: jsonOrText(text),
    retryAfterMs: retryAfterMs(response.headers, now),
  });
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toWireBody(
  options: OpenAiClientOptions,
  request: ModelRequest,
  dialect: Dialect,
): ChatCompletionCreateParams {
  const { emptyContent } = dialect;
  const sendReasoning = options.sendReasoning ?? false;
  return {
    model: options.model,
    messages: toWireMessages(request.messages, { emptyContent, sendReasoning }),
    ...(request.tools.length > 0 ? { tools: toWireTools(request.tools) } : {}),
    stream: dialect.stream,
    ...(dialect.stream && dialect.streamOptions ? { stream_options: { include_usage: true } } : {}),
  };
}

async function send(
  to: { readonly provider: OpenAI; readonly traceparent: string | undefined },
  body: ChatCompletionCreateParams,
  context: AttemptContext,
): Promise<ModelResult> {
  const headers = to.traceparent === undefined ? {} : { headers: { traceparent: to.traceparent } };
  let response: Response;
  try {
    const options = { signal: context.signal, ...headers };
    response = await to.provider.chat.completions.create(body, options).asResponse();
  } catch (error) {
    return { ok: false, failure: failureOfThrown(error) };
  }
  return readBody(response.body, response.headers.get("content-type") ?? "", context);
}

function failureOfThrown(error: unknown): ModelFailure {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof RefusedError) return cause.failure;
  if (error instanceof APIConnectionTimeoutError) {
    return modelFailure("timeout", "The provider did not answer in time");
  }
  const reason = describeError(cause ?? error);
  if (error instanceof TypeError)
    return modelFailure("bad_request", `The request is not possible: ${reason}`);
  return modelFailure("network", `The provider cannot be reached: ${reason}`);
}

function isRefusal(result: ModelResult): boolean {
  return !result.ok && result.failure.code === "bad_request";
}

/** The trait of the request that the failure complains about, if there is another way. */
function refusedTrait(failure: ModelFailure, dialect: Dialect, request: ModelRequest): keyof Dialect | null {
  const { status, message } = failure;
  if (status !== 400 && status !== 422) return null;
  if (dialect.stream && dialect.streamOptions && /stream_options|include_usage/i.test(message)) {
    return "streamOptions";
  }
  if (dialect.stream && /\bstream(ing)?\b/i.test(message)) return "stream";
  const aboutContent =
    /content/i.test(message) && /null|nil|none|empty|blank|string|required|missing/i.test(message);
  return aboutContent && failure.code === "bad_request" && hasEmptyContent(request.messages)
    ? "emptyContent"
    : null;
}

function without(dialect: Dialect, trait: keyof Dialect): Dialect {
  if (trait !== "emptyContent") return { ...dialect, [trait]: false };
  return { ...dialect, emptyContent: dialect.emptyContent === "null" ? "string" : "null" };
}
